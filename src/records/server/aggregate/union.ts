import { SQL_COMPOUND_MAX_COUNT } from "../../../limits/records.ts";
import type { FieldKind } from "../../manifest/manifest.ts";
import type { Statement } from "../ports.ts";
import { scanOf, type Shape } from "./scan.ts";

const TYPES: Readonly<Record<FieldKind, string>> = {
  text: "text",
  boolean: "boolean",
  integer: "number",
  number: "number",
  time: "time",
  date: "time",
  other: "other",
};

/**
 * One row for every covered record that has the field: `g` type, `k` value, `f` feed, `p` key. The type keeps a text apart
 * from the boolean or time of another connector that is written alike. One shape stays a plain SELECT, in index order.
 */
export function unionOf(shapes: readonly Shape[]): Statement {
  let parts = shapes.map((shape): Statement => {
    const { sql, values, value } = scanOf(shape, "with value");
    const type = TYPES[shape.field?.kind ?? "other"];
    return { sql: `SELECT '${type}' AS g, ${value} AS k, r.feed_id AS f, r.record_key AS p ${sql}`, values };
  });
  // A compound has few SELECTs at most, but may stand in one again.
  while (parts.length > 1) {
    const joined: Statement[] = [];
    for (let index = 0; index < parts.length; index += SQL_COMPOUND_MAX_COUNT) {
      const some = parts.slice(index, index + SQL_COMPOUND_MAX_COUNT);
      joined.push({
        sql: some.map(({ sql }) => `SELECT g, k, f, p FROM (${sql})`).join(" UNION ALL "),
        values: some.flatMap(({ values }) => values),
      });
    }
    parts = joined;
  }
  return parts[0] ?? { sql: "SELECT NULL AS g, NULL AS k, NULL AS f, NULL AS p WHERE 0", values: [] };
}

/** What tells values apart: of one type, the value alone, so that the index's order serves. */
export function groupTerms(shapes: readonly Shape[]): string {
  const types = new Set(shapes.map(({ field }) => TYPES[field?.kind ?? "other"]));
  return types.size === 1 ? "k" : "k, g";
}
