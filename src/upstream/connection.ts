import { UPSTREAM_CANCEL_MAX_MS, UPSTREAM_CANCEL_REASON_MAX_CHARS } from "../limits.ts";
import type { LargeSinks } from "../large-result.ts";
import type { Progress } from "../surface.ts";
import { cutAtCodePoint } from "../code-points.ts";
import { isRecord } from "../json.ts";
import type { Asked } from "./classify.ts";
import type { EraConnection } from "./era.ts";
import { trackSinks } from "./large/tracked-sinks.ts";
import { legacyEra } from "./legacy.ts";
import { courtesy, inBackground, operate, type Operation } from "./operation.ts";
import type { UpstreamSession } from "./session.ts";
import type { UpstreamIo, UpstreamReport, UpstreamTarget } from "./upstream-io.ts";

/** One request of a caller's. */
export interface UpstreamCall {
  readonly method: "tools/call" | "resources/read" | "prompts/get" | "completion/complete";
  readonly params: Readonly<Record<string, unknown>>;
  /**
   * Where payloads of a `tools/call` or `resources/read` go that are too large to hold; without it an answer past
   * `UPSTREAM_ANSWER_MAX_BYTES` is a fault, and so it is of the other methods.
   */
  readonly sinks?: LargeSinks;
  /** The JSON-RPC id on the wire, unique for ever; without it one is made. */
  readonly requestId?: string;
  /** Asks for progress, and is told of it as it comes; `_meta.progressToken` is the request's own id. */
  readonly onProgress?: (progress: Progress) => void;
  /** Told of a session that had to be opened, before the request leaves. */
  readonly onSession?: (session: UpstreamSession) => void;
}

/**
 * Sends one request: one POST on a kept session, three without. The value is the result as it came, `isError` ones
 * included. A refused session is replaced once, under the same id: nothing ran.
 */
export async function callUpstream(
  target: UpstreamTarget,
  session: UpstreamSession | undefined,
  call: UpstreamCall,
  io: UpstreamIo,
): Promise<UpstreamReport<Record<string, unknown>>> {
  const { method, onProgress, onSession } = call;
  const id = call.requestId ?? io.newId();
  const params = onProgress === undefined ? { ...call.params } : withProgressToken(call.params, id);
  const sending = onProgress === undefined ? { id } : { id, onProgress };
  const job = (connection: EraConnection) => connection.request(method, params, sending);
  const asked = askedIn(call);
  const operation: Operation<Record<string, unknown>> = {
    job,
    ...(asked === undefined ? {} : { asked }),
    ...(onSession === undefined ? {} : { onSession }),
  };
  const sinks = call.sinks === undefined ? undefined : trackSinks(call.sinks);
  const report = await operate(
    target,
    session,
    io,
    sinks === undefined ? operation : { ...operation, sinks },
  );
  if (!report.answer.ok && sinks !== undefined) await inBackground(sinks.abandon(), io);
  leaveOff(target, id, report, io);
  return report;
}

/**
 * A server that let the deadline pass is told that nobody waits any more (MCP 2025-11-25, "Timeouts"), behind the answer: it may
 * be at work for hours yet. Whether it had done its work remains unknown.
 */
function leaveOff(
  target: UpstreamTarget,
  requestId: string,
  { answer, session }: UpstreamReport<unknown>,
  io: UpstreamIo,
): void {
  if (answer.ok || answer.reason.reason !== "timeout" || answer.reason.outcome !== "unknown") return;
  if (session !== null) io.background?.(cancelRequest(target, session, requestId, "timed out", io));
}

/**
 * Tells the upstream that nobody waits for a request any more (MCP, "Cancellation"), on the session that the request is
 * on: no other is opened for it. Never fails, and takes `UPSTREAM_CANCEL_MAX_MS` at most.
 */
export async function cancelRequest(
  target: UpstreamTarget,
  session: UpstreamSession,
  requestId: string,
  reason: string | undefined,
  io: UpstreamIo,
): Promise<void> {
  const words =
    reason === undefined ? {} : { reason: cutAtCodePoint(reason, UPSTREAM_CANCEL_REASON_MAX_CHARS) };
  const params = { requestId, ...words };
  await courtesy(target, io, UPSTREAM_CANCEL_MAX_MS, (options) =>
    legacyEra.notify(options, session, "notifications/cancelled", params),
  );
}

function withProgressToken(
  params: Readonly<Record<string, unknown>>,
  token: string,
): Record<string, unknown> {
  const meta = params["_meta"];
  return { ...params, _meta: { ...(isRecord(meta) && meta), progressToken: token } };
}

function askedIn({ method, params }: UpstreamCall): Asked | undefined {
  if (method === "completion/complete") return undefined;
  const name = params[method === "resources/read" ? "uri" : "name"];
  return typeof name === "string" ? { method, name } : undefined;
}
