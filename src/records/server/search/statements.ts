import { SEARCH_INLINE_BODY_MAX_BYTES } from "../../../limits/records.ts";
import { BEGINNING } from "../../search/terms.ts";
import { allOf, isWholeFeed, type Condition } from "../covered.ts";
import { groupBy } from "../group-by.ts";
import type { Row, Statement } from "../ports.ts";
import { keysParameter, scopeParameter, type SearchedField } from "./scopes.ts";

/** BM25's saturation and its weight of a document's length, as everybody sets them. */
const BM25_K1 = 1.2;
const BM25_B = 0.75;
/** Scores are summed as integers: a sum of fractions would depend on the order in which it is made, and a cursor on the sum. */
export const SCORE_UNITS = 1e11;

/** What is searched, and for what. */
export interface Search {
  readonly fields: readonly SearchedField[];
  /** Terms without scope, as `askedTerm` gives them. */
  readonly words: readonly string[];
}

/** What a search looks at, as it was when it began. */
export interface Snapshot {
  /** The oldest document. */
  readonly first: number;
  /** The newest document and the newest version of any record: what is newer was written meanwhile. */
  readonly last: number;
  readonly lastVersion: number;
  /** The newest feed. No id of all these is ever given twice. */
  readonly lastFeed: number;
}

/** A scope exists once a record had a word in it; `n` is the field's place in `Search.fields`. */
const SCOPES = `scope AS MATERIALIZED (SELECT j.key AS n, o.id, o.feed_id, o.field, o.document_count, o.term_count, j.value ->> 2 AS has_times, j.value ->> 3 AS since, j.value ->> 4 AS until, j.value ->> 5 AS has_keys FROM json_each(?) j CROSS JOIN record_scopes o ON o.feed_id = j.value ->> 0 AND o.field = j.value ->> 1)`;
const KEYS = `covered_key AS MATERIALIZED (SELECT j.value ->> 0 AS feed_id, k.value AS record_key FROM json_each(?) j CROSS JOIN json_each(j.value, '$[1]') k)`;
/** Words with their place and weight; `beyond` is behind all that begins with it, where that is meant. */
const WORDS = `word AS MATERIALIZED (SELECT key AS n, value ->> 0 AS term, value ->> 1 AS weight, value ->> 2 AS beyond FROM json_each(?))`;
const IN_TIMES = "d.consent_time >= s.since AND d.consent_time < s.until";
const IN_COVER = `(s.has_times = 0 OR (${IN_TIMES})) AND (s.has_keys = 0 OR (d.feed_id, d.record_key) IN (SELECT feed_id, record_key FROM covered_key))`;
/** Every place of a word in a covered document: a token, or a range of them, is looked up, so that no other scope's places are passed. */
const placesOf = ({ words }: Search): string =>
  `scope s CROSS JOIN word w CROSS JOIN record_terms_at a ON ${words.some(isBeginning) ? TOKENS : TOKEN} CROSS JOIN record_documents d ON d.id = a.doc AND d.scope_id = s.id WHERE ${IN_COVER}`;

const TOKEN = "a.term = 's' || s.id || 'x' || w.term";
const TOKENS =
  "a.term >= 's' || s.id || 'x' || w.term AND a.term <= 's' || s.id || 'x' || w.term || w.beyond";
/** Behind every digit that a term has. */
const BEYOND = "g";

function isBeginning(word: string): boolean {
  return word.endsWith(BEGINNING);
}

const WITH_PLACES = `WITH ${SCOPES}, ${KEYS}, ${WORDS}`;

function placeValues({ fields, words }: Search, weights: readonly number[] = []): readonly string[] {
  return [
    scopeParameter(fields),
    keysParameter(fields),
    JSON.stringify(
      words.map((word, index) => [
        isBeginning(word) ? word.slice(0, -1) : word,
        weights[index] ?? 0,
        isBeginning(word) ? BEYOND : "",
      ]),
    ),
  ];
}

/** One row: `last`, the newest document's id, `last_version`, the newest version's, and `last_feed`, the newest feed's. */
export const LAST_WRITTEN: Statement = {
  sql: "SELECT (SELECT coalesce(max(id), 0) FROM record_documents) AS last, (SELECT coalesce(max(id), 0) FROM record_versions) AS last_version, (SELECT coalesce(max(id), 0) FROM record_feeds) AS last_feed",
  values: [],
};

