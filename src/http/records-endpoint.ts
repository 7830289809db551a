import { answerLegacy } from "../mcp/legacy.ts";
import type { RecordsContext } from "../records/adapter/context.ts";
import { problem } from "../records/problem.ts";
import type { Surface } from "../surface.ts";
import { refuse } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { serveMcp } from "./mcp-post.ts";
import { pdppProblem } from "./pdpp.ts";
import { sourceOf } from "./records-ports.ts";
import { toldSurface } from "./records-telling.ts";

/**
 * `/mcp/records`: the five tools over what the bearer's grants cover. No session, and nothing is admitted by the principal's
 * object: what counts here is in D1 and was asked before.
 */
export function recordsEndpoint(surface: Surface<RecordsContext>) {
  return serveMcp({
    post: async (c, claims, { body }) => {
      const source = sourceOf(c, c.get("reader"));
      if (source === undefined) return pdppProblem(c, NO_SOURCE);
      const context = { source, baseUrl: `${new URL(c.req.url).origin}/v1` };
      return answerLegacy(c.req, body, toldSurface(surface, c, claims), context, {
        waitUntil: (work) => {
          c.executionCtx.waitUntil(work);
        },
        refusal: () => undefined,
      });
    },
    methodNotAllowed: (c: HttpContext) => refuse(c, "method_not_allowed", { headers: { Allow: "POST" } }),
  });
}

const NO_SOURCE = problem(
  "permission_error",
  "What this bearer was granted is no source of this deployment any more: ask the operator for another.",
);
