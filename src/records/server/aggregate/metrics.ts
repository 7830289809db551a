import { compareDecimals, decimalOf } from "../../../exact-json/decimal.ts";
import { ExactNumber, isExactNumber } from "../../../exact-json/exact-number.ts";
import type { BodyReader, Row, Statement } from "../ports.ts";
import { ownColumns, ownValue } from "./own-value.ts";
import { scanOf, type Shape } from "./scan.ts";
import { groupTerms, unionOf } from "./union.ts";

/** How many records there are, the field or not. */
export function countStatement(shape: Shape): Statement {
  const { sql, values } = scanOf(shape, "all");
  return { sql: `SELECT count(*) AS c ${sql}`, values };
}

export function countOf(rows: readonly Row[] | undefined): number {
  return Number(rows?.[0]?.["c"] ?? 0);
}

/**
 * A sum in halves: SQLite's own fails where 64 bits overflow, and JavaScript rounds beyond 53. The upper and lower 32 bits of
 * two billion whole numbers add up within 64. Fractions are added as doubles.
 */
export function sumStatement(shape: Shape): Statement {
  const { sql, values, value } = scanOf(shape, "with value");
  return {
    sql: `SELECT CAST(sum(CASE typeof(k) WHEN 'integer' THEN k >> 32 END) AS TEXT) AS high,
CAST(sum(CASE typeof(k) WHEN 'integer' THEN k & 4294967295 END) AS TEXT) AS low,
sum(CASE typeof(k) WHEN 'real' THEN k END) AS fraction FROM (SELECT ${value} AS k ${sql})`,
    values,
  };
}

/** The sum over all shapes; null where no record has a number. */
export function sumOf(results: readonly (readonly Row[])[]): number | ExactNumber | null {
  let whole: bigint | null = null;
  let fraction: number | null = null;
  for (const [row] of results) {
    const [high, low, real] = [row?.["high"], row?.["low"], row?.["fraction"]];
    if (typeof high === "string" && typeof low === "string") {
      whole = (whole ?? 0n) + BigInt(high) * 4_294_967_296n + BigInt(low);
    }
    if (typeof real === "number") fraction = (fraction ?? 0) + real;
  }
  if (fraction !== null) {
    const sum = Number(whole ?? 0n) + fraction;
    return Number.isFinite(sum) ? sum : null;
  }
  return whole === null ? null : exactInteger(whole);
}

/** The least or greatest value, with the record that has it; of several, the first of the least or the last of the greatest. */
export function extremeStatement(shape: Shape, metric: "min" | "max"): Statement {
  if (shape.field === null) return { sql: "SELECT NULL AS k WHERE 0", values: [] };
  const { sql, values, value } = scanOf(shape, "with value");
  const order = metric === "min" ? "" : " DESC";
  const { columns, join } = ownColumns(shape.field);
  return {
    sql: `SELECT CAST(q.k AS TEXT) AS k, ${columns} FROM (SELECT ${value} AS k, r.feed_id AS f, r.record_key AS p ${sql}
ORDER BY ${value}${order}, r.cursor_value${order}, r.record_key${order} LIMIT 1) q ${join}`,
    values,
  };
}

/** The extreme of all shapes as its record writes it. */
export async function extremeOf(
  shapes: readonly Shape[],
  results: readonly (readonly Row[])[],
  metric: "min" | "max",
  bodies: BodyReader,
): Promise<unknown> {
  let best: { readonly key: ExtremeKey; readonly value: unknown } | null = null;
  for (const [index, shape] of shapes.entries()) {
    const row = results[index]?.[0];
    const stored = row?.["k"];
    if (row === undefined || typeof stored !== "string" || shape.field === null) continue;
    const isNumber = shape.field.kind === "integer" || shape.field.kind === "number";
    const value =
      (await ownValue(row, shape.field, bodies)) ?? (isNumber ? jsonNumber(stored) : `${stored}Z`);
    const key = isNumber ? decimalOf(numberText(value)) : stored;
    const isBetter = best === null || (metric === "min" ? isBefore(key, best.key) : isBefore(best.key, key));
    if (isBetter) best = { key, value };
  }
  return best?.value ?? null;
}

type ExtremeKey = string | ReturnType<typeof decimalOf>;

/** Of two types, as several connectors may have them under one name, times come after numbers. */
function isBefore(one: ExtremeKey, other: ExtremeKey): boolean {
  if (typeof one === "string") return typeof other === "string" && one < other;
  return typeof other === "string" || compareDecimals(one, other) < 0;
}

/** How many values differ; times by their instant, whatever their zone. */
export function distinctStatement(shapes: readonly Shape[]): Statement {
  const { sql, values } = unionOf(shapes);
  return { sql: `SELECT count(*) AS c FROM (SELECT k FROM (${sql}) GROUP BY ${groupTerms(shapes)})`, values };
}

function exactInteger(value: bigint): number | ExactNumber {
  const nearest = Number(value);
  return Number.isSafeInteger(nearest) ? nearest : new ExactNumber(String(value));
}

/** SQLite's text of a number as JSON has it. */
export function jsonNumber(text: string): number | ExactNumber | null {
  if (/^-?[0-9]+$/.test(text)) return exactInteger(BigInt(text));
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

function numberText(value: unknown): string {
  if (isExactNumber(value)) return value.text;
  return typeof value === "number" ? String(value) : "0";
}
