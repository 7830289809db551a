import { REFRESH_SERVERS_AT_ONCE_COUNT } from "../../limits.ts";
import { fail, type Result } from "../../result.ts";
import { createFault, type Fault } from "../../spine/fault/fault.ts";
import { GENESIS, type Generation } from "../../spine/fault/generation.ts";
import type { KeyedTool } from "./compose.ts";
import { type Ingested, ingestServer } from "./ingest.ts";
import { listPrimitives, type ListedPrimitives, recallPrimitives } from "./list-primitives.ts";
import type { ListedEntry } from "./listed-entry.ts";
import type { CounterFault, ListFailure, Listing, LoadedCounter, RefreshPorts } from "./refresh-ports.ts";
import type { PerKind } from "../snapshot/pointer.ts";
import type { ServerTargetSettings } from "../rollout/targets.ts";

/** A target that was asked for its tools: how long it took, and the fault where it gave no list. */
export interface ListingTime {
  readonly latencyMs: number;
  readonly fault?: Fault;
}

/** The same for the server's account, of the target that its calls went to then. */
export interface ListingCall extends ListingTime {
  readonly server: string;
  /** Absent in what was never another. */
  readonly generation?: Generation;
}

/** One target of a server after its listing: what is used of it, and the failure if that is not fresh. */
export interface Listed extends ServerTargetSettings {
  readonly listing: Listing | undefined;
  readonly tools: readonly KeyedTool[];
  /** What it has beside tools; absent kinds were never listed. */
  readonly kinds: PerKind<ListedPrimitives>;
  /** Of its tools. */
  readonly failure: string | undefined;
  /** Why something new could not be counted; absent where nothing was, or all of it could. No fault of the server's. */
  readonly uncounted?: CounterFault;
  /** Absent where nothing was sent. */
  readonly call: ListingTime | undefined;
}

/** In public words. */
export const UNCOUNTED = "what is new could not be counted: the token vocabulary cannot be used";

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

async function listSafely(
  { server, target }: ServerTargetSettings,
  ports: RefreshPorts,
): ReturnType<RefreshPorts["list"]> {
  try {
    return await ports.list(server.name, target);
  } catch (error) {
    const message = "the server could not be listed";
    const fault = createFault({ generation: GENESIS, class: "invariant", code: "internal", detail: message });
    const failed = fail({ message, detail: String(error), fault });
    return { tools: failed, resources: failed, templates: failed, prompts: failed };
  }
}

/** The listing as it came, and what the server's account is told of it. */
async function listTimed(place: ServerTargetSettings, ports: RefreshPorts) {
  const startedAtMs = ports.nowMs();
  const raw = await listSafely(place, ports);
  const timed = { latencyMs: Math.max(0, ports.nowMs() - startedAtMs) };
  const { tools } = raw;
  const fault = tools.ok ? undefined : tools.reason.fault;
  const call: ListingTime | undefined = tools.ok ? timed : fault && { ...timed, fault };
  return { raw, call };
}

/** What is known of a target without asking it; of its other kinds with who is stale (`recallPrimitives`). */
export function recallTarget(
  place: ServerTargetSettings,
  failure: string | undefined,
  ports: RefreshPorts,
  staleKinds?: PerKind<readonly string[]>,
): Listed {
  const listing = ports.store.listing(place.source);
  const kinds = recallPrimitives(place, ports, staleKinds);
  return { ...place, listing, tools: recalled(listing, ports), kinds, failure, call: undefined };
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
 * Lists and judges one target. The judging pauses, so that the object answers others meanwhile: none of them deletes what
 * was judged, since rows are swept by the run alone, after all of its listings are saved. Whatever is wrong with the answer,
 * the last good listing stays.
 */
async function listTarget(place: ServerTargetSettings, ports: RefreshPorts): Promise<Listed> {
  const { store } = ports;
  const { server, source } = place;
  const { raw, call } = await listTimed(place, ports);
  const ingested: Result<Ingested, ToolsFailure> = raw.tools.ok
    ? await ingestTools(place, raw.tools.value, ports)
    : raw.tools;
  const { kinds, uncounted: uncountedKind } = await listPrimitives(place, raw, ports);
  const uncounted = ingested.ok ? uncountedKind : (ingested.reason.uncounted ?? uncountedKind);
  const found = { kinds, call, ...(uncounted === undefined ? {} : { uncounted }) };
  if (ingested.ok) {
    const listing = ingested.value;
    store.saveListing(source, listing, ports.nowMs());
    return { ...place, listing, tools: listing.tools, failure: undefined, ...found };
  }
  const { message, detail } = ingested.reason;
  const shown = place.target === "candidate" ? `${server.name} (candidate)` : server.name;
  ports.log(`${shown}: ${message}: ${detail}`);
  return { ...recallTarget(place, message, ports), ...found };
}

/** Why there are no fresh tools. */
type ToolsFailure = ListFailure & Pick<Listed, "uncounted">;

async function ingestTools(
  { server, source }: ServerTargetSettings,
  entries: ListedEntry[],
  { store, lint, pause, loadCounter }: RefreshPorts,
): Promise<Result<Ingested, ToolsFailure>> {
  const ingested = await ingestServer(entries, server, {
    loadCounter,
    lint,
    pause,
    last: () => store.listing(source),
    recall: (key) => store.recall(key),
    keep: (key, judged, parts) => {
      store.keep(key, judged, parts);
    },
  });
  if (ingested.ok) return ingested;
  const { reason } = ingested;
  if (reason.reason !== "id_collision") {
    return fail({ message: UNCOUNTED, detail: reason.reason, uncounted: reason });
  }
  return fail({ message: `two tools of the server have the id ${reason.id}`, detail: reason.reason });
}

/** Lists targets, in their order. What counts for them is loaded once, if at all, and let go with it: it is large. */
export function listTargets(places: readonly ServerTargetSettings[], ports: RefreshPorts): Promise<Listed[]> {
  const load = async (): Promise<LoadedCounter> => {
    const counter = await ports.loadCounter();
    if (!counter.ok)
      ports.log(`tokens cannot be counted: ${counter.reason.reason}: ${counter.reason.detail}`);
    return counter;
  };
  let loaded: Promise<LoadedCounter> | undefined;
  const loadCounter = () => (loaded ??= load());
  return eachAtMost(REFRESH_SERVERS_AT_ONCE_COUNT, places, (place) =>
    listTarget(place, { ...ports, loadCounter }),
  );
}
