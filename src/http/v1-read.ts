import type { RouteClass } from "../access/routes.ts";
import { V1_PATH_MAX_SEGMENTS, V1_URL_MAX_CHARS } from "../limits/records.ts";
import { problem, type PdppProblem } from "../records/problem.ts";
import { answerRead } from "../records/server/route.ts";
import { KEYED_RECORD, type ReadRequest } from "../records/source/read-source.ts";
import { fail, ok, type Result } from "../result.ts";
import { refuse } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { pdppJson, pdppProblem } from "./pdpp.ts";
import { serverPorts } from "./records-ports.ts";
import { operationAt, readingOf, recordsTeller, rowsOf } from "./records-telling.ts";

const INGEST = /^\/v1\/ingest\/[^/]+$/;

/** Writing is the owner's alone; everything else under `/v1` is a read, or nothing. */
export function v1Route({ req }: HttpContext): RouteClass {
  return req.method === "POST" && INGEST.test(req.path) ? "v1_ingest" : "v1_read";
}

/** `GET /v1/…`: the embedded resource server, over everything that the bearer's grants cover there. */
export async function readRecords(c: HttpContext): Promise<Response> {
  if (INGEST.test(c.req.path)) return methodNotAllowed(c, "POST");
  const request = readRequest(c.req.url);
  if (!request.ok) return pdppProblem(c, request.reason);
  const caller = c.get("caller");
  if (caller.kind !== "bearer") return refuse(c, "forbidden");
  const tell = recordsTeller(c, caller.claims, readingOf(c));
  const call = {
    operation: operationAt(request.value),
    via: "rest",
    stream: request.value.path[1],
    connection: request.value.query.find(([name]) => name === "connection_id")?.[1],
  } as const;
  const answer = await answerRead(request.value, serverPorts(c, c.get("reader").whole));
  if (answer.ok) {
    const { body } = answer.value;
    tell(call, { ok: true, rows: rowsOf(body) });
    return pdppJson(body);
  }
  const refused = pdppProblem(c, answer.reason);
  tell(call, { ok: false, code: answer.reason.code, status: refused.status });
  return refused;
}

/** Any other method under `/v1`. */
export function refuseMethod(c: HttpContext): Response {
  return methodNotAllowed(c, INGEST.test(c.req.path) ? "POST" : "GET");
}

function methodNotAllowed(c: HttpContext, allowed: string): Response {
  return refuse(c, "method_not_allowed", { headers: { Allow: allowed } });
}

/**
 * The path segment by segment, each decoded on its own: `%2F` is a character of a record's key and no separator. A dot
 * segment is gone before anybody sees it (WHATWG URL): a key that is one comes as a parameter.
 */
export function readRequest(url: string): Result<ReadRequest, PdppProblem> {
  if (url.length > V1_URL_MAX_CHARS) return fail(problem("invalid_request", "The address is too long."));
  const { pathname, search, searchParams } = new URL(url);
  const [, , ...segments] = pathname.split("/", V1_PATH_MAX_SEGMENTS + 3);
  if (segments.length > V1_PATH_MAX_SEGMENTS) {
    return fail(problem("not_found", "There is nothing at this path."));
  }
  const path: string[] = [];
  for (const segment of segments) {
    const decoded = decode(segment);
    if (decoded === undefined) {
      return fail(problem("invalid_request", "The path is not percent-encoded UTF-8."));
    }
    path.push(decoded);
  }
  return ok({ ...withKey({ path, query: [...searchParams] }), asked: `${pathname}${search}` });
}

/** `streams/S/record?key=K` is `streams/S/records/K`. A second key is a parameter that nobody takes. */
function withKey({ path, query }: ReadRequest): ReadRequest {
  const [head = "", stream = "", last] = path;
  const at = query.findIndex(([name]) => name === "key");
  const key = query[at]?.[1];
  if (path.length !== 3 || last !== KEYED_RECORD || key === undefined) return { path, query };
  return { path: [head, stream, "records", key], query: query.toSpliced(at, 1) };
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
