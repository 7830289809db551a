import type { Figures, JudgedFigures } from "./evaluate.ts";

/** What one set gave. */
export interface SetReport {
  readonly name: string;
  readonly tools: number;
  readonly queries: number;
  readonly ranking: JudgedFigures;
  readonly bm25: Figures;
}

/** What is told of all sets together: the flag has one aim, however the queries are spread. */
export interface Overall {
  readonly answerable: number;
  /** Share of the queries with a right tool whose answer is empty or weak. */
  readonly flagged: number | null;
  readonly unanswerable: number;
  readonly declined: number;
}

export function overallOf(sets: readonly SetReport[]): Overall {
  const sum = (of: (figures: JudgedFigures) => number): number =>
    sets.reduce((total, { ranking }) => total + of(ranking), 0);
  const answerable = sum((figures) => figures.answerable);
  const flagged = sum((figures) => (figures.flagged ?? 0) * figures.answerable);
  return {
    answerable,
    flagged: answerable === 0 ? null : flagged / answerable,
    unanswerable: sum(({ unanswerable }) => unanswerable),
    declined: sum(({ declined }) => declined),
  };
}

const METRICS = ["recall@1", "recall@3", "recall@5", "recall@10", "hit@5", "mrr", "ndcg@5"] as const;
const HEADER = ["set", "tools", "queries", "method", ...METRICS, "flagged", "ambiguous", "declined"];
const LEFT_COLUMNS: ReadonlySet<string> = new Set(["set", "method"]);
const NOTHING = "-";

/** The report for a machine: one line of JSON, figures to four decimals. */
export function reportJson(sets: readonly SetReport[]): string {
  return JSON.stringify({ sets, all: overallOf(sets) }, (_, value: unknown) =>
    typeof value === "number" ? Math.round(value * 10_000) / 10_000 : value,
  );
}

/** The report for a person: a row for each set and method, and what is told of all sets where there are several. */
export function reportTable(sets: readonly SetReport[]): string {
  const table = alignColumns([HEADER, ...sets.flatMap(rowsOf)], LEFT_COLUMNS);
  return sets.length > 1 ? `${table}\n\n${overallText(overallOf(sets))}` : table;
}

function overallText({ answerable, flagged, unanswerable, declined }: Overall): string {
  return (
    `empty or weak: ${share(flagged)} of ${answerable} queries that have a right tool, ` +
    `${declined} of ${unanswerable} that have none`
  );
}

function rowsOf({ name, tools, queries, ranking, bm25 }: SetReport): string[][] {
  const row = (start: readonly string[], figures: Figures, end: readonly string[]): string[] => [
    ...start,
    ...METRICS.map((metric) => share(figures[metric])),
    ...end,
  ];
  const declined = ranking.unanswerable === 0 ? NOTHING : `${ranking.declined} of ${ranking.unanswerable}`;
  const judged = [share(ranking.flagged), share(ranking.ambiguous), declined];
  return [
    row([name, String(tools), String(queries), "ranking"], ranking, judged),
    row(
      ["", "", "", "bm25"],
      bm25,
      judged.map(() => NOTHING),
    ),
  ];
}

function share(value: number | null): string {
  return value === null ? NOTHING : value.toFixed(3);
}

/** Rows as lines with aligned columns: those named in the first row to the left, numbers to the right. */
export function alignColumns(rows: readonly (readonly string[])[], left: ReadonlySet<string>): string {
  const [header = []] = rows;
  const widths = header.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return left.has(header[column] ?? "") ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
