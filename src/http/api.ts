import type { Handler } from "hono";
import type { ErrorCode } from "../errors.ts";
import { type JsonObject, memberOf } from "../json.ts";
import type { ApiAnswer, SelectionApi } from "../gateway/selection-api.ts";
import { refuse } from "./answers.ts";
import { unauthorized } from "./authenticate.ts";
import type { HttpContext, HttpEnv } from "./bindings.ts";
import { readJson } from "./request-body.ts";
import { HttpRequestContext } from "./request-context.ts";

/**
 * One of the two routes under `/api`: a POST of JSON, read whatever its content type says, since the bearer is asked for
 * and no page's form can send one. There is no session; the principal is the key.
 */
export function apiEndpoint(
  apiOf: (c: HttpContext) => SelectionApi,
  operation: keyof SelectionApi,
): Handler<HttpEnv> {
  return async function apiEndpoint(c) {
    const caller = c.get("caller");
    if (caller.kind !== "bearer") return refuse(c, "forbidden");
    if (c.req.method !== "POST") return refuse(c, "method_not_allowed", { headers: { Allow: "POST" } });
    const body = await readJson(c);
    if (!body.ok) return refuse(c, "too_large");
    const context = new HttpRequestContext(c, caller.claims, null);
    const answer = await apiOf(c)[operation](body.value, context);
    return context.refusal === "token_revoked" ? unauthorized(c) : respond(answer);
  };
}

function respond(answer: ApiAnswer): Response {
  if (answer.ok) return Response.json(answer.value);
  const { code, body } = answer.reason;
  const status = statusOf(code);
  return Response.json(body, { status, headers: retryHeaders(status, body) });
}

function retryHeaders(status: number, body: JsonObject): Record<string, string> {
  if (status === 503) return { "Retry-After": "1" };
  const wait = memberOf(memberOf(body, "details"), "retry_after");
  return status === 429 && typeof wait === "number" ? { "Retry-After": String(Math.ceil(wait)) } : {};
}

/** The caller's fault, our own for now, or our own. */
function statusOf(code: ErrorCode): 400 | 429 | 503 | 500 {
  if (code === "ARGS_INVALID") return 400;
  if (code === "RATE_LIMITED") return 429;
  return code === "UPSTREAM_UNAVAILABLE" ? 503 : 500;
}
