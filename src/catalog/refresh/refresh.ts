import { REFRESH_SERVERS_AT_ONCE_COUNT, REPORT_ENTRIES_MAX_COUNT } from "../../limits.ts";
import { fail } from "../../result.ts";
import { compose, type Composed, type ComposePart, type KeyedTool } from "./compose.ts";
import { ingestServer } from "./ingest.ts";
import { publishCatalog } from "./publish.ts";
import type { Pointer } from "../snapshot/pointer.ts";
import type { ServerReport } from "./refresh-contract.ts";
import type { Listing, RefreshPorts } from "./refresh-ports.ts";
import type { CatalogSettings, ServerSettings } from "./settings.ts";

/** What one run came to. */
export interface RefreshOutcome {
  readonly pointer: Pointer | null;
  readonly changed: boolean;
  readonly servers: readonly ServerReport[];
  /** Why there is no new catalog although something is new, in public words. */
  readonly failure?: string;
  /** Something is written half-way: run again soon. */
  readonly unfinished: boolean;
}

/** One server after its listing: what is used of it, and the failure if that is not fresh. */
interface Listed {
  readonly server: ServerSettings;
  readonly listing: Listing | undefined;
  readonly tools: readonly KeyedTool[];
  readonly failure: string | undefined;
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
    return fail({ message: "the server could not be listed", detail: String(error) });
  }
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
  const raw = await listSafely(server.name, ports);
  const failed = (failure: string, detail: string): Listed => {
    ports.log(`${server.name}: ${failure}: ${detail}`);
    const listing = store.listing(server.source);
    return { server, listing, tools: recalled(listing, ports), failure };
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
  return { server, listing: ingested.value, tools: ingested.value.tools, failure: undefined };
}

/** Lists all servers. The counter is let go with it: once it has counted, its tables are large. */
function listServers(servers: readonly ServerSettings[], ports: RefreshPorts): Promise<Listed[]> {
  const counter = ports.createCounter();
  return eachAtMost(REFRESH_SERVERS_AT_ONCE_COUNT, servers, (server) => listServer(server, ports, counter));
}

function reportOf(listed: Listed, composed: Composed["servers"][number]): ServerReport {
  const reason = composed.tooLarge ? "the catalog would become too large" : listed.failure;
  const { skipped = [], findings = [], omitted: before = 0 } = listed.listing ?? {};
  const all = [...skipped, ...composed.skipped];
  const omitted = before + Math.max(0, all.length - REPORT_ENTRIES_MAX_COUNT);
  const isFailed = composed.tooLarge || (listed.failure !== undefined && listed.listing === undefined);
  return {
    name: listed.server.name,
    status: isFailed ? "failed" : listed.failure === undefined ? "ok" : "stale",
    tools: composed.tools,
    skipped: all.slice(0, REPORT_ENTRIES_MAX_COUNT),
    findings,
    ...(omitted > 0 ? { omitted } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}

function partOf({ server, listing, tools }: Listed): ComposePart {
  return { name: server.name, mode: server.mode, tools: listing === undefined ? null : tools };
}

/**
 * One refresh: lists every server, judges what is new, and publishes the catalog if its content changed. Failures of a
 * server stay with that server, unless it is required: then the whole catalog stays as it was. Never throws.
 */
export async function runRefresh(settings: CatalogSettings, ports: RefreshPorts): Promise<RefreshOutcome> {
  const listed = await listServers(settings.servers, ports);
  const composed = compose(listed.map(partOf));
  const servers = listed.flatMap((each, at) => {
    const part = composed.servers[at];
    return part === undefined ? [] : [reportOf(each, part)];
  });
  const before = ports.store.published(settings.hash)?.pointer ?? null;
  const missing = servers
    .filter((_, at) => settings.servers[at]?.required === true)
    .find(({ status }) => status !== "ok");
  if (missing !== undefined) {
    const failure = `the required server ${missing.name} failed`;
    return { pointer: before, changed: false, servers, failure, unfinished: false };
  }
  const stale = servers.filter(({ status }) => status === "stale").map(({ name }) => name);
  try {
    const published = await publishCatalog(settings.hash, composed.tools, stale, ports);
    if (!published.ok) {
      return { pointer: before, changed: false, servers, failure: published.reason, unfinished: false };
    }
    return { ...published.value, servers };
  } catch (error) {
    ports.log(`the catalog could not be written: ${String(error)}`);
    const pointer = ports.store.published(settings.hash)?.pointer ?? null;
    const failure = "the catalog could not be written";
    return {
      pointer,
      changed: pointer?.generation !== before?.generation,
      servers,
      failure,
      unfinished: true,
    };
  }
}
