import type { CatalogTool } from "../../catalog/catalog.ts";
import { openAccount } from "../../dispatch/call-account.ts";
import type { GatewayFailure } from "../../errors.ts";
import { readListedForm } from "../../identity/listed-form.ts";
import { ok } from "../../result.ts";
import type { ToolAnswer } from "../../surface.ts";
import { withAdmittedCatalog } from "../admitted-catalog.ts";
import { errorAnswer } from "../answers.ts";
import type { CallContext } from "../call-context.ts";
import { logFailure } from "../pipeline.ts";
import type { GatewayPorts } from "../ports.ts";
import { quotaOwnerOf } from "../quota.ts";
import { executeFailed } from "../telling/execute-failure.ts";

/**
 * The answer to a call by a tool's own name, in any of its forms (seed 000 §4.1): nothing runs, and the caller learns how it
 * would. `undefined` for a name that no tool has which exists for the caller.
 */
export async function listedOnly(
  name: string,
  context: CallContext,
  ports: GatewayPorts,
): Promise<ToolAnswer | undefined> {
  const asked = readListedForm(name);
  const found = await withAdmittedCatalog(
    {
      path: "",
      metaTool: "tool_execute",
      make: async (catalog) => ok(catalog.find(asked)),
      ask: (_tool, { version }) => ({ catalogVersion: version }),
    },
    context,
    ports,
  );
  if (!found.ok) return refused(found.reason, null, context, ports);
  const { made: tool } = found.value;
  if (tool === undefined || !context.sees(tool.id)) return undefined;
  return refused({ reason: "listed_only", path: tool.id }, tool, context, ports);
}

function refused(
  failure: GatewayFailure,
  tool: CatalogTool | null,
  context: CallContext,
  ports: GatewayPorts,
): ToolAnswer {
  logFailure(failure, ports);
  const account = { ...openAccount<CatalogTool>("", false), tool };
  context.tell(executeFailed(failure, account, quotaOwnerOf(ports)));
  return errorAnswer(failure);
}
