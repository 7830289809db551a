import { ok, type Result } from "../../../result.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import type { FieldDeclaration, Slot } from "../../manifest/manifest.ts";
import type { PdppProblem } from "../../problem.ts";
import { allOf, grantedRows } from "../covered.ts";
import { conditionsOf } from "../filter/conditions.ts";
import { BODY_JOIN, fieldValue } from "../filter/field-value.ts";
import { parseFilters, type FieldFilter } from "../filter/filters.ts";
import type { KeyedParameter } from "../parameters.ts";
import type { Statement } from "../ports.ts";
import { fieldOf, type AggregateQuery } from "./query.ts";

/** Feeds that one statement reads: of one connector, so with the same columns, and granted alike. */
export interface Shape {
  readonly feeds: readonly [CoveredFeed, ...CoveredFeed[]];
  readonly filters: readonly FieldFilter[];
  /** What the aggregate reads; null where it only counts. */
  readonly field: FieldDeclaration | null;
}

/** Judges the request for every feed: a number over some of the sources would look like one over all of them. */
export function shapesOf(
  query: AggregateQuery,
  filters: readonly KeyedParameter[],
  feeds: readonly CoveredFeed[],
): Result<readonly Shape[], PdppProblem> {
  const alike = new Map<string, [CoveredFeed, ...CoveredFeed[]]>();
  for (const feed of feeds) {
    const { connectorKey, since, until, resources, fields } = feed;
    const key = JSON.stringify([connectorKey, since, until, resources, fields === null ? null : [...fields]]);
    const found = alike.get(key);
    if (found === undefined) alike.set(key, [feed]);
    else found.push(feed);
  }
  const shapes: Shape[] = [];
  for (const feeds of alike.values()) {
    const field = fieldOf(query, feeds[0]);
    if (!field.ok) return field;
    const read = parseFilters(filters, feeds[0]);
    if (!read.ok) return read;
    shapes.push({ feeds, filters: read.value, field: field.value });
  }
  return ok(shapes);
}

/** `FROM records r … WHERE …`: what is covered and passes the filters and, if asked for, has the field. */
export interface Scan extends Statement {
  /** The field's value in SQL; `NULL` without a field. */
  readonly value: string;
  readonly hasColumn: boolean;
  /** Whether the value's own index is read, in its order. */
  readonly isByValue: boolean;
}

export function scanOf({ feeds, filters, field }: Shape, only: "all" | "with value"): Scan {
  const [feed] = feeds;
  const asked = conditionsOf(filters, feed);
  const read = only === "all" || field === null ? null : valueOf(feed, field);
  const column = feed.resources === null ? columnFor(feed, filters, read?.slot) : null;
  const covered = allOf([feedCondition(feeds), ...grantedRows(feed)]);
  const from = [
    `records r${column === null ? "" : ` INDEXED BY records_by_${column}`}`,
    ...(asked.needsBody || read?.needsBody === true ? [BODY_JOIN] : []),
  ];
  const conditions = [
    covered.sql,
    ...(asked.sql === "" ? [] : [asked.sql]),
    ...(read === null ? [] : [`${read.sql} IS NOT NULL`]),
  ];
  return {
    sql: `FROM ${from.join(" ")} WHERE ${conditions.join(" AND ")}`,
    values: [...covered.values, ...asked.values],
    value: read?.sql ?? "NULL",
    hasColumn: read?.slot !== undefined,
    isByValue: column !== null && column === read?.slot,
  };
}

/** Hidden from the indexes by a plus where keys are looked up: a column's own index would be read from end to end. */
function valueOf(feed: CoveredFeed, field: FieldDeclaration) {
  const { sql, needsBody } = fieldValue(feed, field);
  const isHidden = feed.resources !== null && !needsBody;
  return { sql: isHidden ? `+${sql}` : sql, needsBody, slot: feed.slots.get(field.name) };
}

function feedCondition(feeds: readonly CoveredFeed[]): Statement {
  const ids = feeds.map(({ feedId }) => feedId);
  const [only] = ids;
  return ids.length === 1 && only !== undefined
    ? { sql: "r.feed_id = ?", values: [only] }
    : { sql: "r.feed_id IN (SELECT value FROM json_each(?))", values: [JSON.stringify(ids)] };
}

/**
 * Whose index is read, by name: without statistics SQLite guesses, and what it guesses changes with its version. An exact
 * filter's column reads the fewest entries, then a range's, then the value's own, which holds all that is asked for. Records
 * named one by one are looked up by their keys instead, which have no name to give.
 */
function columnFor(
  { slots }: CoveredFeed,
  filters: readonly FieldFilter[],
  value: Slot | undefined,
): Slot | "cursor" {
  const slotOf = (isWanted: (filter: FieldFilter, slot: Slot) => boolean): Slot | undefined =>
    filters
      .map((filter) => ({ filter, slot: slots.get(filter.field.name) }))
      .flatMap(({ filter, slot }) => (slot !== undefined && isWanted(filter, slot) ? [slot] : []))[0];
  return (
    slotOf(({ operator }, slot) => operator === "eq" && slot === value) ??
    slotOf(({ operator }) => operator === "eq") ??
    slotOf((_, slot) => slot === value) ??
    slotOf(() => true) ??
    value ??
    "cursor"
  );
}
