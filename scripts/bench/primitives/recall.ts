import type { Catalog, OtherKind } from "../../../src/catalog/catalog.ts";
import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import { evaluate, evaluateJudged, type Figures } from "../../eval/figures/evaluate.ts";
import { configuredNames } from "../gateway/server-names.ts";
import { baselineOf } from "./baseline.ts";
import { type BenchEntry, placeOf } from "./bench-entry.ts";
import type { AskedQuery } from "./read-set.ts";

/** Means over the queries that something answers; recall is the share of what answers them in the first five. */
export type Recall = Pick<Figures, "recall@5" | "hit@5" | "mrr">;

/** Queries of which the same is hard. */
export interface RecallOf {
  readonly how: string;
  readonly queries: number;
  readonly loomgate: number | null;
  readonly bm25: number | null;
}

export interface RecallFigures {
  readonly queries: number;
  readonly loomgate: Recall;
  readonly bm25: Recall;
  /** recall@5 by what is hard about the query. */
  readonly by_how: readonly RecallOf[];
  /** Share of the queries that something answers which are told the same. */
  readonly flagged: number | null;
  /** Queries that nothing answers, and how many of those are told that nothing, or nothing close, was found. */
  readonly unanswerable: number;
  readonly declined: number;
}

/** A name for a language, a slip or other words: all languages are one. */
const LANGUAGE = /^language: .*/;

/** Asks a catalog's own search of one kind, to its full depth, and plain BM25 over the same entries. */
export function measureRecall(
  catalog: Catalog,
  kind: OtherKind,
  entries: readonly BenchEntry[],
  queries: readonly AskedQuery[],
): RecallFigures {
  const own = catalog.of(kind);
  if (own === undefined) throw new Error(`the catalog has no ${kind}`);
  const servers = foreignNames(entries);
  const search = (query: string) => {
    const { hits, weak, ambiguous } = own.search(query, entries.length, SEES_EVERYTHING);
    return {
      ids: hits.map(({ id }) => placeIn(own, id, servers)),
      flagged: hits.length === 0 || weak,
      ambiguous,
    };
  };
  const baseline = baselineOf(entries);
  const plain = (query: string) => baseline.search(query);
  const { flagged, declined, unanswerable, ...figures } = evaluateJudged(queries, search);
  return {
    queries: queries.length,
    loomgate: recallOf(figures),
    bm25: recallOf(evaluate(queries, plain)),
    by_how: [...byHow(queries)].map(([how, asked]) => ({
      how,
      queries: asked.length,
      loomgate: evaluate(asked, search)["recall@5"],
      bm25: evaluate(asked, plain)["recall@5"],
    })),
    flagged,
    unanswerable,
    declined,
  };
}

function recallOf(figures: Figures): Recall {
  return { "recall@5": figures["recall@5"], "hit@5": figures["hit@5"], mrr: figures.mrr };
}

/** The set's names of its servers, by those that they are configured under. */
function foreignNames(entries: readonly BenchEntry[]): ReadonlyMap<string, string> {
  const names = configuredNames(new Set(entries.map(({ server }) => server)));
  return new Map([...names].map(([foreign, configured]) => [configured, foreign]));
}

function placeIn(catalog: Catalog, id: string, servers: ReadonlyMap<string, string>): string {
  const found = catalog.find(id);
  return found === undefined ? "" : placeOf(servers.get(found.server) ?? "", found.upstreamName);
}

/** Those that something answers. */
function byHow(queries: readonly AskedQuery[]): ReadonlyMap<string, readonly AskedQuery[]> {
  const groups = new Map<string, AskedQuery[]>();
  for (const query of queries) {
    if (query.gold.length === 0) continue;
    const how = query.how.replace(LANGUAGE, "other language");
    groups.set(how, [...(groups.get(how) ?? []), query]);
  }
  return groups;
}
