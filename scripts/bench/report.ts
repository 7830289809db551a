import { alignColumns } from "../eval/figures/report.ts";
import type { FirewallFigures } from "./firewall/firewall.ts";
import { firewallTables } from "./firewall/table.ts";
import type { LatencyFigures } from "./latency/latency.ts";
import type { PrimitiveFigures } from "./primitives/primitives.ts";
import { primitiveTables } from "./primitives/table.ts";
import type { RecordFigures } from "./records/records.ts";
import { recordTables } from "./records/table.ts";
import type { RetrievalFigures, Spread } from "./retrieval/retrieval.ts";
import type { TokenFigures, Usual } from "./tokens/tokens.ts";

/** Everything that one run measured; a part that was not asked for is absent. */
export interface Report {
  readonly machine: Machine;
  /** Absent where no part is about tools. */
  readonly catalog?: { readonly real_tools: number; readonly from: string };
  readonly quick: boolean;
  /** The tokenizer's tables, which a refresh with anything new builds once; milliseconds of CPU. */
  readonly tokenizer_ms?: number;
  readonly retrieval?: readonly RetrievalFigures[];
  readonly tokens?: readonly TokenFigures[];
  readonly primitives?: PrimitiveFigures;
  readonly firewall?: FirewallFigures;
  readonly records?: RecordFigures;
  readonly latency?: LatencyFigures;
}

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly node: string;
  readonly platform: string;
}

const NOTHING = "-";
const KIB = 1024;
/** Figures are rounded to so many digits behind the point where a machine reads them. */
const JSON_DIGITS = 1000;

/** The report for a machine: one line of JSON. */
export function reportJson(report: Report): string {
  return JSON.stringify(report, (_, value: unknown) =>
    typeof value === "number" ? Math.round(value * JSON_DIGITS) / JSON_DIGITS : value,
  );
}

/** The report for a person: a table a part. */
export function reportText(report: Report): string {
  const { machine, catalog, quick, retrieval, tokens, primitives, firewall, records, latency } = report;
  const { cores, processor, node, platform } = machine;
  return [
    `${cores} × ${processor}, Node ${node}, ${platform}${quick ? "; quick: rough figures" : ""}`,
    ...(catalog === undefined ? [] : [`${catalog.real_tools} real tools (${catalog.from})`]),
    ...(retrieval === undefined
      ? []
      : ["", retrievalTable(retrieval, report.tokenizer_ms, catalog?.real_tools ?? 0)]),
    ...(tokens === undefined ? [] : ["", tokenTable(tokens)]),
    ...(primitives === undefined ? [] : ["", primitiveTables(primitives)]),
    ...(firewall === undefined ? [] : ["", firewallTables(firewall)]),
    ...(records === undefined ? [] : ["", recordTables(records)]),
    ...(latency === undefined ? [] : ["", latencyTable(latency)]),
  ].join("\n");
}

const RETRIEVAL_HEADER = [
  "tools",
  "method",
  "build",
  "refresh",
  "no change",
  "one change",
  "KiB",
  "snapshot KiB",
  "load",
  "held KiB",
  "search p50",
  "p99",
  "mean",
  "browse p50",
  "p99",
  "mean",
];

function retrievalTable(
  rows: readonly RetrievalFigures[],
  tokenizerMs: number | undefined,
  realTools: number,
): string {
  const table = rows.flatMap(({ tools, loomgate: own, minisearch: library }) => [
    [
      `${tools}${tools > realTools ? " grown" : ""}`,
      "loomgate",
      ms(own.build_ms),
      ms(own.refresh_ms),
      ms(own.unchanged_ms),
      ms(own.change_ms),
      kib(own.index_bytes),
      kib(own.snapshot_bytes),
      ms(own.load_ms),
      kib(own.held_bytes),
      ...spread(own.search_ms),
      ...spread(own.browse_ms),
    ],
    libraryRow(
      "minisearch",
      [library.build_ms, library.bytes, library.load_ms, library.held_bytes],
      library.search_ms,
    ),
    libraryRow("  fuzzy .2", [null, null, null, null], library.fuzzy_ms),
  ]);
  const tokenizer = tokenizerMs === undefined ? "" : ` (${ms(tokenizerMs)} of both: the tokenizer's tables)`;
  return [
    "Retrieval, in ms of CPU, all threads counted. Build: reading all documents and packing the index. Refresh: everything",
    `from nothing; no change: all listed, nothing new; one change: one tool of all${tokenizer}.`,
    "Load: read, hash and open. Search: the best ten; browse: the whole answer. p50 and p99 are over the queries, each at the median of its rounds; the mean has everything in it.",
    alignColumns([RETRIEVAL_HEADER, ...table], new Set(["method"])),
  ].join("\n");
}

