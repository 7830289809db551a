import { compareCodePoints } from "../../../code-points.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { allOf, isOrdered, type Condition } from "../covered.ts";
import type { FieldFilter } from "../filter/filters.ts";
import type { Statement } from "../ports.ts";
import { boundOrder, orderColumns, type Direction, type Position } from "./position.ts";
import { chooseRows } from "./row-choice.ts";

export interface PageQuestion {
  /** What the request itself narrows to. */
  readonly filters: readonly FieldFilter[];
  readonly direction: Direction;
  /** The last record that was given. */
  readonly after: Position | null;
  /** At most so many rows. */
  readonly take: number;
}

/**
 * The keys of one feed's next records, in order, without their bodies: those with a value to be ordered by, then those
 * without. Where an index has the order, each half is a range of it, and the second is begun only where the first did not
 * fill the page; else all that is meant is sorted. Without an order that the grant gives it is that of keys.
 */
export function pageStatement(feed: CoveredFeed, question: PageQuestion): Statement {
  const keys = keysStatement(feed, question);
  return {
    sql: `SELECT r.record_key, r.version, r.emitted_at, ${orderColumns(feed, "r")}, v.data_bytes FROM (${keys.sql} LIMIT ?) p
CROSS JOIN records r ON r.feed_id = p.feed_id AND r.record_key = p.record_key
CROSS JOIN record_versions v ON v.feed_id = r.feed_id AND v.version = r.version`,
    values: [...keys.values, question.take],
  };
}

function keysStatement(feed: CoveredFeed, { filters, direction, after, take }: PageQuestion): Statement {
  const { from, where, isInOrder, hasUnordered } = chooseRows(feed, filters);
  const isBehindOrdered = after?.order.type === "null";
  const desc = direction === "desc" ? " DESC" : "";
  const select = (conditions: readonly Condition[], order: string): Statement => {
    const all = allOf([where, ...conditions]);
    return {
      sql: `SELECT r.feed_id, r.record_key FROM ${from.sql} WHERE ${all.sql} ORDER BY ${order}r.record_key${desc}`,
      values: [...from.values, ...all.values],
    };
  };
  if (!isOrdered(feed)) return select(afterKey(feed, direction, after), "");
  const unordered = [UNORDERED, ...afterKey(feed, direction, after)];
  if (isBehindOrdered) return select(unordered, "");
  const ordered = afterValue(feed, direction, after);
  if (!isInOrder) {
    return select(
      ordered.map(({ sql, values }) => ({ sql: `(${sql} OR ${UNORDERED.sql})`, values })),
      `${UNORDERED.sql}, r.cursor_value${desc}, `,
    );
  }
  const first = select([ORDERED, ...ordered], `r.cursor_value${desc}, `);
  if (!hasUnordered) return first;
  const last = select(unordered, "");
  return {
    sql: `SELECT * FROM (${first.sql} LIMIT ?) UNION ALL SELECT * FROM (${last.sql} LIMIT ?)`,
    values: [...first.values, take, ...last.values, take],
  };
}

/** How many there are, whatever page is read. */
export function countStatement(feed: CoveredFeed, filters: readonly FieldFilter[]): Statement {
  const { from, where } = chooseRows(feed, filters);
  return {
    sql: `SELECT COUNT(*) AS count FROM ${from.sql} WHERE ${where.sql}`,
    values: [...from.values, ...where.values],
  };
}

const ORDERED: Condition = { sql: "r.cursor_value IS NOT NULL", values: [] };
const UNORDERED: Condition = { sql: "r.cursor_value IS NULL", values: [] };

function afterValue(feed: CoveredFeed, direction: Direction, after: Position | null): Condition[] {
  if (after === null || after.order.type === "null") return [];
  const { sql, value } = boundOrder(after.order);
  return [
    {
      sql: `(r.cursor_value, r.record_key) ${beyond(feed, direction, after)} (${sql}, ?)`,
      values: [value, after.key],
    },
  ];
}

function afterKey(feed: CoveredFeed, direction: Direction, after: Position | null): Condition[] {
  return after?.order.type === "null"
    ? [{ sql: `r.record_key ${beyond(feed, direction, after)} ?`, values: [after.key] }]
    : [];
}

/** Connections come last in a position, so one that is still to come begins with the position's own value and key. */
function beyond({ connectionId }: CoveredFeed, direction: Direction, after: Position): string {
  const compared = compareCodePoints(connectionId, after.connectionId);
  const isToCome = direction === "asc" ? compared > 0 : compared < 0;
  return `${direction === "asc" ? ">" : "<"}${isToCome ? "=" : ""}`;
}
