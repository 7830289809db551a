/** The bodies of refusals, by their contract. They tell nothing of the reason. */
export const UNAUTHORIZED = { error: "unauthorized" };
export const FORBIDDEN = { error: "forbidden" };
export const NOT_FOUND = { error: "not_found" };
export const METHOD_NOT_ALLOWED = { error: "method_not_allowed" };
export const TOO_LARGE = { error: "too_large" };
export const RATE_LIMITED = { error: "rate_limited" };
export const UNAVAILABLE = { error: "unavailable" };

/** A JSON-RPC error for a request that was not read far enough to know its id. */
export function rpcError(status: number, code: number, message: string, headers?: HeadersInit): Response {
  return Response.json(
    { jsonrpc: "2.0", error: { code, message }, id: null },
    { status, ...(headers && { headers }) },
  );
}