function libraryRow(
  method: string,
  [build = null, bytes = null, load = null, held = null]: readonly (number | null)[],
  search: Spread,
): string[] {
  const own = [ms(build), NOTHING, NOTHING, NOTHING, kib(bytes), NOTHING, ms(load), kib(held)];
  return ["", method, ...own, ...spread(search), NOTHING, NOTHING, NOTHING];
}

function spread({ p50, p99, mean }: Spread): string[] {
  return [ms(p50), ms(p99), ms(mean)];
}

function tokenTable(rows: readonly TokenFigures[]): string {
  const header = ["tools", ...rows.map(({ tools }) => String(tools))];
  const row = (name: string, figure: (row: TokenFigures) => string): string[] => [name, ...rows.map(figure)];
  const both = ({ median, max }: Usual): string => `${median} (${max})`;
  return [
    "Tokens (cl100k): the median of all queries, and the most. As a model has tools: name, description, input schema.",
    alignColumns(
      [
        header,
        row("our tools/list, on the wire", ({ own_list: { mcp } }) => String(mcp)),
        row("our tools/list, as a model has it", ({ own_list: { model } }) => String(model)),
        row("every tool's, on the wire", ({ full_list: { mcp } }) => String(mcp)),
        row("every tool's, as a model has them", ({ full_list: { model } }) => String(model)),
        row("browse of 5", ({ browse_5 }) => both(browse_5)),
        row("browse of 10", ({ browse_10 }) => both(browse_10)),
        row("ARGS_INVALID", ({ args_invalid }) => both(args_invalid)),
        row("list + browse + execute", ({ find_and_run }) => both(find_and_run)),
        row("every tool listed + call", ({ list_and_run }) => both(list_and_run)),
        row("the latter over the former", ({ find_and_run, list_and_run }) =>
          (list_and_run.median / find_and_run.median).toFixed(1),
        ),
      ],
      new Set(["tools"]),
    ),
  ].join("\n");
}

function latencyTable({ tool, execute, load }: LatencyFigures): string {
  const { calls, direct_ms: direct, gateway_ms: gateway, added_ms: added } = execute;
  const wall = (name: string, { p50, p95 }: { p50: number; p95: number }): string[] => [
    name,
    ms(p50),
    ms(p95),
  ];
  return [
    `Latency through wrangler dev, in ms by the clock: ${tool}, ${calls} calls each way by turns, one at a time.`,
    alignColumns(
      [
        ["call", "p50", "p95"],
        wall("the server itself", direct),
        wall("tool_execute", gateway),
        wall("added", added),
      ],
      new Set(["call"]),
    ),
    "",
    "Under load, all on this machine",
    alignColumns(
      [
        ["call", "connections", "requests/s", "p50", "p99", "failed"],
        ...load.map(({ what, connections, requests_per_second, p50_ms, p99_ms, failed }) => [
          what,
          String(connections),
          requests_per_second.toFixed(0),
          ms(p50_ms),
          ms(p99_ms),
          String(failed),
        ]),
      ],
      new Set(["call"]),
    ),
  ].join("\n");
}

/** Three digits tell enough. */
function ms(value: number | null): string {
  if (value === null) return NOTHING;
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

function kib(bytes: number | null): string {
  return bytes === null ? NOTHING : (bytes / KIB).toFixed(0);
}
