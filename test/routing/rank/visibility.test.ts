import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RoutingDocument } from "../../../src/routing/document/analyse-document.ts";
import type { NeighbourTable } from "../../../src/routing/neighbours/table.ts";
import { rank, type Ranking } from "../../../src/routing/rank/rank.ts";
import { CATALOG } from "../catalog.ts";
import {
  anyDocuments,
  anyQuery,
  committedTable,
  indexOf,
  maybeTable,
  plainDocument,
  tangledDocuments,
  tangledQuery,
} from "../support.ts";
import { documentsWhere } from "../../support/documents-where.ts";
import { type Rows, tableOf } from "../neighbours/tables.ts";

const NOTHING: Ranking = { hits: [], total: 0, ambiguous: false, weak: false };

/** The answers to a caller that sees some of the tools, and those of an index which has only these. */
function bothAnswers(
  documents: readonly RoutingDocument[],
  sees: (id: string) => boolean,
  queries: readonly string[],
  { table, topK = 20 }: { readonly table?: NeighbourTable | undefined; readonly topK?: number } = {},
): [Ranking[], Ranking[]] {
  const index = indexOf(documents, table);
  const part = indexOf(
    documents.filter(({ id }) => sees(id)),
    table,
  );
  const allow = documentsWhere(index, sees);
  return [
    queries.map((query) => rank(index, query, { topK, allow })),
    queries.map((query) => rank(part, query, { topK })),
  ];
}

describe("what hidden tools have is not there", () => {
  it("for any documents, any question, any part that is seen", () => {
    fc.assert(
      fc.property(
        anyDocuments,
        anyQuery,
        fc.func(fc.boolean()),
        fc.integer({ min: 0, max: 12 }),
        (documents, words, sees, topK) => {
          // Words of the catalog, hidden ones included, are what a spy would ask for.
          const queries = [words, documents.map(({ name }) => name).join(" "), documents[0]?.id ?? ""];
          const [seen, alone] = bothAnswers(documents, sees, queries, { topK });
          expect(seen).toEqual(alone);
        },
      ),
    );
  });

  it("with neighbours, slips, splits, joined words, pairs and unspaced runs", () => {
    fc.assert(
      fc.property(
        tangledDocuments,
        tangledQuery,
        fc.func(fc.boolean()),
        maybeTable,
        (documents, words, sees, table) => {
          const queries = [words, documents[0]?.name ?? "", documents[0]?.id ?? ""];
          const [seen, alone] = bothAnswers(documents, sees, queries, { table });
          expect(seen).toEqual(alone);
        },
      ),
      { numRuns: 800 },
    );
  });

  it("with the committed table, whichever server is hidden", () => {
    const servers = [...new Set(CATALOG.map(({ server }) => server))];
    const queries = [
      "open a ticket for the problem",
      "weather warning storm",
      "東京の天気予報を検索する",
      "rembmer to sned an emial",
      "deletefile writefile",
    ];
    for (const hidden of servers) {
      const sees = (id: string): boolean => !id.startsWith(`${hidden}:`);
      const [seen, alone] = bothAnswers(CATALOG, sees, queries, { table: committedTable() });
      expect(seen).toEqual(alone);
    }
  });

  const shown = plainDocument("open_door", "Opens a door.");
  /** What a caller is told that does not see the secret, which is what an index without it says. */
  function askBeside(secret: RoutingDocument, query: string, rows: Rows = {}): Ranking {
    const sees = (id: string): boolean => id !== secret.id;
    const [[seen], [alone]] = bothAnswers([shown, secret], sees, [query], { table: tableOf(rows) });
    expect(seen).toEqual(alone);
    return seen ?? NOTHING;
  }

  it("a hidden word is worth what a word found nowhere is", () => {
    const index = indexOf([shown, plainDocument("detonate_charge", "Detonates.")]);
    const allow = documentsWhere(index, (id) => id === shown.id);
    const ask = (query: string) => rank(index, query, { topK: 5, allow });
    expect(ask("door detonate")).toEqual(ask("door nonesuch"));
    expect(ask("detonate_charge")).toEqual(NOTHING);
    expect(ask("plain:detonate_charge#00000000")).toEqual(ask("plain:nonesuch_nowhere#00000000"));
  });

  it("a hidden word does not keep a slip from being read as a visible one", () => {
    expect(askBeside(plainDocument("dooor"), "dooor").total).toBe(1);
  });

  it("a hidden word is not what a visible one is a slip for, nor one half of two, nor two in one", () => {
    for (const query of ["detonte", "detonatedetonate", "deto nate"]) {
      expect(askBeside(plainDocument("detonate"), query)).toEqual(NOTHING);
    }
  });

  it("a longer word that only hidden tools know does not swallow the shorter ones in a run", () => {
    const rows = { 東京都: [["detonate", 0.9]], 東京: [["door", 0.9]] } as const;
    expect(askBeside(plainDocument("detonate"), "東京都は", rows).total).toBe(1);
  });

  it("hidden neighbours take no place among those of a word", () => {
    const hidden = Array.from({ length: 60 }, (_, at) => `hidden${"abcdefghij"[at % 10]}${"x".repeat(at)}`);
    const rows = { gate: [...hidden.map((word) => [word, 0.9] as const), ["door", 0.5] as const] };
    expect(askBeside(plainDocument("secret", hidden.join(" ")), "gate", rows).total).toBe(1);
  });

  it("hidden twins make no tie", () => {
    expect(askBeside({ ...shown, id: "twin:open_door#00000000" }, "open door").ambiguous).toBe(false);
  });
});
