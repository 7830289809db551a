import { availableParallelism, cpus } from "node:os";
import { committedCounter } from "../committed-ranks.ts";
import { RESULT_CASES } from "../../test/support/result-corpus.ts";
import { runCommand } from "../command-line.ts";
import { type BenchArguments, readArguments, type Section } from "./arguments.ts";
import { cpuMs } from "./figures/measure.ts";
import { SERVERS_MAX_COUNT } from "../../src/limits.ts";
import { type FirewallEffort, measureFirewall } from "./firewall/firewall.ts";
import { type LatencyFigures, measureLatency } from "./latency/latency.ts";
import { queryMix } from "./queries.ts";
import { measurePrimitives, type PrimitiveFigures } from "./primitives/primitives.ts";
import { measureRecords, type RecordEffort } from "./records/records.ts";
import { type Machine, type Report, reportJson, reportText } from "./report.ts";
import { measureRetrieval, type RetrievalFigures } from "./retrieval/retrieval.ts";
import { measureTokens, type TokenFigures } from "./tokens/tokens.ts";
import type { BenchTool } from "./tools/bench-tool.ts";
import { growCatalog } from "./tools/grow.ts";
import { inFewServers } from "./tools/hosts.ts";
import { growingWords, realTools } from "./tools/sources.ts";

/** The parts that need real tools to measure with. */
const OF_TOOLS: ReadonlySet<Section> = new Set(["retrieval", "tokens", "primitives"]);
const RETRIEVAL_SIZES = [100, 1_000, 5_000, 10_000];
const QUICK_RETRIEVAL_SIZES = [100, 1_000];
const TOKEN_SIZES = [22, 100, 500, 1_000];
const PRIMITIVE_SIZES = [1_000, 10_000];
const QUICK_PRIMITIVE_SIZES = [1_000];
/** Tools that the proxy lists. */
const LISTED_TOOLS = 1_000;
/** A start for one person: 23 tools that every client's guide begins with. */
const SMALL_SERVERS = new Set(["filesystem", "memory"]);
const EFFORT = { runs: 3, rounds: 9 };
const QUICK_EFFORT = { runs: 2, rounds: 3 };
const LATENCY = { calls: 400, seconds: 5 };
const QUICK_LATENCY = { calls: 100, seconds: 1 };
const MIB = 1_048_576;
const FIREWALL: FirewallEffort = { runs: 5, streamBytes: 64 * MIB, bodyBytes: 64 * MIB };
const QUICK_FIREWALL: FirewallEffort = { runs: 2, streamBytes: 8 * MIB, bodyBytes: 16 * MIB };
const RECORDS: RecordEffort = { sizes: [1_000, 100_000, 1_000_000], ingested: 1_000, samples: 9 };
const QUICK_RECORDS: RecordEffort = { sizes: [1_000, 10_000], ingested: 1_000, samples: 3 };

function progress(line: string): void {
  console.error(line);
}

function machine(): Machine {
  const [cpu] = cpus();
  return {
    cores: availableParallelism(),
    processor: cpu?.model.trim() ?? "unknown processor",
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  };
}

/** Catalogs of any size over the real tools, each the beginning of the next. */
function catalogs(real: readonly BenchTool[], largest: number): (size: number) => readonly BenchTool[] {
  const own = new Set(real.map(({ server }) => server));
  const all = inFewServers(growCatalog(real, largest, growingWords()), own, SERVERS_MAX_COUNT);
  return (size) => all.slice(0, size);
}

async function retrieval(real: readonly BenchTool[], { quick }: BenchArguments): Promise<RetrievalFigures[]> {
  const sizes = quick ? QUICK_RETRIEVAL_SIZES : RETRIEVAL_SIZES;
  const catalogOf = catalogs(real, Math.max(...sizes));
  const queries = queryMix(catalogOf(Math.min(...sizes)));
  const figures: RetrievalFigures[] = [];
  for (const size of sizes) {
    progress(`retrieval: ${size} tools`);
    figures.push(await measureRetrieval(catalogOf(size), queries, quick ? QUICK_EFFORT : EFFORT));
  }
  return figures;
}

async function tokens(real: readonly BenchTool[], { catalog }: BenchArguments): Promise<TokenFigures[]> {
  const catalogOf = catalogs(real, Math.max(...TOKEN_SIZES));
  const small = real.filter(({ server }) => SMALL_SERVERS.has(server));
  const queries = queryMix(catalogOf(100));
  const figures: TokenFigures[] = [];
  for (const size of TOKEN_SIZES) {
    progress(`tokens: ${size} tools`);
    const isSmallest = size === TOKEN_SIZES[0] && catalog === undefined;
    figures.push(await measureTokens(isSmallest ? small : catalogOf(size), queries));
  }
  return figures;
}

async function primitives(real: readonly BenchTool[], { quick }: BenchArguments): Promise<PrimitiveFigures> {
  const sizes = quick ? QUICK_PRIMITIVE_SIZES : PRIMITIVE_SIZES;
  const tools = catalogs(real, LISTED_TOOLS)(LISTED_TOOLS);
  return measurePrimitives({ sizes, words: growingWords(), cases: RESULT_CASES, tools }, progress);
}

/** Errors are no figures: the table shows how many, and the run has failed. */
function tellFaults({ load }: LatencyFigures): void {
  for (const { what, connections, failed, fault } of load) {
    if (failed === 0) continue;
    progress(`${what} at ${connections} connections: ${failed} answers failed, the first: ${fault ?? "?"}`);
    process.exitCode = 1;
  }
}

async function run(args: BenchArguments): Promise<void> {
  const { sections, quick, catalog: file } = args;
  const real = sections.some((section) => OF_TOOLS.has(section)) ? await realTools(file) : [];
  const from = file ?? "captured from the repository's servers";
  const tokenizer = await cpuMs(() => committedCounter().count("a"));
  const figures: Report = {
    machine: machine(),
    ...(real.length === 0 ? {} : { catalog: { real_tools: real.length, from } }),
    quick,
    ...(sections.includes("retrieval")
      ? { tokenizer_ms: tokenizer.ms, retrieval: await retrieval(real, args) }
      : {}),
    ...(sections.includes("tokens") ? { tokens: await tokens(real, args) } : {}),
    ...(sections.includes("primitives") ? { primitives: await primitives(real, args) } : {}),
    ...(sections.includes("firewall")
      ? { firewall: await measureFirewall(RESULT_CASES, quick ? QUICK_FIREWALL : FIREWALL, progress) }
      : {}),
    ...(sections.includes("records")
      ? { records: await measureRecords(quick ? QUICK_RECORDS : RECORDS, progress) }
      : {}),
    ...(sections.includes("latency")
      ? { latency: await measureLatency(quick ? QUICK_LATENCY : LATENCY, progress) }
      : {}),
  };
  console.log(args.json ? reportJson(figures) : reportText(figures));
  if (figures.latency !== undefined) tellFaults(figures.latency);
}

await runCommand(() => run(readArguments(process.argv.slice(2), process.cwd())));
