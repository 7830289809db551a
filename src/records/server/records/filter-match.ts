import { compareCodePoints } from "../../../code-points.ts";
import { compareDecimals, decimalOf, isInteger } from "../../../exact-json/decimal.ts";
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

/** Whole numbers exactly, others as the doubles that SQLite would hold. */
function compareNumbers(left: string, right: string): number {
  const [one, other] = [decimalOf(left), decimalOf(right)];
  return isInteger(one) && isInteger(other) ? compareDecimals(one, other) : Number(left) - Number(right);
}
