import type { CoveredFeed } from "../../grant/coverage.ts";
import { slotText } from "../../manifest/slots.ts";
import { allOf, coveredRows, isOrdered, type Condition } from "../covered.ts";
import { COMPARISONS, conditionsOf } from "../filter/conditions.ts";
import { BODY_JOIN } from "../filter/field-value.ts";
import type { FieldFilter } from "../filter/filters.ts";

/** Which rows of a feed are meant, and how they are found. */
export interface RowChoice {
  /** What stands behind FROM: `records r`, with its index; with its values in their order. */
  readonly from: Condition;
  readonly where: Condition;
  /** Whether the index gives them in the order of a page. */
  readonly isInOrder: boolean;
  /** Whether some row that is meant can be without a value to be ordered by. */
  readonly hasUnordered: boolean;
}

/**
 * The rows that the grant covers and the filters let through. The index is named and not left to SQLite, which has no
 * statistics here and would now and then go through a whole feed: named records by their keys; then an exact filter's
 * column; then the range of another filter's; and else the order itself, which a filter on its own field narrows. Without an
 * order that the grant gives only its times are looked up there.
 */
export function chooseRows(feed: CoveredFeed, filters: readonly FieldFilter[]): RowChoice {
  const { cursorField } = feed.stream;
  const byOrder = filters.filter(({ field }) => field.name === cursorField);
  const others = filters.filter(({ field }) => field.name !== cursorField);
  const conditions = conditionsOf(others, feed);
  const { sql, values, isInOrder } = rowsBy(feed, byOrder, others);
  return {
    from: { sql: conditions.needsBody ? `${sql} ${BODY_JOIN}` : sql, values },
    where: allOf([
      coveredRows(feed),
      ...(conditions.sql === "" ? [] : [conditions]),
      ...byOrder.map(orderCondition),
    ]),
    isInOrder,
    hasUnordered: byOrder.length === 0 && !isTimedByOrder(feed),
  };
}

/** A filter on the field that a stream is ordered by, over the order's own column: it has no type to lend a number's text. */
function orderCondition({ field, operator, value }: FieldFilter): Condition {
  const isNumber = field.kind === "integer" || field.kind === "number";
  return {
    sql: `r.cursor_value ${COMPARISONS[operator]} ${isNumber ? "json_extract(?, '$')" : "?"}`,
    values: [field.kind === "text" ? slotText(value) : value],
  };
}

function rowsBy(
  feed: CoveredFeed,
  byOrder: readonly FieldFilter[],
  others: readonly FieldFilter[],
): Condition & { readonly isInOrder: boolean } {
  const { feedId, resources, slots } = feed;
  if (resources !== null) {
    // The primary key has no name to be asked for by, so the keys are what the rows are looked up with, one by one.
    return {
      sql: "(SELECT DISTINCT value FROM json_each(?)) k CROSS JOIN records r ON r.feed_id = ? AND r.record_key = k.value",
      values: [JSON.stringify(resources), feedId],
      isInOrder: false,
    };
  }
  const slotted = others.filter(({ field }) => slots.has(field.name));
  const exact = slotted.find(({ operator }) => operator === "eq");
  const filter = exact ?? (byOrder.length > 0 ? undefined : slotted[0]);
  const slot = filter === undefined ? undefined : slots.get(filter.field.name);
  // The table itself lies by key; what is covered of a range of times is in the order's index.
  const isByKey = !isOrdered(feed) && !isTimedByOrder(feed);
  if (slot === undefined && isByKey) return { sql: "records r", values: [], isInOrder: true };
  return slot === undefined
    ? { sql: "records r INDEXED BY records_by_cursor", values: [], isInOrder: true }
    : { sql: `records r ${bySlot(slot)}`, values: [], isInOrder: exact !== undefined };
}

/** Whether the grant has times, and they are those of the order. */
function isTimedByOrder({ since, until, stream }: CoveredFeed): boolean {
  return (since !== null || until !== null) && stream.cursorField === stream.consentTimeField;
}

/** A column's own index. */
export function bySlot(slot: string): string {
  return `INDEXED BY records_by_${slot}`;
}
