import type { Statement } from "../../../src/records/server/ports.ts";
import type { Text } from "./mail.ts";

/** Where generated records go: what the server made for a connection of the bench's. */
export interface Feed {
  readonly feedId: number;
  /** By field: the typed column, and the search scope. */
  readonly slots: ReadonlyMap<string, string>;
  readonly scopes: ReadonlyMap<string, number>;
}

/** 2024 and 2025, in which New York moves its clocks four times. */
const FIRST_SECOND = 1_704_067_200;
const SECONDS = 63_158_400;
const CHUNK_ROWS = 10_000;
const PARAMETER_TEXTS = 1_000;
/** Spreads consecutive numbers over 32 bits (Knuth's multiplicative hashing). */
const SPREAD = 2_654_435_761;

/** The tables that the generator needs for itself. */
export function prepareStatements(texts: readonly Text[]): Statement[] {
  const chunks = Array.from({ length: Math.ceil(texts.length / PARAMETER_TEXTS) }, (_, chunk) =>
    texts
      .slice(chunk * PARAMETER_TEXTS, (chunk + 1) * PARAMETER_TEXTS)
      .map(({ subject, body, subjectTerms, bodyTerms }, index) => [
        chunk * PARAMETER_TEXTS + index,
        subject,
        body,
        subjectTerms,
        bodyTerms,
      ]),
  );
  return [
    "CREATE TABLE bench_texts (id INTEGER PRIMARY KEY, subject TEXT, body TEXT, subject_terms TEXT, body_terms TEXT)",
    "CREATE TABLE bench_rows (n INTEGER PRIMARY KEY, record_key TEXT, sent_at TEXT, at TEXT, sender TEXT, folder TEXT, size INTEGER, text_id INTEGER, first_document INTEGER)",
  ]
    .map((sql): Statement => ({ sql, values: [] }))
    .concat(
      chunks.map((chunk) => ({
        sql: `INSERT INTO bench_texts SELECT ${elements(5)} FROM json_each(?)`,
        values: [JSON.stringify(chunk)],
      })),
    );
}

/**
 * What writes `count` records into a feed that has none, a batch for each ten thousand: SQL makes the rows, as many letters
 * through the server's door would take an hour. What is written is what ingest writes, row for row, but for the bodies' hashes.
 */
export function* loadBatches(
  { feedId, slots, scopes }: Feed,
  count: number,
  texts: number,
): Generator<Statement[]> {
  const step = SECONDS / count;
  for (let before = 0; before < count; before += CHUNK_ROWS) {
    const last = Math.min(count, before + CHUNK_ROWS);
    yield [
      { sql: "DELETE FROM bench_rows", values: [] },
      { sql: MAKE_ROWS, values: [before + 1, last, FIRST_SECOND, step, texts] },
      { sql: ADD_VERSIONS, values: [feedId] },
      { sql: addRecords(slots), values: [feedId] },
      ...[...scopes].flatMap(([field, scope], place) => [
        { sql: addDocuments(field, place, scopes.size), values: [scope, feedId] },
        { sql: addTerms(field, place, scopes.size), values: [`s${scope}x`] },
      ]),
      {
        sql: "UPDATE record_feeds SET base_version = head_version, head_version = ?2, record_count = ?2, last_emitted_at = (SELECT max(sent_at) FROM bench_rows) WHERE id = ?1",
        values: [feedId, last],
      },
    ];
  }
}

/** The letters of `loadBatches` as lines to ingest: rows of `line`. */
export function lineStatement(first: number, last: number, count: number, texts: number): Statement[] {
  return [
    { sql: "DELETE FROM bench_rows", values: [] },
    { sql: MAKE_ROWS, values: [first, last, FIRST_SECOND, SECONDS / count, texts] },
    {
      sql: `SELECT json_object('key', record_key, 'data', json(${DATA}), 'emitted_at', sent_at) AS line FROM ${LETTERS} ORDER BY n`,
      values: [],
    },
  ];
}

const MAKE_ROWS = `WITH RECURSIVE seq (n) AS (VALUES (?1) UNION ALL SELECT n + 1 FROM seq WHERE n < ?2),
spread AS MATERIALIZED (SELECT n, (n * ${SPREAD}) & 4294967295 AS h, CAST(?3 + n * ?4 AS INTEGER) AS s FROM seq)
INSERT INTO bench_rows SELECT n, printf('m%07d', n), strftime('%Y-%m-%dT%H:%M:%SZ', s, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%S', s, 'unixepoch'),
printf('writer%03d@mail.example', ((h >> 4) % 200) * ((h >> 12) % 200) / 200),
CASE WHEN (h >> 20) % 100 < 60 THEN 'inbox' WHEN (h >> 20) % 100 < 85 THEN 'archive' WHEN (h >> 20) % 100 < 99 THEN 'sent' ELSE 'drafts' END,
(h >> 7) % 100000, (h >> 9) % ?5, (SELECT coalesce(max(id), 0) FROM record_documents) + 1 FROM spread`;

const LETTERS = "bench_rows b JOIN bench_texts t ON t.id = b.text_id";
const DATA =
  "json_object('id', record_key, 'sender', sender, 'folder', folder, 'size', size, 'sent_at', sent_at, 'subject', subject, 'body', body)";

const ADD_VERSIONS = `INSERT INTO record_versions (feed_id, version, record_key, emitted_at, consent_time, data, data_bytes, written_at_ms)
SELECT ?1, n, record_key, sent_at, at, data, length(data), 0 FROM (SELECT b.*, ${DATA} AS data FROM ${LETTERS}) ORDER BY n`;

/** What each field's column holds; times are canonical there. */
const VALUES: Readonly<Record<string, string>> = {
  id: "record_key",
  sender: "sender",
  folder: "folder",
  size: "size",
  sent_at: "at",
  subject: "subject",
  body: "body",
};

function addRecords(slots: Feed["slots"]): string {
  const columns = [...slots.values()].join(", ");
  const values = Array.from(slots.keys(), (field) => VALUES[field] ?? "NULL").join(", ");
  return `INSERT INTO records (feed_id, record_key, version, cursor_value, consent_time, emitted_at, ${columns})
SELECT ?1, record_key, n, at, at, sent_at, ${values} FROM ${LETTERS} ORDER BY n`;
}

/** Ids are given out letter by letter, as ingest does. */
function documentId(place: number, fields: number): string {
  return `first_document + (n - (SELECT min(n) FROM bench_rows)) * ${fields} + ${place}`;
}

function addDocuments(field: string, place: number, fields: number): string {
  const terms = `${field}_terms`;
  return `INSERT INTO record_documents (id, scope_id, feed_id, record_key, consent_time, term_count)
SELECT ${documentId(place, fields)}, ?1, ?2, record_key, at, length(${terms}) - length(replace(${terms}, ' ', '')) + 1 FROM ${LETTERS} ORDER BY n`;
}

function addTerms(field: string, place: number, fields: number): string {
  return `INSERT INTO record_terms (rowid, terms) SELECT ${documentId(place, fields)}, ?1 || replace(${field}_terms, ' ', ' ' || ?1) FROM ${LETTERS} ORDER BY n`;
}

function elements(count: number): string {
  return Array.from({ length: count }, (_, index) => `json_extract(value, '$[${index}]')`).join(", ");
}
