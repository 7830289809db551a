import { jsonChunks } from "../ingest/chunks.ts";
import { columnValues, cursorValue, rowColumns, rowScalars } from "../ingest/row-values.ts";
import type { StreamForm } from "../manifest/manifest.ts";
import { rowChanges } from "../manifest/row-changes.ts";
import { documentsOf } from "../search/documents.ts";
import type { Statement } from "../server/ports.ts";
import { ADD_TERMS, elements } from "./ingest-statements.ts";

/** A feed whose rows are next, and where in it. */
export interface NextFeed {
  readonly id: number;
  readonly headVersion: number;
  readonly isReordered: boolean;
  /** The last key that is done; null before the first. */
  readonly after: string | null;
  readonly before: StreamForm;
  readonly next: StreamForm;
}

export interface ReadRow {
  readonly key: string;
  readonly version: number;
  readonly consentTime: unknown;
  readonly isInBucket: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The first fails where the feed is not as it was read, and with it all of them. */
export function indexStatements(
  hash: string,
  feed: NextFeed,
  rows: readonly ReadRow[],
  isLast: boolean,
  scopes: ReadonlyMap<string, number>,
): readonly Statement[] {
  const { id, before, next, after, headVersion, isReordered } = feed;
  const changes = rowChanges(before, next);
  const mustReorder = isReordered || changes.isReordered;
  const columns = rowColumns(before, next).slice(before.slots.size);
  const set = [...(mustReorder ? ["cursor_value"] : []), ...columns.map(({ slot }) => slot)];
  const searched = { ...next.stream, lexicalFields: changes.lexicalFields };
  const documents = rows.flatMap(({ key, consentTime, data }) =>
    documentsOf(searched, data).flatMap(({ field, terms, termCount }) => {
      const scope = scopes.get(field);
      return scope === undefined ? [] : [{ key, scope, consentTime, termCount, terms }];
    }),
  );
  const keys = jsonChunks(rows.map(({ key }) => key));
  const newScopes = JSON.stringify([...scopes.values()]);
  const bulk = (sql: string, chunks: readonly string[], ...more: Statement["values"]): Statement[] =>
    chunks.map((chunk) => ({ sql, values: [id, chunk, ...more] }));
  return [
    {
      sql: MOVE_ON,
      values: [
        id,
        hash,
        isLast ? null : (rows.at(-1)?.key ?? null),
        Number(mustReorder),
        headVersion,
        Number(isReordered),
        after,
      ],
    },
    ...(set.length === 0
      ? []
      : bulk(
          `UPDATE records SET ${set.map((column, index) => `${column} = json_extract(j.value, '$[${index + 2}]')`).join(", ")}
FROM json_each(?2) j WHERE records.feed_id = json_extract(j.value, '$[0]') AND records.record_key = json_extract(j.value, '$[1]')`,
          jsonChunks(
            rows.map(({ key, data }) => [
              // With the feed as a constant SQLite would go through all of its rows, and look each up in here.
              id,
              key,
              ...(mustReorder ? [cursorValue(next.stream, data)] : []),
              ...columnValues(columns, data),
            ]),
          ),
        )),
    ...bulk(
      `UPDATE record_versions SET data = json_extract(j.value, '$[2]') FROM json_each(?2) j
WHERE record_versions.feed_id = json_extract(j.value, '$[0]') AND record_versions.version = json_extract(j.value, '$[1]')`,
      jsonChunks(
        rows.flatMap(({ isInBucket, version, data }) =>
          isInBucket ? [[id, version, rowScalars([before, next], data)]] : [],
        ),
      ),
    ),
    // What a writer made of a record since, or an earlier manifest that waited.
    ...bulk(`DELETE FROM record_terms WHERE rowid IN (SELECT d.id ${OF_SCOPES})`, keys, newScopes),
    ...bulk(`DELETE FROM record_documents WHERE id IN (SELECT d.id ${OF_SCOPES})`, keys, newScopes),
    ...bulk(
      ADD_DOCUMENTS_OF_RECORDS,
      jsonChunks(
        documents.map(({ key, scope, consentTime, termCount }) => [key, scope, consentTime, termCount]),
      ),
    ),
    ...bulk(ADD_TERMS, jsonChunks(documents.map(({ key, scope, terms }) => [key, scope, terms]))),
  ];
}

/** Moves no version on; that it is set fires the trigger, which judges `base_version`. */
const MOVE_ON = `UPDATE record_feeds SET reindex_hash = ?2, reindex_key = ?3, is_reordered = ?4, head_version = head_version,
base_version = CASE WHEN head_version = ?5 AND is_reordered = ?6 AND CASE WHEN reindex_hash IS ?2 THEN reindex_key END IS ?7
AND ?2 = (SELECT m.next_hash FROM record_manifests m JOIN record_connections c ON c.connector_key = m.connector_key
WHERE c.id = connection_id AND c.removed_at_ms IS NULL) THEN head_version ELSE -1 END WHERE id = ?1`;

const OF_SCOPES = `FROM json_each(?2) k CROSS JOIN record_documents d ON d.feed_id = ?1 AND d.record_key = k.value
WHERE d.scope_id IN (SELECT value FROM json_each(?3))`;

/** Of records that are there: those of a feed that has gone are not. */
const ADD_DOCUMENTS_OF_RECORDS = `INSERT INTO record_documents (feed_id, record_key, scope_id, consent_time, term_count)
SELECT ?1, ${elements(4)} FROM json_each(?2) j
WHERE EXISTS (SELECT 1 FROM records r WHERE r.feed_id = ?1 AND r.record_key = json_extract(j.value, '$[0]'))`;
