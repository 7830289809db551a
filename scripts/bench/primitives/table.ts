import { LISTED_ENTRY_MAX_TOKENS } from "../../../src/limits.ts";
import { alignColumns } from "../../eval/figures/report.ts";
import type { KindAtSize, PrimitiveFigures } from "./primitives.ts";
import type { ProxyListFigures } from "./proxy-list.ts";
import type { ReadingTokens } from "./reading.ts";
import type { Recall } from "./recall.ts";

const NOTHING = "-";
const LEFT: ReadonlySet<string> = new Set(["kind", "method", "queries that are", "list"]);

/** The primitives' tables, for a person. */
export function primitiveTables({ kinds, reading, proxy_list }: PrimitiveFigures): string {
  return [
    "Resources and prompts: tokens (cl100k) that a client pays to find one. Native: MCP's own lists, whole. Pair: what the two",
    "meta-tools add to tools/list; browse: five cards, the median and the most.",
    tokenTable(kinds),
    "",
    "Whether it is found: recall is the share of what answers a query in the first five, hit the share of queries with any of",
    "it there. Flagged: queries that something answers, told that nothing close is there; declined: those that nothing answers.",
    "BM25: plain, over the same texts. Grown entries stand beside the written ones and keep some of their words.",
    recallTable(kinds),
    "",
    "recall@5 by what is hard about a query, over what was written",
    howTable(kinds),
    "",
    "Large resources read through the firewall",
    readingTable(reading),
    "",
    "The proxy's tools/list, tokens a tool",
    proxyTable(proxy_list),
  ].join("\n");
}

function tokenTable(kinds: readonly KindAtSize[]): string {
  return alignColumns(
    [
      ["kind", "entries", "servers", "native", "pair", "browse of 5", "native over both"],
      ...kinds.map((row) => {
        const { native, pair, browse_5 } = row.tokens;
        return [
          row.kind,
          sizeOf(row),
          String(row.servers),
          String(native),
          String(pair),
          `${browse_5.median} (${browse_5.max})`,
          ratio(native, pair + browse_5.median),
        ];
      }),
    ],
    LEFT,
  );
}

function recallTable(kinds: readonly KindAtSize[]): string {
  return alignColumns(
    [
      ["kind", "entries", "queries", "method", "recall@5", "hit@5", "mrr", "flagged", "declined"],
      ...kinds.flatMap((row) => {
        const { queries, loomgate, bm25, flagged, declined, unanswerable } = row.recall;
        return [
          [
            row.kind,
            sizeOf(row),
            String(queries),
            "loomgate",
            ...recallCells(loomgate),
            share(flagged),
            `${declined} of ${unanswerable}`,
          ],
          ["", "", "", "bm25", ...recallCells(bm25), NOTHING, NOTHING],
        ];
      }),
    ],
    LEFT,
  );
}

function howTable(kinds: readonly KindAtSize[]): string {
  return alignColumns(
    [
      ["kind", "queries that are", "queries", "loomgate", "bm25"],
      ...kinds
        .filter(({ grown }) => !grown)
        .flatMap(({ kind, recall }) =>
          recall.by_how.map(({ how, queries, loomgate, bm25 }) => [
            kind,
            how,
            String(queries),
            share(loomgate),
            share(bm25),
          ]),
        ),
    ],
    LEFT,
  );
}

function readingTable(rows: readonly ReadingTokens[]): string {
  const all = rows.reduce(
    (sum, { resources, whole, shown }) => ({
      kind: "all",
      resources: sum.resources + resources,
      whole: sum.whole + whole,
      shown: sum.shown + shown,
    }),
    { kind: "all", resources: 0, whole: 0, shown: 0 },
  );
  return alignColumns(
    [
      ["kind", "resources", "whole", "shown", "to one"],
      ...[...rows, all].map(({ kind, resources, whole, shown }) => [
        kind,
        String(resources),
        String(whole),
        String(shown),
        ratio(whole, shown),
      ]),
    ],
    LEFT,
  );
}

function proxyTable({ tools, mean, median, max, beyond, list, full_list }: ProxyListFigures): string {
  return alignColumns(
    [
      [
        "tools",
        "mean",
        "median",
        "most",
        `over ${LISTED_ENTRY_MAX_TOKENS}`,
        "whole list",
        "every definition",
        "to one",
      ],
      [
        ...[tools].map(String),
        mean.toFixed(1),
        ...[median, max, beyond, list, full_list].map(String),
        ratio(full_list, list),
      ],
    ],
    LEFT,
  );
}

function sizeOf({ entries, grown }: KindAtSize): string {
  return `${entries}${grown ? " grown" : ""}`;
}

function recallCells(recall: Recall): string[] {
  return [recall["recall@5"], recall["hit@5"], recall.mrr].map(share);
}

function share(value: number | null): string {
  return value === null ? NOTHING : value.toFixed(3);
}

function ratio(left: number, right: number): string {
  return (left / right).toFixed(1);
}
