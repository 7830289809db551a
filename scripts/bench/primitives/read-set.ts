import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { OtherKind } from "../../../src/catalog/catalog.ts";
import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import type { Query } from "../../eval/input/queries.ts";
import { InputFault, parseRows, type Row } from "../../eval/input/rows.ts";
import { type BenchEntry, keyOf, placeOf } from "./bench-entry.ts";

const FOLDER = resolve(import.meta.dirname, "set");

/** What servers list of one kind, and what somebody asks who wants it. */
export interface EntrySet {
  readonly entries: readonly BenchEntry[];
  /** The gold has each right entry by itself, by its place. */
  readonly queries: readonly AskedQuery[];
}

export interface AskedQuery extends Query {
  /** What is hard about it, in a word or two. */
  readonly how: string;
}

/** The repository's own set of a kind. */
export function readSet(kind: OtherKind): EntrySet {
  const rows = (name: string): Row[] => {
    const file = resolve(FOLDER, `${name}.jsonl`);
    return parseRows(readFileSync(file, "utf8"), file);
  };
  const entries = readEntries(rows(`${kind}s`));
  return { entries, queries: readAsked(rows(`${kind}-queries`), entries) };
}

/** Reads entries whose places differ. */
export function readEntries(rows: readonly Row[]): BenchEntry[] {
  const places = new Set<string>();
  return rows.map((row) => {
    const [server, definition] = [memberOf(row.value, "server"), memberOf(row.value, "definition")];
    if (typeof server !== "string" || !isRecord(definition)) {
      throw fault(row, "an entry has a server and a definition");
    }
    const entry = { server, definition };
    const place = placeOf(server, keyOf(entry));
    if (keyOf(entry) === "") throw fault(row, "an entry has a URI or a name");
    if (places.has(place)) throw fault(row, `${keyOf(entry)} comes twice`);
    places.add(place);
    return entry;
  });
}

/** Reads queries; what answers each has to be one entry's, and no other's. */
export function readAsked(rows: readonly Row[], entries: readonly BenchEntry[]): AskedQuery[] {
  const named = new Map<string, BenchEntry[]>();
  for (const entry of entries) named.set(keyOf(entry), [...(named.get(keyOf(entry)) ?? []), entry]);
  const placed = (key: unknown, row: Row): string => {
    const [entry, other] = typeof key === "string" ? (named.get(key) ?? []) : [];
    if (entry === undefined || other !== undefined) throw fault(row, `${String(key)} is no one entry`);
    return placeOf(entry.server, keyOf(entry));
  };
  return rows.map((row) => {
    const [id, query, how] = ["id", "query", "how"].map((key) => memberOf(row.value, key));
    const right = memberOf(row.value, "right");
    if (typeof id !== "string" || typeof query !== "string" || typeof how !== "string") {
      throw fault(row, "a query has an id, a text and what is hard about it");
    }
    if (!isJsonArray(right)) throw fault(row, "right is a list");
    const places = right.map((key) => placed(key, row));
    return { id, query, how, gold: places.map((place) => ({ tool: place, anyOf: [place], relevance: 1 })) };
  });
}

function fault(row: Row, problem: string): InputFault {
  return new InputFault(row.file, row.line, problem);
}
