import * as fc from "fast-check";
import { committedNeighbours } from "../../scripts/committed-neighbours.ts";
import type { RoutingDocument } from "../../src/routing/document/analyse-document.ts";
import { buildIndex } from "../../src/routing/index/index-build.ts";
import type { RoutingIndex } from "../../src/routing/index/routing-index.ts";
import type { NeighbourTable } from "../../src/routing/neighbours/table.ts";
import { tableOf } from "./neighbours/tables.ts";

/** The index of documents whose ids differ. */
export function indexOf(documents: readonly RoutingDocument[], table?: NeighbourTable): RoutingIndex {
  const built = buildIndex(documents, table);
  if (!built.ok) throw new Error(built.reason.reason);
  return built.value;
}

export function plainDocument(
  name: string,
  description = "",
  id = `plain:${name}#00000000`,
): RoutingDocument {
  return {
    id,
    name,
    description,
    parameterNames: [],
    parameterDescriptions: [],
    server: "plain",
  };
}

export const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.lorem({ maxCount: 8 }),
  fc.constantFrom(
    "",
    "__proto__",
    "constructor",
    "the",
    "createIssue",
    "天気予報",
    "\uD800",
    "\uFFFD",
    "a\uDC00b",
    "\u{1F600}",
    "\0",
    "<|endoftext|>",
  ),
);

/** Any documents with distinct ids, most of their words shared. */
export const anyDocuments = fc.uniqueArray(
  fc.record(
    {
      id: anyText,
      name: anyText,
      title: anyText,
      description: anyText,
      parameterNames: fc.array(anyText, { maxLength: 3 }),
      parameterDescriptions: fc.array(anyText, { maxLength: 3 }),
      server: anyText,
    },
    { requiredKeys: ["id", "name", "description", "parameterNames", "parameterDescriptions", "server"] },
  ),
  { selector: ({ id }) => id, maxLength: 12 },
);

export const anyQuery = fc.oneof(anyText, fc.string({ unit: "binary", maxLength: 300 }));

/** Words that are a slip, a neighbour, a part, a pair or another form of each other: where a ranking gives things away. */
export const TANGLED_WORDS = [
  "create",
  "creat",
  "craete",
  "creates",
  "issue",
  "issues",
  "isue",
  "issuer",
  "ticket",
  "tickets",
  "roll",
  "back",
  "rollback",
  "rollBack",
  "roll_back",
  "search",
  "searchmessages",
  "messages",
  "message",
  "get",
  "all",
  "the",
  "to",
  "café",
  "cafe",
  "東京",
  "東京都",
  "京都",
  "都",
  "天気予報",
  "天気",
  "予報",
  "forecast",
  "weather",
  "404",
] as const;

const anyWord = fc.constantFrom(...TANGLED_WORDS);
const sentence = (maxLength: number) => fc.array(anyWord, { maxLength });

/** Documents with distinct ids made of tangled words. */
export const tangledDocuments = fc
  .array(
    fc.record({
      name: fc.tuple(fc.array(anyWord, { minLength: 1, maxLength: 3 }), fc.constantFrom("_", " ", "-", "")),
      lead: sentence(5),
      rest: sentence(4),
      parameterNames: sentence(2),
      server: fc.constantFrom("tracker", "weather", "issue-server", "東京"),
    }),
    { maxLength: 9 },
  )
  .map((documents) =>
    documents.map(({ name: [words, by], lead, rest, parameterNames, server }, at): RoutingDocument => {
      const name = words.join(by);
      return {
        id: `${server}:${name}#0000000${at}`,
        name,
        description: `${lead.join(" ")}. ${rest.join(" ")}`,
        parameterNames,
        parameterDescriptions: [],
        server,
      };
    }),
  );

/** A question in tangled words, some of them run together or with one letter lost. */
export const tangledQuery = fc
  .array(
    fc.tuple(
      anyWord,
      fc.constantFrom(" ", " ", " ", " ", "", "_", ". "),
      fc.option(fc.nat(9), { nil: undefined, freq: 4 }),
    ),
    { maxLength: 16 },
  )
  .map((words) =>
    words
      .map(
        ([word, by, lost]) => (lost === undefined ? word : word.slice(0, lost) + word.slice(lost + 1)) + by,
      )
      .join(""),
  );

/** A table in which tangled words mean each other at random. */
const tangledTable: fc.Arbitrary<NeighbourTable> = fc
  .dictionary(
    anyWord.map((word) => word.toLowerCase()),
    fc.uniqueArray(
      fc.tuple(
        anyWord.map((word) => word.toLowerCase()),
        fc.double({ min: 0.1, max: 1, noNaN: true }),
      ),
      { selector: ([word]) => word, maxLength: 5 },
    ),
    { maxKeys: 14 },
  )
  .map((rows) => tableOf(rows));

/** With a table and, as often, without. */
export const maybeTable = fc.option(tangledTable, { nil: undefined });

let committed: NeighbourTable | undefined;

/** The table that the Worker carries. */
export function committedTable(): NeighbourTable {
  committed ??= committedNeighbours();
  return committed;
}
