import type { Catalog } from "../../catalog/catalog.ts";
import type { GatewayFailure } from "../../errors.ts";
import type { ListedForm } from "../../identity/listed-form.ts";
import { LIST_PAGE_MAX_COUNT } from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { RpcProblem, ToolPage } from "../../surface.ts";
import { withAdmittedCatalog } from "../admitted-catalog.ts";
import { admittedCall } from "../admitted-context.ts";
import { logFailure } from "../pipeline.ts";
import type { GatewayPorts } from "../ports.ts";
import type { RequestContext } from "../request-context.ts";
import { listCursor, readListCursor } from "./list-cursor.ts";
import { PROXY_TOOLS } from "./proxy-tools.ts";
import { internalError, invalidParams } from "./rpc-problem.ts";
import { strippedEntry } from "./stripped-entry.ts";

/**
 * A page of `/mcp/proxy`'s list: the meta-tools at its head, then every tool that exists for the caller, in the order of their
 * ids. It goes on behind the last id of the page before, whatever the catalog has become meanwhile: nothing is listed twice, and
 * nothing is lost of what stayed. Answered from no older catalog than the caller has met.
 */
export async function toolPage(
  cursor: string | undefined,
  names: ListedForm,
  request: RequestContext,
  ports: GatewayPorts,
): Promise<Result<ToolPage, RpcProblem>> {
  return admittedCall<Result<ToolPage, RpcProblem>>(
    async (context) => {
      const after = cursor === undefined ? undefined : readListCursor("tools", cursor);
      if (cursor !== undefined && after === undefined) return fail(invalidParams("Invalid cursor"));
      const page = await withAdmittedCatalog(
        {
          path: "",
          metaTool: "tools/list",
          make: async (catalog) => ok(pageOf(catalog, after, names, context, ports)),
          ask: (_page, { version }) => ({ catalogVersion: version }),
        },
        context,
        ports,
      );
      return page.ok ? ok(page.value.made) : fail(problemOf(page.reason, ports));
    },
    (failure) => fail(internalError(failure)),
    request,
    ports,
  );
}

function pageOf(
  catalog: Catalog,
  after: string | undefined,
  names: ListedForm,
  { sees }: Pick<RequestContext, "sees">,
  { scrubber }: Pick<GatewayPorts, "scrubber">,
): ToolPage {
  const head = after === undefined ? PROXY_TOOLS : [];
  const { tools, more } = catalog.page(after, LIST_PAGE_MAX_COUNT - head.length, sees);
  const last = tools.at(-1);
  return {
    tools: [...head, ...tools.map((tool) => strippedEntry(tool, names, scrubber))],
    ...(more && last !== undefined ? { nextCursor: listCursor("tools", last.id) } : {}),
  };
}

function problemOf(failure: GatewayFailure, ports: GatewayPorts): RpcProblem {
  logFailure(failure, ports);
  return internalError(failure);
}