/**
 * How many documents are covered, and how long they are together: rows of `documents`, `terms`, to be added. A feed that is
 * covered whole has its sums ready; of one with times a range of an index is read, and of named records those.
 */
export function statisticsStatements({ fields }: Search): readonly Statement[] {
  const keys = fields.filter(({ feed }) => feed.resources !== null);
  const whole = fields.filter(({ feed }) => isWholeFeed(feed));
  const times = fields.filter(({ feed }) => feed.resources === null && !isWholeFeed(feed));
  const sums = "count(d.id) AS documents, coalesce(sum(d.term_count), 0) AS terms";
  return [
    ...when(whole, {
      sql: `WITH ${SCOPES} SELECT coalesce(sum(document_count), 0) AS documents, coalesce(sum(term_count), 0) AS terms FROM scope`,
      values: [scopeParameter(whole)],
    }),
    ...when(times, {
      sql: `WITH ${SCOPES} SELECT ${sums} FROM scope s CROSS JOIN record_documents d ON d.scope_id = s.id AND ${IN_TIMES}`,
      values: [scopeParameter(times)],
    }),
    ...when(keys, {
      sql: `WITH ${SCOPES}, ${KEYS} SELECT ${sums} FROM covered_key k CROSS JOIN record_documents d ON d.feed_id = k.feed_id AND d.record_key = k.record_key CROSS JOIN scope s ON s.id = d.scope_id WHERE s.has_times = 0 OR (${IN_TIMES})`,
      values: [scopeParameter(keys), keysParameter(keys)],
    }),
  ];
}

function when(fields: readonly SearchedField[], statement: Statement): readonly Statement[] {
  return fields.length === 0 ? [] : [statement];
}

/** A row for each word that occurs: `n`, its place; `documents`, in how many covered ones; `places`, how often. */
export function wordStatement(search: Search): Statement {
  return {
    sql: `${WITH_PLACES} SELECT w.n AS n, count(DISTINCT d.id) AS documents, count(*) AS places FROM ${placesOf(search)} GROUP BY w.n`,
    values: placeValues(search),
  };
}

/** One row, `first`: the oldest of the newest documents that have so many places together. */
export function windowStatement(search: Search, last: number, places: number): Statement {
  return {
    sql: `${WITH_PLACES} SELECT d.id AS first FROM ${placesOf(search)} AND d.id <= ? ORDER BY d.id DESC LIMIT 1 OFFSET ?`,
    values: [...placeValues(search), last, places - 1],
  };
}

/** Where a hit stands in the order of a search: the better score first, then by {@link EQUALS}. */
export interface Rank {
  readonly score: number;
  readonly key: string;
  readonly feedId: number;
}

/** Equal scores go by what no write moves: keys, the shorter first, so that `m2` is before `m10`. */
const EQUALS = "length(record_key), record_key, feed_id";

/** The same, of a row of a page. */
export function rankOf(row: Row): Rank {
  return { score: Number(row["score"]), key: String(row["record_key"]), feedId: Number(row["feed_id"]) };
}

interface PageQuestion extends Search {
  /** The words' weights, in their order. */
  readonly weights: readonly number[];
  readonly averageTerms: number;
  readonly snapshot: Snapshot;
  readonly after: Rank | null;
  /** At most so many rows. */
  readonly take: number;
  /** What else a record must be, over `records r` and `record_versions v`; null for nothing. */
  readonly filter: Condition | null;
}

/** What the record of a hit `h` said in each searched field when the search began, it says now; a body in the bucket has no say here. */
const SAYS_THE_SAME = `EXISTS (SELECT 1 FROM records r CROSS JOIN record_versions v ON v.feed_id = r.feed_id AND v.version = r.version CROSS JOIN record_versions w ON w.id = (SELECT id FROM record_versions WHERE feed_id = r.feed_id AND record_key = r.record_key AND id <= ? ORDER BY version DESC LIMIT 1)
WHERE r.feed_id = h.feed_id AND r.record_key = h.record_key AND w.deleted = 0 AND v.data_object IS NULL AND w.data_object IS NULL AND NOT EXISTS (SELECT 1 FROM scope s WHERE s.feed_id = r.feed_id AND v.data -> ('$."' || s.field || '"') IS NOT w.data -> ('$."' || s.field || '"')))`;

