import { packIndex } from "../../../src/routing/index/index-build.ts";
import { analyseDocument, type RoutingDocument } from "../../../src/routing/document/analyse-document.ts";
import { committedNeighbours } from "../../committed-neighbours.ts";
import { bytesHeld, cpuMs, medianCpuMs } from "../figures/measure.ts";
import { median, percentile } from "../figures/percentiles.ts";
import { freshReader, openGateway } from "../gateway/open-gateway.ts";
import { RefreshedCatalog } from "../gateway/refreshed-catalog.ts";
import { type BenchTool, descriptionOf } from "../tools/bench-tool.ts";
import { buildLibrary, loadLibrary, saveLibrary, searchLibrary } from "./minisearch.ts";

const TOP_K = 10;

/**
 * Milliseconds of CPU for a query. The percentiles are over the queries, each at the median of its rounds: they tell which
 * queries are dear, and not when garbage happened to be collected. That is in the mean, with everything else.
 */
export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly mean: number;
}

/** Of the Worker's own code over one catalog; times in milliseconds of CPU. */
export interface OwnFigures {
  /** A first refresh: hashing, lint, cards, tokens, index, snapshot. */
  readonly refresh_ms: number;
  /** A refresh in which nothing has: what reading the listings costs. */
  readonly unchanged_ms: number;
  /** A refresh in which one tool of all has changed. */
  readonly change_ms: number;
  /** Analysing all documents and packing the index, the neighbour table included. */
  readonly build_ms: number;
  readonly index_bytes: number;
  /** The index, cards, lines and tree. */
  readonly snapshot_bytes: number;
  /** Reading, hash check and opening, in a new isolate. */
  readonly load_ms: number;
  readonly held_bytes: number | null;
  readonly search_ms: Spread;
  /** A whole `tool_browse` of ten, from arguments to answer. */
  readonly browse_ms: Spread;
}

export interface LibraryFigures {
  readonly build_ms: number;
  readonly bytes: number;
  readonly load_ms: number;
  readonly held_bytes: number | null;
  readonly search_ms: Spread;
  readonly fuzzy_ms: Spread;
}

export interface RetrievalFigures {
  readonly tools: number;
  readonly servers: number;
  readonly loomgate: OwnFigures;
  readonly minisearch: LibraryFigures;
}

/** How often each thing is done. */
export interface Effort {
  /** Of what is done to a whole catalog; the median counts. */
  readonly runs: number;
  /** Of the whole mix of queries, after some that do not count. */
  readonly rounds: number;
}

/** Measures finding tools in one catalog, by the Worker's code and by the library over the same documents. */
export async function measureRetrieval(
  tools: readonly BenchTool[],
  queries: readonly string[],
  effort: Effort,
): Promise<RetrievalFigures> {
  const servers = new Set(tools.map(({ server }) => server));
  const refreshed = new RefreshedCatalog(servers);
  globalThis.gc?.();
  const { ms: refresh_ms } = await cpuMs(() => refreshed.refresh(tools));
  const documents = refreshed.documents();
  const loomgate = {
    refresh_ms,
    ...(await indexFigures(documents, effort)),
    ...(await openFigures(refreshed, queries, effort)),
    unchanged_ms: await medianCpuMs(effort.runs, () => refreshed.refresh(tools)),
    // Last, since it changes the catalog.
    change_ms: await changeMs(refreshed, tools, effort),
  };
  return {
    tools: documents.length,
    servers: servers.size,
    loomgate,
    minisearch: await libraryFigures(documents, queries, effort),
  };
}

async function indexFigures(documents: readonly RoutingDocument[], { runs }: Effort) {
  const neighbours = committedNeighbours();
  let index_bytes = 0;
  const build_ms = await medianCpuMs(runs, () => {
    const packed = packIndex(documents.map(analyseDocument), neighbours);
    if (!packed.ok) throw new Error(packed.reason.reason);
    index_bytes = packed.value.length;
  });
  return { build_ms, index_bytes };
}

async function openFigures(refreshed: RefreshedCatalog, queries: readonly string[], effort: Effort) {
  const snapshot_bytes = refreshed.kv.bytesOf("snapshot:");
  const load_ms = await medianCpuMs(effort.runs, () => freshReader(refreshed).current());
  const { value: gateway, bytes: held_bytes } = await bytesHeld(async () => {
    const opened = await openGateway(refreshed);
    for (const query of queries) await opened.browse(query, TOP_K);
    return opened;
  });
  const { catalog } = gateway;
  const seesAll = Object.assign(() => true, { key: null });
  const search_ms = await spreadOf(queries, effort, (query) => catalog.search(query, TOP_K, seesAll));
  const browse_ms = await spreadOf(queries, effort, (query) => gateway.browse(query, TOP_K));
  return { snapshot_bytes, load_ms, held_bytes, search_ms, browse_ms };
}

/** Changes one tool at a time, spread over the catalog. */
async function changeMs(
  refreshed: RefreshedCatalog,
  tools: readonly BenchTool[],
  { runs }: Effort,
): Promise<number> {
  const times: number[] = [];
  let current = tools;
  for (let run = 0; run < runs; run += 1) {
    const place = Math.floor(((run + 0.5) * tools.length) / runs);
    current = current.map((tool, at) => (at === place ? changed(tool) : tool));
    globalThis.gc?.();
    times.push((await cpuMs(() => refreshed.refresh(current))).ms);
  }
  return median(times);
}

function changed(tool: BenchTool): BenchTool {
  const description = `${descriptionOf(tool)} Now for archives, too.`.trim();
  return { ...tool, definition: { ...tool.definition, description } };
}

async function libraryFigures(
  documents: readonly RoutingDocument[],
  queries: readonly string[],
  effort: Effort,
): Promise<LibraryFigures> {
  const build_ms = await medianCpuMs(effort.runs, () => buildLibrary(documents));
  const saved = saveLibrary(buildLibrary(documents));
  const load_ms = await medianCpuMs(effort.runs, () => loadLibrary(saved));
  const search = (library: ReturnType<typeof loadLibrary>, query: string, fuzzy: boolean) =>
    searchLibrary(library, query, { count: TOP_K, fuzzy });
  const { value: library, bytes: held_bytes } = await bytesHeld(async () => {
    const loaded = loadLibrary(saved);
    for (const query of queries) search(loaded, query, false);
    return loaded;
  });
  // It takes some ten times as long, and few rounds tell as much.
  const few = { ...effort, rounds: Math.ceil(effort.rounds / 4), warmUps: 1 };
  return {
    build_ms,
    bytes: saved.length,
    load_ms,
    held_bytes,
    search_ms: await spreadOf(queries, few, (query) => search(library, query, false)),
    fuzzy_ms: await spreadOf(queries, { rounds: 1, warmUps: 0 }, (query) => search(library, query, true)),
  };
}

/** Rounds in which code is still being compiled. */
const WARM_UPS = 3;

async function spreadOf(
  queries: readonly string[],
  { rounds, warmUps = WARM_UPS }: { readonly rounds: number; readonly warmUps?: number },
  ask: (query: string) => unknown,
): Promise<Spread> {
  const times = queries.map((): number[] => []);
  globalThis.gc?.();
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [at, query] of queries.entries()) {
      const { ms } = await cpuMs(() => ask(query));
      if (round >= 0) times[at]?.push(ms);
    }
  }
  const all = times.flat();
  const usual = times.map(median);
  return {
    p50: percentile(usual, 0.5),
    p99: percentile(usual, 0.99),
    mean: all.reduce((sum, ms) => sum + ms, 0) / all.length,
  };
}
