import { memberOf } from "../json.ts";
import { IDEMPOTENCY_KEY_MAX_CHARS } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import { isRequestId, requestIdKey } from "../spine/frame/request-id.ts";
import type { CallLine, CallOrigin, RpcProblem, Surface } from "../surface.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../spine/frame/rpc-code.ts";

/** Where a caller says that two calls are one. */
const IDEMPOTENCY_KEY = "loomgate/idempotency-key";

/**
 * Answers one request of those that a surface serves, whatever era it came in: its result, or its error. `hasNeighbours`: other
 * requests' answers wait for it.
 */
export async function serve<Context>(
  request: unknown,
  surface: Surface<Context>,
  context: Context,
  line: CallLine,
  hasNeighbours = false,
): Promise<Result<object, RpcProblem>> {
  const method = memberOf(request, "method");
  const params = memberOf(request, "params");
  switch (method) {
    case "tools/list":
      return listTools(params, surface, context);
    case "tools/call":
      return callTool(request, params, surface, context, line, hasNeighbours);
    default: {
      // Reads alone are asked this way: to make two of them one would be to answer with what was read before.
      const origin = {
        requestKey: requestKeyOf(request),
        idempotencyKey: null,
        ...amongOthers(hasNeighbours),
      };
      const answer =
        typeof method === "string" ? await surface.request?.(method, params, context, origin) : undefined;
      return answer ?? fail({ code: METHOD_NOT_FOUND, message: "Method not found" });
    }
  }
}

async function listTools<Context>(
  params: unknown,
  surface: Surface<Context>,
  context: Context,
): Promise<Result<object, RpcProblem>> {
  const cursor = memberOf(params, "cursor");
  if (cursor !== undefined && typeof cursor !== "string") return invalid("params.cursor must be a string");
  return surface.tools(context, cursor);
}

async function callTool<Context>(
  request: unknown,
  params: unknown,
  surface: Surface<Context>,
  context: Context,
  line: CallLine,
  hasNeighbours: boolean,
): Promise<Result<object, RpcProblem>> {
  const name = memberOf(params, "name");
  if (typeof name !== "string") return invalid("params.name must be a string");
  const idempotencyKey = idempotencyKeyOf(params);
  if (!idempotencyKey.ok) return idempotencyKey;
  const origin = {
    requestKey: requestKeyOf(request),
    idempotencyKey: idempotencyKey.value,
    ...amongOthers(hasNeighbours),
  };
  const answer = await surface.call(name, memberOf(params, "arguments") ?? {}, context, origin, line);
  return answer === undefined ? invalid("Unknown tool") : ok(answer);
}

function amongOthers(hasNeighbours: boolean): Pick<CallOrigin, "hasNeighbours"> {
  return hasNeighbours ? { hasNeighbours } : {};
}

function requestKeyOf(request: unknown): string | null {
  const id = memberOf(request, "id");
  return isRequestId(id) ? requestIdKey(id) : null;
}

/** A key that cannot be one is refused: a caller that relies on it must not learn by a second execution that it did not count. */
function idempotencyKeyOf(params: unknown): Result<string | null, RpcProblem> {
  const key = memberOf(memberOf(params, "_meta"), IDEMPOTENCY_KEY);
  if (key === undefined) return ok(null);
  if (typeof key === "string" && key !== "" && key.length <= IDEMPOTENCY_KEY_MAX_CHARS) return ok(key);
  const wanted = `a string of 1 to ${IDEMPOTENCY_KEY_MAX_CHARS} characters`;
  return invalid(`params._meta["${IDEMPOTENCY_KEY}"] must be ${wanted}`);
}

function invalid(message: string): Result<never, RpcProblem> {
  return fail({ code: INVALID_PARAMS, message });
}
