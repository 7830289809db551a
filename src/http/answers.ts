import { problem, type PdppProblem } from "../records/problem.ts";
import type { HttpContext } from "./bindings.ts";
import { pdppProblem, speaksPdpp } from "./pdpp.ts";

/** The bodies of refusals on the surfaces that do not speak PDPP. They tell nothing of the reason. */
export const NOT_FOUND = { error: "not_found" };
export const TOO_LARGE = { error: "too_large" };
export const UNAVAILABLE = { error: "unavailable" };

/** A refusal that a route of any surface can meet: its status, and what PDPP says instead of the plain body. */
const REFUSALS = {
  unauthorized: {
    status: 401,
    pdpp: problem(
      "authentication_error",
      "A bearer of this deployment is needed that has neither expired nor been revoked.",
    ),
  },
  forbidden: {
    status: 403,
    pdpp: problem("permission_error", "Pages of this origin may not ask here, nor hosts of this name."),
  },
  not_found: { status: 404, pdpp: problem("not_found", "There is nothing at this path.") },
  method_not_allowed: { status: 405, pdpp: problem("method_not_allowed", "Not with this method.") },
  too_large: { status: 413, pdpp: problem("too_large", "The body is too large.") },
  rate_limited: {
    status: 429,
    pdpp: problem("rate_limit_exceeded", "Too many requests: wait a minute."),
  },
  internal: { status: 500, pdpp: problem("api_error", "This request met a fault of ours.") },
  unavailable: { status: 503, pdpp: problem("source_unavailable", "Not now: try again.") },
} as const satisfies Readonly<Record<string, { status: number; pdpp: PdppProblem }>>;

export type Refusal = keyof typeof REFUSALS;

/** Refuses a request in the shape of the surface that it was sent to. */
export function refuse(
  c: HttpContext,
  refusal: Refusal,
  { headers = {}, extra }: { headers?: Readonly<Record<string, string>>; extra?: PdppProblem["extra"] } = {},
): Response {
  const { status, pdpp } = REFUSALS[refusal];
  if (!speaksPdpp(c.req)) return c.json({ error: refusal }, status, headers);
  if (refusal === "forbidden" && isKnown(c)) return pdppProblem(c, wrongBearer(c.req), headers);
  return pdppProblem(c, extra === undefined ? pdpp : { ...pdpp, extra }, headers);
}

/** Who calls is looked at behind the origin. */
function isKnown(c: HttpContext): boolean {
  return Object.hasOwn(c.var, "caller");
}

/** The bearer is good, and of a kind that has no business here: which kind has, and how one is made. */
function wrongBearer({ path, method }: HttpContext["req"]): PdppProblem {
  if (method === "POST" && path.startsWith("/v1/ingest/")) return WRITERS;
  return path === "/mcp/records" ? MCP_READERS : REST_READERS;
}

const WRITERS = problem(
  "permission_error",
  "Writing takes an owner's bearer: npm run token -- create --name N --kind owner.",
);
const MCP_READERS = problem(
  "permission_error",
  "Reading here takes the bearer of a grant, no owner's or operator's: npm run grant -- create makes one.",
);
const REST_READERS = problem(
  "permission_error",
  "Reading here takes the bearer of a grant, or an owner's: npm run grant -- create makes one.",
);

/** A JSON-RPC error for a request that was not read far enough to know its id. */
export function rpcError(status: number, code: number, message: string, headers?: HeadersInit): Response {
  return Response.json(
    { jsonrpc: "2.0", error: { code, message }, id: null },
    { status, ...(headers && { headers }) },
  );
}
