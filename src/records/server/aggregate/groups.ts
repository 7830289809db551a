import type { BodyReader, Row, Statement } from "../ports.ts";
import { jsonNumber } from "./metrics.ts";
import { ownColumns, ownValue } from "./own-value.ts";
import type { Shape } from "./scan.ts";
import { groupTerms, unionOf } from "./union.ts";

export interface Group {
  readonly key: unknown;
  readonly count: number;
}

/** Groups by size, with how many records are in any (`s`): what is missing of all has no value. */
export function groupsStatement(shapes: readonly Shape[], limit: number): Statement {
  const { sql, values } = unionOf(shapes);
  const field = shapes[0]?.field ?? null;
  const own = field === null ? { columns: "NULL AS own, NULL AS object", join: "" } : ownColumns(field);
  const terms = groupTerms(shapes);
  return {
    sql: `WITH a AS MATERIALIZED (SELECT g, k, count(*) AS c, f, min(p) AS p FROM (${sql}) GROUP BY ${terms}),
q AS (SELECT g, k, c, f, p, row_number() OVER (ORDER BY c DESC, ${terms}) AS place FROM a ORDER BY place LIMIT ?)
SELECT q.g, q.c, CASE typeof(q.k) WHEN 'text' THEN q.k ELSE CAST(q.k AS TEXT) END AS k, (SELECT sum(c) FROM a) AS s, ${own.columns}
FROM q ${own.join} ORDER BY q.place`,
    values: [...values, limit],
  };
}

/** The groups that are shown, the one of records without a value (`null`) at its place among them. */
export async function groupsOf(
  shapes: readonly Shape[],
  rows: readonly Row[],
  total: number,
  limit: number,
  bodies: BodyReader,
): Promise<readonly Group[]> {
  const groups: Group[] = [];
  for (const row of rows) groups.push({ key: await keyOf(row, shapes, bodies), count: Number(row["c"]) });
  const missing = total - Number(rows[0]?.["s"] ?? 0);
  if (missing > 0) {
    const after = groups.findIndex(({ count }) => count < missing);
    groups.splice(after < 0 ? groups.length : after, 0, { key: null, count: missing });
  }
  return groups.slice(0, limit);
}

async function keyOf(row: Row, shapes: readonly Shape[], bodies: BodyReader): Promise<unknown> {
  const text = String(row["k"]);
  if (row["g"] === "boolean") return text === "true";
  const field = shapes[0]?.field ?? null;
  // A column holds the beginning of a long text, and a time or number in a form of its own.
  const own = field === null ? undefined : await ownValue(row, field, bodies);
  if (own !== undefined) return own;
  if (row["g"] === "number") return jsonNumber(text);
  return row["g"] === "time" ? `${text}Z` : text;
}
