import type { CoveredFeed } from "../../grant/coverage.ts";
import { slotText } from "../../manifest/slots.ts";
import type { SqlValue } from "../ports.ts";
import { fieldValue } from "./field-value.ts";
import type { FieldFilter } from "./filters.ts";

/** What filters say in a WHERE clause over `records r` and, where a body is needed, `record_versions v` (`BODY_JOIN`). */
export interface FilterConditions {
  /** Joined by AND; empty without filters. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
  readonly needsBody: boolean;
}

export const COMPARISONS = { eq: "=", gte: ">=", gt: ">", lte: "<=", lt: "<" } as const;

export function conditionsOf(filters: readonly FieldFilter[], feed: CoveredFeed): FilterConditions {
  const parts = filters.map(({ field, operator, value }) => {
    const { sql, needsBody } = fieldValue(feed, field);
    const isNumber = field.kind === "integer" || field.kind === "number";
    // A column lends a number's text its own type; an expression has none to lend.
    const asked = isNumber && needsBody ? "CAST(? AS NUMERIC)" : "?";
    return {
      sql: `${sql} ${COMPARISONS[operator]} ${asked}`,
      value: field.kind === "text" && !needsBody ? slotText(value) : value,
      needsBody,
    };
  });
  return {
    sql: parts.map(({ sql }) => sql).join(" AND "),
    values: parts.map(({ value }) => value),
    needsBody: parts.some(({ needsBody }) => needsBody),
  };
}
