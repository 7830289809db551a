import type { Corpus } from "../corpus.ts";
import { ranksOf } from "../figures/metrics.ts";
import { alignColumns } from "../figures/report.ts";
import type { Query } from "../input/queries.ts";
import { searchIndex } from "../methods/ranking.ts";
import { explain, type ExplainedEvidence, type ExplainedHit, type Explanation } from "./derive.ts";

const HITS_SHOWN = 10;

/** Where one needed tool stands, from 1; null where it is not found. */
interface ExplainedGold {
  readonly tool: string;
  readonly any_of: readonly string[];
  readonly relevance: number;
  readonly rank: number | null;
  readonly bm25_rank: number | null;
}

export interface ExplainedQuery extends Explanation {
  readonly set: string;
  readonly id: string;
  readonly query: string;
  readonly gold: readonly ExplainedGold[];
  /** Nothing matched, or nothing matched well. */
  readonly flagged: boolean;
  readonly ambiguous: boolean;
}

/** Looks into one query of a set. */
export function explainQuery(set: string, { id, query, gold }: Query, corpus: Corpus): ExplainedQuery {
  const { ids, flagged, ambiguous } = searchIndex(corpus.index, query);
  const ranks = ranksOf(ids, gold);
  const baseline = ranksOf(corpus.baseline.search(query).ids, gold);
  return {
    set,
    id,
    query,
    flagged,
    ambiguous,
    gold: gold.map(({ tool, anyOf, relevance }, entry) => ({
      tool,
      any_of: anyOf,
      relevance,
      rank: finite(ranks[entry]),
      bm25_rank: finite(baseline[entry]),
    })),
    ...explain(corpus.index, corpus.documents, query, HITS_SHOWN),
  };
}

function finite(rank: number | undefined): number | null {
  return rank === undefined || rank === Infinity ? null : rank;
}

export function explainedJson(explained: readonly ExplainedQuery[]): string {
  return JSON.stringify({ explained });
}

export function explainedText(explained: readonly ExplainedQuery[]): string {
  return explained.map(textOf).join("\n\n");
}

function textOf(explained: ExplainedQuery): string {
  const { set, id, query, gold, words, evidence, hits, flagged, ambiguous } = explained;
  const right = new Set(gold.flatMap(({ any_of: ids }) => ids));
  const flags = [...(flagged ? ["empty or weak"] : []), ...(ambiguous ? ["ambiguous"] : [])];
  return [
    `${set} ${id}${flags.length === 0 ? "" : ` (${flags.join(", ")})`}`,
    query,
    "",
    section(
      ["needed", "rank", "bm25", "relevance"],
      gold.map(({ any_of: ids, rank, bm25_rank: baseline, relevance }) => [
        ids.join(" or "),
        place(rank),
        place(baseline),
        String(relevance),
      ]),
    ),
    "",
    section(
      ["word", "importance", "variant", "likeness", "tools", "worth"],
      words.flatMap(({ word, importance, variants }) => {
        const head = [word, importance.toFixed(1)];
        if (variants.length === 0) return [[...head, "(in no tool)", "", "0", ""]];
        return variants.map(({ term, likeness, tools, worth }, at) => [
          ...(at === 0 ? head : ["", ""]),
          term,
          likeness.toFixed(2),
          String(tools),
          worth.toFixed(2),
        ]);
      }),
    ),
    ...(evidence === null ? [] : ["", evidenceText(evidence)]),
    ...hits.flatMap((hit, at) => ["", hitText(hit, at + 1, right.has(hit.id))]),
  ].join("\n");
}

function evidenceText({ nats, share, missed }: ExplainedEvidence): string {
  const things = Object.entries(missed).map(([thing, lack]) => `${thing} ${lack.toFixed(2)}`);
  const lacking = things.length === 0 ? "nothing" : things.join(", ");
  return `   the first has evidence of ${nats.toFixed(2)} nats, ${share.toFixed(2)} of what is asked, and lacks: ${lacking}`;
}

function hitText({ id, score, terms }: ExplainedHit, rank: number, isRight: boolean): string {
  const fields = [...new Set(terms.flatMap(({ fields }) => Object.keys(fields)))];
  const rows = terms.map(({ word, term, gain, fields: weights }) => [
    word,
    term,
    gain.toFixed(2),
    ...fields.map((field) => weights[field]?.toFixed(2) ?? ""),
  ]);
  const title = `${rank}. ${score.toFixed(4)} ${id}${isRight ? "  <- needed" : ""}`;
  return `${title}\n${section(["word", "term", "gain", ...fields], rows)}`;
}

function place(rank: number | null): string {
  return rank === null ? "-" : String(rank);
}

const LEFT_COLUMNS: ReadonlySet<string> = new Set(["needed", "word", "variant", "term"]);

function section(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return alignColumns([header, ...rows], LEFT_COLUMNS).replace(/^/gm, "   ");
}