/**
 * The next hits in order, each with the record as it is now: `total` (hits in all), `feed_id`, `record_key`, `score`,
 * `scopes` (JSON: places in `fields`), `emitted_at`, `version_id`, `data_bytes`, `data_object` and, where it is short,
 * `data`. Without a hit there is one row with the total alone. Of records that were written after the search began those
 * are among them whose searched text is what it was: they stand where they stood.
 */
export function pageStatement(question: PageQuestion): Statement {
  const { words, weights, averageTerms, snapshot, after, take, filter } = question;
  const score = `CAST(weight * tf * ${BM25_K1 + 1} / (tf + ${BM25_K1} * (${1 - BM25_B} + ${BM25_B} * length / ?)) * ${SCORE_UNITS} AS INTEGER)`;
  const join =
    filter === null
      ? ""
      : "CROSS JOIN records r ON r.feed_id = h.feed_id AND r.record_key = h.record_key CROSS JOIN record_versions v ON v.feed_id = r.feed_id AND v.version = r.version";
  const kept = allOf([
    {
      sql: `(h.newest <= ? OR (h.feed_id <= ? AND ${SAYS_THE_SAME}))`,
      values: [snapshot.last, snapshot.lastFeed, snapshot.lastVersion],
    },
    ...(filter === null ? [] : [filter]),
  ]);
  const next: Condition =
    after === null
      ? { sql: "", values: [] }
      : {
          sql: `WHERE score < ? OR (score = ? AND (${EQUALS}) > (length(?), ?, ?))`,
          values: [after.score, after.score, after.key, after.key, after.feedId],
        };
  const sql = [
    `${WITH_PLACES},`,
    `part AS (SELECT d.id, d.feed_id, d.record_key, s.n AS scope, w.n AS word, w.weight AS weight, d.term_count AS length, count(*) AS tf FROM ${placesOf(question)} AND d.id >= ? GROUP BY d.id, w.n),`,
    `found AS (SELECT feed_id, record_key, sum(${score}) AS score, max(id) AS newest, json_group_array(DISTINCT scope) AS scopes FROM part GROUP BY feed_id, record_key HAVING count(DISTINCT word) = ?),`,
    `hit AS MATERIALIZED (SELECT h.* FROM found h ${join} WHERE ${kept.sql})`,
    "SELECT c.total, h.*, r.emitted_at, v.id AS version_id, v.data_bytes, v.data_object, CASE WHEN v.data_object IS NULL AND v.data_bytes <= ? THEN v.data END AS data",
    `FROM (SELECT count(*) AS total FROM hit) c LEFT JOIN (SELECT * FROM hit ${next.sql} ORDER BY score DESC, ${EQUALS} LIMIT ?) h`,
    "LEFT JOIN records r ON r.feed_id = h.feed_id AND r.record_key = h.record_key",
    "LEFT JOIN record_versions v ON v.feed_id = r.feed_id AND v.version = r.version",
    "ORDER BY h.score DESC, length(h.record_key), h.record_key, h.feed_id",
  ].join(" ");
  return {
    sql,
    values: [
      ...placeValues(question, weights),
      snapshot.first,
      averageTerms,
      words.length,
      ...kept.values,
      SEARCH_INLINE_BODY_MAX_BYTES,
      ...next.values,
      take,
    ],
  };
}

/** The conditions of several feeds' filters: what a record must be depends on where it is. Feeds of one connector ask alike. */
export function anyFeed(
  conditions: readonly { readonly feedId: number; readonly condition: Condition }[],
): Condition {
  const alike = groupBy(conditions, ({ condition }) => JSON.stringify([condition.sql, condition.values]));
  const each = [...alike.values()].map((some) =>
    allOf([
      {
        sql: "r.feed_id IN (SELECT value FROM json_each(?))",
        values: [JSON.stringify(some.map(({ feedId }) => feedId))],
      },
      ...some.slice(0, 1).map(({ condition }) => condition),
    ]),
  );
  return {
    sql: `(${each.map(({ sql }) => `(${sql})`).join(" OR ")})`,
    values: each.flatMap(({ values }) => values),
  };
}

/** Bodies that did not come with their hits: `id`, `feed_id`, `data`. */
export function bodiesStatement(versionIds: readonly number[]): Statement {
  return {
    sql: "SELECT id, feed_id, data FROM record_versions WHERE id IN (SELECT value FROM json_each(?))",
    values: [JSON.stringify(versionIds)],
    isByVersion: true,
  };
}
