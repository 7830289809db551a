import type { FieldDeclaration } from "../../manifest/manifest.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";

/** How SQL reads a field of a record: `r` is its row of `records`, `v` its row of `record_versions`. */
export interface FieldValue {
  /** Null where the record has no such value. Texts, `'true'` and `'false'`, numbers, canonical times. */
  readonly sql: string;
  /** Whether `v` is read: the field has no typed column. */
  readonly needsBody: boolean;
}

/** What joins a record to its body, for a statement that reads fields without a column. */
export const BODY_JOIN = "CROSS JOIN record_versions v ON v.feed_id = r.feed_id AND v.version = r.version";

/** The field in its typed column, or else out of the body, where no index helps. */
export function fieldValue({ slots }: CoveredFeed, { name, kind }: FieldDeclaration): FieldValue {
  const slot = slots.get(name);
  if (slot !== undefined) return { sql: `r.${slot}`, needsBody: false };
  const path = jsonPath(name);
  const type = `json_type(v.data, ${path})`;
  const value = `json_extract(v.data, ${path})`;
  // From its text, as a column would take it: 1e2 is whole, and 64 bits stay exact.
  const number = `CAST(v.data -> ${path} AS NUMERIC)`;
  const finite = `${number} BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308`;
  const sql = {
    text: `CASE ${type} WHEN 'text' THEN ${value} END`,
    boolean: `CASE ${type} WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' END`,
    integer: `CASE WHEN (${type} = 'integer' OR ${type} = 'real' AND ${number} = round(${number})) AND ${finite} THEN ${number} END`,
    number: `CASE WHEN ${type} IN ('integer', 'real') AND ${finite} THEN ${number} END`,
    time: `CASE ${type} WHEN 'text' THEN ${canonicalTimeSql(value)} END`,
    date: `CASE ${type} WHEN 'text' THEN ${canonicalTimeSql(value)} END`,
    other: "NULL",
  }[kind];
  return { sql, needsBody: true };
}

/** A field's path as SQLite reads it, as an SQL literal. In a quoted name it takes JSON's own escapes. */
export function jsonPath(name: string): string {
  return sqlText(`$.${JSON.stringify(name)}`);
}

function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * What `canonicalTime` says of a text, in SQL, for times without a column. SQLite's own reading rounds to milliseconds, takes
 * few zones and rolls a day over that its month does not have; so fraction and zone go round it, and the day is compared.
 * SQLite also reads a day with a `T` and no clock, and writes years before 0, so both are judged. `n` is where the clock ends, `z` the zone, `f` the fraction between them. Digits are SQLite's own business to check: D1
 * takes patterns of fifty characters.
 */
function canonicalTimeSql(text: string): string {
  const zone = `substr(z, 1, 1) || ((substr(z, 2, 2) * 60 + substr(z, -2)) * 60)`;
  return `(SELECT CASE
WHEN date(substr(t, 1, 10)) IS NOT substr(t, 1, 10) THEN NULL
WHEN length(t) = 10 THEN t || 'T00:00:00'
WHEN length(t) > 15 AND substr(t, 11, 1) = 'T' AND substr(t, 12, 2) < '24'
AND (f = '' OR n = 19 AND f GLOB '.[0-9]*' AND f NOT GLOB '*.*.*' AND length(f) < 32)
AND (z IN ('', 'Z') OR substr(z, 2, 2) < '24' AND (z GLOB '[-+][0-2][0-9]:[0-5][0-9]' OR z GLOB '[-+][0-2][0-9][0-5][0-9]'))
THEN (SELECT c || rtrim(rtrim(f, '0'), '.') FROM (SELECT strftime('%Y-%m-%dT%H:%M:%S', unixepoch(substr(t, 1, n)) - CASE WHEN z IN ('', 'Z') THEN 0 ELSE ${zone} END, 'unixepoch') AS c) WHERE substr(c, 1, 1) <> '-')
END FROM (SELECT t, n, z, substr(t, n + 1, length(t) - n - length(z)) AS f FROM (SELECT t, n, ltrim(substr(t, n + 1), '.0123456789') AS z FROM (SELECT t, CASE substr(t, 17, 1) WHEN ':' THEN 19 ELSE 16 END AS n FROM (SELECT replace(upper(${text}), ' ', 'T') AS t)))))`;
}
