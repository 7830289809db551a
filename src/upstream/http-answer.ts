import { UPSTREAM_ERROR_BODY_MAX_BYTES, UPSTREAM_ERROR_BODY_MAX_MS } from "../limits.ts";
import { isRecord } from "../json.ts";
import { readPrefix } from "./body.ts";
import { startDeadline } from "./deadline.ts";
import { retryAfterSeconds } from "./retry-after.ts";
import type { RpcError, WireFault } from "./wire-fault.ts";

/** The media type of a response without its parameters, lower-cased; empty when there is none. */
export function mediaType(response: Response): string {
  const header = response.headers.get("content-type") ?? "";
  return (header.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/** What a refusing status says, with the beginning of its body read for a JSON-RPC error and for the log. */
export async function statusFault(
  response: Response,
  signal: AbortSignal,
  requestId: string | undefined,
  nowMs: number,
): Promise<WireFault> {
  const brief = startDeadline(UPSTREAM_ERROR_BODY_MAX_MS, signal);
  const text = await readPrefix(response, brief.signal, UPSTREAM_ERROR_BODY_MAX_BYTES);
  brief.stop();
  return {
    kind: "status",
    status: response.status,
    retryAfterSeconds: retryAfterSeconds(response.headers.get("retry-after"), nowMs),
    rpc: rpcErrorIn(text, requestId),
    challenged: response.headers.has("www-authenticate"),
    speaksOfSession: /session/i.test(text),
    detail: `HTTP ${response.status}: ${text}`,
  };
}

function rpcErrorIn(text: string, requestId: string | undefined): RpcError | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(body) || !isRecord(body["error"])) return null;
  const { code, message } = body["error"];
  if (!Number.isInteger(code) || typeof code !== "number") return null;
  const ours = requestId !== undefined && body["id"] === requestId;
  return { code, message: typeof message === "string" ? message : "", ours };
}
