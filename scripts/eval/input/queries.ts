import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import { InputFault, type Row } from "./rows.ts";

/** One tool that a query needs, satisfied by any of some ids. */
export interface GoldEntry {
  readonly tool: string;
  readonly anyOf: readonly string[];
  /** How much it is worth, 0 or more; 1 where the data does not grade. */
  readonly relevance: number;
}

export interface Query {
  readonly id: string;
  readonly query: string;
  /** Empty: no tool of the catalog is right. */
  readonly gold: readonly GoldEntry[];
}

/** Reads queries; keys that are not known are the data's own affair. */
export function readQueries(rows: readonly Row[]): Query[] {
  const known = new Set<string>();
  return rows.map((row) => {
    const [id, query, gold] = ["id", "query", "gold"].map((key) => memberOf(row.value, key));
    if (!isRecord(row.value)) throw fault(row, "a query is an object");
    if (typeof id !== "string" || id === "") throw fault(row, "a query has an id");
    if (known.has(id)) throw fault(row, `the id ${JSON.stringify(id)} comes twice`);
    known.add(id);
    if (typeof query !== "string") throw fault(row, "query is a string");
    if (!isJsonArray(gold)) throw fault(row, "gold is a list");
    return { id, query, gold: gold.map((entry) => readEntry(entry, row)) };
  });
}

function readEntry(entry: unknown, row: Row): GoldEntry {
  const anyOf = memberOf(entry, "any_of");
  if (!isJsonArray(anyOf)) throw fault(row, "any_of is a list of ids");
  const ids = anyOf.filter((id) => typeof id === "string");
  if (ids.length < anyOf.length) throw fault(row, "any_of is a list of ids");
  const relevance = memberOf(entry, "relevance") ?? 1;
  if (typeof relevance !== "number" || !(relevance >= 0 && relevance < Infinity))
    throw fault(row, "relevance is a number from 0");
  const tool = memberOf(entry, "tool");
  return { tool: typeof tool === "string" ? tool : (ids[0] ?? ""), anyOf: ids, relevance };
}

/** The entries that no tool of the catalog can satisfy, with the query of each. */
export function unsatisfiable(
  queries: readonly Query[],
  ids: ReadonlySet<string>,
): { readonly query: string; readonly tool: string }[] {
  return queries.flatMap(({ id, gold }) =>
    gold
      .filter(({ anyOf }) => !anyOf.some((candidate) => ids.has(candidate)))
      .map(({ tool }) => ({ query: id, tool })),
  );
}

function fault(row: Row, problem: string): InputFault {
  return new InputFault(row.file, row.line, problem);
}
