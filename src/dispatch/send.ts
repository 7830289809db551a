import type { GatewayFailure } from "../errors.ts";
import { DID_YOU_MEAN_MAX_COUNT } from "../limits.ts";
import { fail, ok, type Result } from "../result.ts";
import type { Hydrated } from "./hydrate.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import type { KeptSession } from "./admission.ts";
import type {
  DispatchTool,
  ExecutePorts,
  RetryClock,
  Upstream,
  UpstreamCall,
  UpstreamReport,
} from "./ports.ts";
import { callWithRetries, type Tried } from "./retry.ts";

/** A call made: what came of it, and what has become of the upstream's session. */
export interface Sent extends Pick<Tried, "session" | "attempts" | "overcome" | "knowledge" | "wanted"> {
  readonly result: Result<Readonly<Record<string, unknown>>, GatewayFailure>;
}

type SendPorts<Tool extends DispatchTool> = Pick<
  ExecutePorts<Tool, unknown>,
  "catalogs" | "sees" | "controls" | "largeSinks" | "request" | "onProgress" | "mayRetry"
> &
  RetryClock;

/**
 * Calls the upstream, on the kept session where there is one, as often as it may be tried. A server that does not know a
 * tool of the catalog is told to the model as the missing tool that it is, and the catalog is refreshed behind the answer.
 * The JSON-RPC ids of its tries are made of `attempt`, so that whoever knows it can cancel them at the upstream.
 */
export async function send<Tool extends DispatchTool>(
  { catalog, tool, definition }: Hydrated<Tool>,
  args: Readonly<Record<string, unknown>>,
  attempt: string,
  upstream: Upstream,
  session: KeptSession | undefined,
  replay: ReplayContract,
  ports: SendPorts<Tool>,
): Promise<Sent> {
  const { catalogs, sees, controls, onProgress, mayRetry } = ports;
  const sinks = ports.largeSinks?.(tool, upstream.timeoutMs);
  const call = {
    ...ports.request(tool, definition, args),
    ...(sinks === undefined ? {} : { sinks }),
    ...(onProgress === undefined ? {} : { onProgress }),
  };
  const once = (kept: KeptSession | undefined, timeoutMs: number | undefined, nth: number) => {
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    return callSafely(upstream, { ...call, ...limit, session: kept, requestId: requestIdOf(attempt, nth) });
  };
  const terms = {
    contract: replay,
    timeoutMs: upstream.timeoutMs,
    settings: controls.gateway.retry,
    ...(mayRetry === undefined ? {} : { mayTry: (nth: number) => mayRetry(requestIdOf(attempt, nth)) }),
  };
  const { answer, ...sent } = await callWithRetries(once, session, terms, ports);
  if (answer.ok) return { ...sent, result: ok(answer.value) };
  const failure = answer.reason;
  const unknown = failure.reason === "unknown_tool";
  if (unknown) catalogs.refreshSoon(`the upstream does not know ${tool.id}`);
  const others = (id: string): boolean => id !== tool.id && sees(id);
  const problem: GatewayFailure = {
    reason: "upstream",
    path: tool.id,
    failure,
    replay,
    ...(sent.wanted === undefined ? {} : { wanted: sent.wanted }),
    didYouMean: unknown ? catalog.similar(tool.id, DID_YOU_MEAN_MAX_COUNT, others) : [],
  };
  return { ...sent, result: fail(problem) };
}

/** The id that an upstream sees of a call's nth try, counted from 1. */
function requestIdOf(attempt: string, nth: number): string {
  return nth === 1 ? attempt : `${attempt}:${nth}`;
}

/** A port that throws has failed somewhere on the way: whether the tool ran is then anybody's guess. */
async function callSafely(upstream: Upstream, call: UpstreamCall): Promise<UpstreamReport> {
  try {
    return await upstream.call(call);
  } catch (error) {
    return {
      answer: fail({ reason: "protocol", outcome: "unknown", detail: String(error) }),
      session: null,
    };
  }
}
