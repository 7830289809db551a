import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import { untilStopped } from "../../capture/until-stopped.ts";
import { Told } from "../../command-line.ts";
import { percentile } from "../figures/percentiles.ts";
import { type BenchWorker, withBenchWorker } from "./bench-worker.ts";
import { callOnce, closeSession, type Endpoint, openSession } from "./endpoint.ts";
import { load, type LoadFigures } from "./load.ts";

/** A tool of the demo that does next to nothing, so that what is around it shows. */
const TOOL = "echo";
const ARGS = { message: "bench" };
const QUERY = "read a text file";
const WARM_UP_CALLS = 30;
const CONNECTIONS = [8, 64];

export interface Wall {
  readonly p50: number;
  readonly p95: number;
}

/** Milliseconds by the clock. */
export interface CallFigures {
  readonly calls: number;
  readonly direct_ms: Wall;
  readonly gateway_ms: Wall;
  /** Of the differences between a call through the gateway and the direct one beside it. */
  readonly added_ms: Wall;
}

export interface LatencyFigures {
  readonly tool: string;
  readonly execute: CallFigures;
  readonly load: readonly (LoadFigures & { readonly what: string })[];
}

export interface LatencyEffort {
  readonly calls: number;
  /** Of each load. */
  readonly seconds: number;
}

/** Measures a Worker under `wrangler dev` beside the server behind it. Ends all that it started, also when stopped. */
export async function measureLatency(
  { calls, seconds }: LatencyEffort,
  progress: (line: string) => void,
): Promise<LatencyFigures> {
  return untilStopped((signal) =>
    withBenchWorker(signal, async (worker) => {
      const { direct, execute, browse } = await endpoints(worker);
      progress("latency: calls one after another");
      const alternated = await alternate(direct, execute, calls, signal);
      const loads: (LoadFigures & { what: string })[] = [];
      const all = { "the server itself": direct, tool_execute: execute, tool_browse: browse };
      for (const [what, endpoint] of Object.entries(all)) {
        for (const connections of CONNECTIONS) {
          progress(`latency: ${what} at ${connections} connections`);
          loads.push({ what, ...(await load(endpoint, { connections, seconds, signal })) });
        }
      }
      for (const endpoint of [execute, direct]) await closeSession(endpoint);
      return { tool: `${worker.server.name}:${TOOL}`, execute: alternated, load: loads };
    }),
  );
}

async function endpoints({ gatewayUrl, token, server }: BenchWorker) {
  const directly = await openSession(server.url, { "x-api-key": server.key });
  const gateway = await openSession(gatewayUrl, { authorization: `Bearer ${token}` });
  const found = await callOnce(gateway("tool_browse", { query: TOOL, top_k: 10, render: "json" }), "find");
  const cards = memberOf(memberOf(found, "structuredContent"), "cards");
  const card = (isJsonArray(cards) ? cards : []).find(
    (each) => memberOf(each, "name") === TOOL && memberOf(each, "namespace") === server.name,
  );
  if (!isRecord(card)) throw new Told(`the gateway does not find ${server.name}'s ${TOOL}`);
  return {
    direct: directly(TOOL, ARGS),
    execute: gateway("tool_execute", { tool_id: card["id"], args: ARGS }),
    browse: gateway("tool_browse", { query: QUERY }),
  };
}

/** Direct and through the gateway by turns, so that whatever the machine does meanwhile hits both. */
async function alternate(
  direct: Endpoint,
  execute: Endpoint,
  calls: number,
  signal: AbortSignal,
): Promise<CallFigures> {
  const times: { direct: number; gateway: number }[] = [];
  for (let call = -WARM_UP_CALLS; call < calls; call += 1) {
    signal.throwIfAborted();
    const ways = { direct, gateway: execute };
    const order = call % 2 === 0 ? (["direct", "gateway"] as const) : (["gateway", "direct"] as const);
    const pair = { direct: 0, gateway: 0 };
    for (const way of order) {
      const begun = performance.now();
      await callOnce(ways[way], `${way} ${call}`);
      pair[way] = performance.now() - begun;
    }
    if (call >= 0) times.push(pair);
  }
  return {
    calls,
    direct_ms: wall(times.map((pair) => pair.direct)),
    gateway_ms: wall(times.map((pair) => pair.gateway)),
    added_ms: wall(times.map((pair) => pair.gateway - pair.direct)),
  };
}

function wall(times: readonly number[]): Wall {
  return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
}
