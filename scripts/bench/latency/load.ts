import autocannon from "autocannon";
import type { Endpoint } from "./endpoint.ts";
import { faultOf } from "./endpoint.ts";

const FAULT_MAX_CHARS = 300;

/** What one endpoint answers under load. */
export interface LoadFigures {
  readonly connections: number;
  readonly requests_per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Answers that are no success: by HTTP status, or an error inside. */
  readonly failed: number;
  /** Of the first one, for the person. */
  readonly fault: string | undefined;
}

/** As many requests as the connections can carry, each waiting for its answer, for some seconds. */
export async function load(
  endpoint: Endpoint,
  options: { readonly connections: number; readonly seconds: number; readonly signal: AbortSignal },
): Promise<LoadFigures> {
  const { connections, seconds, signal } = options;
  signal.throwIfAborted();
  let [failed, fault]: [number, string | undefined] = [0, undefined];
  const running = autocannon({
    url: endpoint.url,
    method: "POST",
    headers: endpoint.headers,
    body: endpoint.body("[<id>]"),
    idReplacement: true,
    connections,
    duration: seconds,
    setupClient: (client) => {
      // A body comes in pieces; a client has one request under way at a time.
      let pieces: Buffer[] = [];
      client.on("body", (piece) => pieces.push(piece));
      client.on("response", (status) => {
        const body = Buffer.concat(pieces).toString();
        pieces = [];
        const isGood = status >= 200 && status < 300 && faultOf(body) === undefined;
        if (isGood) return;
        failed += 1;
        fault ??= `HTTP ${status}: ${body.slice(0, FAULT_MAX_CHARS)}`;
      });
    },
  });
  const stop = (): void => running.stop();
  signal.addEventListener("abort", stop);
  const { requests, duration, latency, errors } = await running;
  signal.removeEventListener("abort", stop);
  signal.throwIfAborted();
  return {
    connections,
    requests_per_second: requests.total / duration,
    p50_ms: latency.p50,
    p99_ms: latency.p99,
    failed: failed + errors,
    fault: fault ?? (errors > 0 ? "a connection failed" : undefined),
  };
}
