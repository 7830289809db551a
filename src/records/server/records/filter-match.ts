import { compareCodePoints } from "../../../code-points.ts";
import { compareDecimals, type Decimal, decimalOf, int64Digits } from "../../../exact-json/decimal.ts";
import { isExactNumber } from "../../../exact-json/exact-number.ts";
import { parseExactJson } from "../../../exact-json/parse.ts";
import { memberOf } from "../../../json.ts";
import { columnValue } from "../../ingest/row-values.ts";
import { slotText } from "../../manifest/slots.ts";
import type { FieldFilter } from "../filter/filters.ts";

/** Whether a body passes the filters, as its row in `records` would: a state that is no longer there has no row to ask. */
export function matchesFilters(text: string, filters: readonly FieldFilter[]): boolean {
  if (filters.length === 0) return true;
  const parsed = parseExactJson(text, { duplicates: "last" });
  return parsed.ok && filters.every((filter) => matches(memberOf(parsed.value, filter.field.name), filter));
}

function matches(value: unknown, { field, operator, value: asked }: FieldFilter): boolean {
  const held = columnValue(field.kind, value);
  if (held === null) return false;
  const compared =
    typeof held === "string"
      ? compareCodePoints(held, field.kind === "text" ? slotText(asked) : asked)
      : compareNumbers(isExactNumber(held) ? held.text : String(held), asked);
  switch (operator) {
    case "eq":
      return compared === 0;
    case "gte":
      return compared >= 0;
    case "gt":
      return compared > 0;
    case "lte":
      return compared <= 0;
    case "lt":
      return compared < 0;
  }
}

function compareNumbers(left: string, right: string): number {
  return compareDecimals(asStored(left), asStored(right));
}

/** Whole numbers of 64 bits exactly, others as the doubles that SQLite would hold. */
function asStored(text: string): Decimal {
  const decimal = decimalOf(text);
  if (int64Digits(decimal) !== undefined) return decimal;
  const double = Number(text);
  if (!Number.isFinite(double)) return decimal;
  return decimalOf(Number.isInteger(double) ? String(BigInt(double)) : String(double));
}
