import { canonicalJson } from "../dispatch/cache/canonical-json.ts";
import { refusalOf } from "../dispatch/admit.ts";
import { factsOfLostTool, factsOfTool, type ToolFacts } from "../dispatch/policy/facts.ts";
import { judgeView } from "../dispatch/policy/judge.ts";
import type { GatewayFailure } from "../errors.ts";
import type { ArtifactRecord } from "../firewall/artifacts/artifact.ts";
import type { Selector } from "../firewall/view/selector.ts";
import { sha256Hex } from "../identity/digest.ts";
import { fail, ok, type Result } from "../result.ts";
import { askApproval } from "./ask-approval.ts";
import type { GatewayPorts } from "./ports.ts";
import type { RequestContext } from "./request-context.ts";

const META_TOOL = "tool_view";

/**
 * Whether the operator's rules let an artifact be viewed, by the tool that brought it, whether the catalog still has it or
 * not. A view that waits for a person is bound to its handle and selector, as a call is to its arguments.
 */
export async function permitView(
  record: ArtifactRecord,
  selector: Selector,
  context: RequestContext,
  ports: GatewayPorts,
): Promise<Result<undefined, GatewayFailure>> {
  const { policy } = ports.controls.gateway;
  if (policy.length === 0) return ok(undefined);
  const { handle, toolId } = record;
  const facts = await factsOf(toolId, ports);
  const verdict = judgeView(policy, { ...facts, principal: context.principal });
  if (verdict.action === "allow") return ok(undefined);
  if (verdict.action === "deny") return fail({ reason: "policy_denied", path: handle, why: verdict.reason });
  const args = { handle, selector };
  const admission = await context.admit({
    attempt: ports.newId(),
    approval: {
      metaTool: META_TOOL,
      toolId,
      schemaHash: NO_SCHEMA,
      argumentsHash: sha256Hex(canonicalJson(args, Infinity) ?? ""),
      rule: verdict.rule,
    },
  });
  if (admission.admitted) {
    // An object of an older version overlooks what it does not know: nobody has consented.
    return admission.approval === "granted"
      ? ok(undefined)
      : fail(notReady(handle, "it knows no approvals yet"));
  }
  if (admission.reason === "approval_required") {
    const { approvalId, expiresAtMs } = admission;
    const server = facts.servers.join(", ");
    const why = verdict.reason;
    const request = { approvalId, expiresAtMs, metaTool: META_TOOL, toolId, server, why, args };
    const asked = await askApproval(request, context, ports);
    if (!asked.ok) return fail(notReady(handle, asked.reason));
  }
  return fail(refusalOf(admission, handle, META_TOOL));
}

function notReady(path: string, detail: string): GatewayFailure {
  return { reason: "not_ready", path, what: "principal", detail };
}

/** A view has none of its own. */
const NO_SCHEMA = "none";

/** Without a catalog a tool counts as lost: what is not known for certain errs on the safe side. */
async function factsOf(toolId: string, { catalogs, controls, servers }: GatewayPorts): Promise<ToolFacts> {
  const loaded = await catalogs.current();
  const tool = loaded.ok ? loaded.value.find(toolId) : undefined;
  return tool === undefined
    ? factsOfLostTool(toolId, servers)
    : factsOfTool(tool, controls.server(tool.server)?.trust_hints === true);
}
