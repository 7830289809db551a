import type { MiddlewareHandler } from "hono";
import { exactJsonText } from "../exact-json/write.ts";
import { type PdppProblem, wireProblem } from "../records/problem.ts";
import type { HttpContext, HttpEnv } from "./bindings.ts";

const PDPP_VERSION = "2026-04-06";
const CONTENT_TYPE = "application/json; charset=utf-8";

/** Whether a path belongs to the read surface, on which every answer and every refusal has PDPP's shape. */
export function speaksPdpp({ path }: HttpContext["req"]): boolean {
  return path === "/mcp/records" || path === "/v1" || path.startsWith("/v1/");
}

/** Stands before everything else, so that what is refused first is named and marked like the rest. */
export const markPdpp: MiddlewareHandler<HttpEnv> = async function markPdpp(c, next) {
  if (!speaksPdpp(c.req)) return next();
  c.set("requestId", crypto.randomUUID());
  await next();
  c.res.headers.set("Request-Id", c.get("requestId"));
  c.res.headers.set("PDPP-Version", PDPP_VERSION);
  return undefined;
};

/** A body as PDPP's servers write it; a number leaves as it was written, whatever its size. */
export function pdppJson(
  body: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(exactJsonText(body), { status, headers: { ...headers, "Content-Type": CONTENT_TYPE } });
}

export function pdppProblem(
  c: HttpContext,
  problem: PdppProblem,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status, error } = wireProblem(problem);
  return pdppJson({ error: { ...error, request_id: c.get("requestId") } }, status, headers);
}
