import { REFRESH_SERVERS_AT_ONCE_COUNT } from "../../limits.ts";
import { fail } from "../../result.ts";
import { createFault, type Fault } from "../../spine/fault/fault.ts";
import { GENESIS } from "../../spine/fault/generation.ts";
import type { KeyedTool } from "./compose.ts";
import { ingestServer } from "./ingest.ts";
import type { Listing, RefreshPorts } from "./refresh-ports.ts";
import type { ServerSettings } from "./settings.ts";

/** A server that was asked for its tools, for its account: how long it took, and the fault where it gave no list. */
export interface ListingCall {
  readonly server: string;
  readonly latencyMs: number;
  readonly fault?: Fault;
}

/** One server after its listing: what is used of it, and the failure if that is not fresh. */
export interface Listed {
  readonly server: ServerSettings;
  readonly listing: Listing | undefined;
  readonly tools: readonly KeyedTool[];
  readonly failure: string | undefined;
  /** Absent where nothing was sent. */
  readonly call: ListingCall | undefined;
}

/** Runs the work of each item, at most so many side by side, and keeps the order of the items. */
async function eachAtMost<Item, Value>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of queue) values[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return values;
}

async function listSafely(server: string, ports: RefreshPorts): ReturnType<RefreshPorts["list"]> {
  try {
    return await ports.list(server);
  } catch (error) {
    const message = "the server could not be listed";
    const fault = createFault({ generation: GENESIS, class: "invariant", code: "internal", detail: message });
    return fail({ message, detail: String(error), fault });
  }
}

/** The listing as it came, and what the server's account is told of it. */
async function listTimed(server: string, ports: RefreshPorts) {
  const startedAtMs = ports.nowMs();
  const raw = await listSafely(server, ports);
  const timed = { server, latencyMs: Math.max(0, ports.nowMs() - startedAtMs) };
  const fault = raw.ok ? undefined : raw.reason.fault;
  const call: ListingCall | undefined = raw.ok ? timed : fault && { ...timed, fault };
  return { raw, call };
}

/** The tools of a last good listing; of one that an older version kept, from their judgements. */
function recalled(listing: Listing | undefined, ports: RefreshPorts): readonly KeyedTool[] {
  if (listing?.tools !== undefined) return listing.tools;
  return (listing?.keys ?? []).flatMap((key): KeyedTool[] => {
    const judged = ports.store.recall(key);
    return judged?.kind === "accepted" ? [{ ...judged, key }] : [];
  });
}

/**
 * Lists and judges one server. The judging pauses, so that the object answers others meanwhile: none of them deletes what
 * was judged, since rows are swept by the run alone, after all of its listings are saved. Whatever is wrong with the answer,
 * the last good listing stays.
 */
async function listServer(
  server: ServerSettings,
  ports: RefreshPorts,
  counter: ReturnType<RefreshPorts["createCounter"]>,
): Promise<Listed> {
  const { store } = ports;
  const { raw, call } = await listTimed(server.name, ports);
  const failed = (failure: string, detail: string): Listed => {
    ports.log(`${server.name}: ${failure}: ${detail}`);
    const listing = store.listing(server.source);
    return { server, listing, tools: recalled(listing, ports), failure, call };
  };
  if (!raw.ok) return failed(raw.reason.message, raw.reason.detail);
  const ingested = await ingestServer(raw.value, server, {
    counter,
    lint: ports.lint,
    pause: ports.pause,
    last: () => store.listing(server.source),
    recall: (key) => store.recall(key),
    keep: (key, judged, parts) => {
      store.keep(key, judged, parts);
    },
  });
  if (!ingested.ok)
    return failed(`two tools of the server have the id ${ingested.reason.id}`, ingested.reason.reason);
  store.saveListing(server.source, ingested.value, ports.nowMs());
  return { server, listing: ingested.value, tools: ingested.value.tools, failure: undefined, call };
}

/** Lists all servers. The counter is let go with it: once it has counted, its tables are large. */
export function listServers(servers: readonly ServerSettings[], ports: RefreshPorts): Promise<Listed[]> {
  const counter = ports.createCounter();
  return eachAtMost(REFRESH_SERVERS_AT_ONCE_COUNT, servers, (server) => listServer(server, ports, counter));
}
