import { compareCodePoints } from "../../../code-points.ts";
import { compareDecimals, decimalOf } from "../../../exact-json/decimal.ts";
import { isJsonArray } from "../../../json.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { isOrdered } from "../covered.ts";
import type { Row, SqlValue } from "../ports.ts";

/**
 * What a record is ordered by. An integer is kept as its digits, since SQLite's have 64 bits and JavaScript's 53; null is
 * what has no value to be ordered by, and comes last.
 */
export type OrderValue =
  | { readonly type: "integer"; readonly value: string }
  | { readonly type: "real"; readonly value: number }
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "null" };

/** Where a record stands in the order of a page. No two records of a stream stand at one position. */
export interface Position {
  readonly order: OrderValue;
  readonly key: string;
  readonly connectionId: string;
}

export type Direction = "asc" | "desc";

/** The columns that `orderValueOf` reads, of this alias of `records`; of a feed without an order no record has a value. */
export function orderColumns(feed: CoveredFeed, alias: string): string {
  if (!isOrdered(feed)) return "'null' AS order_type, NULL AS order_value";
  const column = `${alias}.cursor_value`;
  return `typeof(${column}) AS order_type, CASE typeof(${column}) WHEN 'integer' THEN CAST(${column} AS TEXT) ELSE ${column} END AS order_value`;
}

export function orderValueOf({ order_type: type, order_value: value }: Row): OrderValue {
  if (type === "integer" && typeof value === "string") return { type, value };
  if (type === "real" && typeof value === "number") return { type, value };
  return type === "text" && typeof value === "string" ? { type, value } : { type: "null" };
}

/** An order value in a statement, without an affinity of its own: a column of the index is compared as it is. */
export function boundOrder(order: Exclude<OrderValue, { type: "null" }>): {
  readonly sql: string;
  readonly value: SqlValue;
} {
  return { sql: order.type === "integer" ? "json_extract(?, '$')" : "?", value: order.value };
}

/** As SQLite compares: numbers, then texts by their bytes, then what has no value. */
function compareOrders(left: OrderValue, right: OrderValue): number {
  if (left.type === "null" || right.type === "null") {
    return Number(left.type === "null") - Number(right.type === "null");
  }
  if (left.type === "text" || right.type === "text") {
    if (left.type !== right.type) return left.type === "text" ? 1 : -1;
    return compareCodePoints(String(left.value), String(right.value));
  }
  return compareDecimals(decimalOf(String(left.value)), decimalOf(String(right.value)));
}

/** Below zero where `left` is given first. What has no value to be ordered by is last in both directions. */
export function comparePositions(left: Position, right: Position, direction: Direction): number {
  const byOrder = compareOrders(left.order, right.order);
  const isLastAnyway = (left.order.type === "null") !== (right.order.type === "null");
  if (isLastAnyway) return byOrder;
  const compared =
    byOrder ||
    compareCodePoints(left.key, right.key) ||
    compareCodePoints(left.connectionId, right.connectionId);
  return direction === "asc" ? compared : -compared;
}

/** For a cursor. */
export function positionPayload({ order, key, connectionId }: Position): unknown {
  return [order.type, order.type === "null" ? null : order.value, key, connectionId];
}

export function positionOf(payload: unknown): Position | undefined {
  if (!isJsonArray(payload)) return undefined;
  const [type, value, key, connectionId] = payload;
  if (typeof key !== "string" || typeof connectionId !== "string") return undefined;
  return { order: orderValueOf({ order_type: type, order_value: value }), key, connectionId };
}
