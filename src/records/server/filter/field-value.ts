import { FILTER_NUMBER_MAX_CHARS } from "../../../limits/records.ts";
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
  const number = (isWhole: string): string =>
    `CASE WHEN ${type} IN ('integer', 'real') THEN ${columnNumberSql(`v.data -> ${path}`, isWhole)} END`;
  const sql = {
    text: `CASE ${type} WHEN 'text' THEN ${value} END`,
    boolean: `CASE ${type} WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' END`,
    integer: number("w"),
    number: number("1"),
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

/** Digits of the largest whole number of 64 bits. */
const INT64_DIGITS = 19;

/**
 * What a column takes of a number's text, in SQL: a whole number of 64 bits exactly, however it is written, of others the
 * nearest double, and nothing that is infinite to it or longer than a filter may be. SQLite's own reading passes what has a
 * point or an exponent through a double. `d` are the digits, `z` the zeros behind them or, below zero, how many are behind the
 * point; `w` whether none of those says anything; `r` SQLite's reading.
 */
function columnNumberSql(text: string, isWhole: string): string {
  const digits = `CASE WHEN z < 0 THEN substr(d, 1, length(d) + z) ELSE d || substr('${"0".repeat(INT64_DIGITS)}', 1, z) END`;
  return `(SELECT CASE WHEN NOT (${isWhole}) OR length(t) > ${FILTER_NUMBER_MAX_CHARS} OR r NOT BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308 THEN NULL
WHEN typeof(i) = 'integer' THEN i WHEN abs(r) < 9223372036854775807 AND CAST(r AS INTEGER) = r THEN CAST(r AS INTEGER) ELSE r END
FROM (SELECT t, r, w, CASE WHEN w AND z < ${INT64_DIGITS} THEN CAST(substr('-', 1, t LIKE '-%') || '0' || ${digits} AS NUMERIC) END AS i
FROM (SELECT t, d, z, CAST(t AS NUMERIC) AS r, z >= 0 OR ltrim(substr(d, z), '0') = '' AS w
FROM (SELECT t, replace(replace(m, '.', ''), '-', '') AS d, CAST(substr(t, length(m) + 2) AS INTEGER) - max(0, length(m) - instr(m || '.', '.')) AS z
FROM (SELECT t, substr(t, 1, instr(t || 'e', 'e') - 1) AS m FROM (SELECT lower(${text}) AS t))))))`;
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
