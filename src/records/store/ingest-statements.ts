import { jsonChunks } from "../ingest/chunks.ts";
import type { IngestPlan, PlannedVersion } from "../ingest/plan.ts";
import type { FeedState } from "../ingest/ports.ts";
import { rowColumns, rowScalars } from "../ingest/row-values.ts";
import type { Slot } from "../manifest/manifest.ts";
import type { Statement } from "../server/ports.ts";

/** A parameter's items: record keys, versions or row ids. */
const ITEMS = "(SELECT value FROM json_each(?2))";

/**
 * The statements of one batch. The first fails where the feed's head or its manifest is not what the plan was made from, and
 * with it all of them. `objects`: where a line's body is in the bucket. Rows come as JSON arrays, many to a parameter.
 */
export function writeStatements(
  state: FeedState,
  plan: IngestPlan,
  objects: ReadonlyMap<number, string>,
  nowMs: number,
): Statement[] {
  const { feedId, scopes, prunable } = state;
  const columns = rowColumns(state, state.next).map(({ slot }) => slot);
  const replaced = jsonChunks(plan.replacedKeys);
  const documents = plan.documents.flatMap((document) => {
    const scope = scopes.get(document.field);
    return scope === undefined ? [] : [{ ...document, scope }];
  });
  const bulk = (sql: string, chunks: readonly string[], ...more: Statement["values"]): Statement[] =>
    chunks.map((chunk) => ({ sql, values: [feedId, chunk, ...more] }));
  return [
    moveHead(state, plan),
    ...bulk(
      ADD_VERSIONS,
      jsonChunks(plan.versions.map((version) => versionRow(state, version, objects))),
      nowMs,
    ),
    ...bulk(SUPERSEDE, jsonChunks(plan.superseded), nowMs),
    ...bulk(`DELETE FROM records WHERE feed_id = ?1 AND record_key IN ${ITEMS}`, replaced),
    ...bulk(
      addRows(columns),
      jsonChunks(
        plan.rows.map((row) => [
          row.key,
          row.version,
          row.cursorValue,
          row.consentTime,
          row.emittedAt,
          ...row.values,
        ]),
      ),
    ),
    ...(scopes.size === 0
      ? []
      : [
          ...bulk(
            `DELETE FROM record_terms WHERE rowid IN (SELECT id FROM record_documents WHERE feed_id = ?1 AND record_key IN ${ITEMS})`,
            replaced,
          ),
          ...bulk(`DELETE FROM record_documents WHERE feed_id = ?1 AND record_key IN ${ITEMS}`, replaced),
        ]),
    ...bulk(
      ADD_DOCUMENTS,
      jsonChunks(
        documents.map(({ key, scope, consentTime, termCount }) => [key, scope, consentTime, termCount]),
      ),
    ),
    ...bulk(ADD_TERMS, jsonChunks(documents.map(({ key, scope, terms }) => [key, scope, terms]))),
    ...bulk(
      // By their rows: the index of the feed would be gone through to its end.
      `DELETE FROM record_versions WHERE +feed_id = ?1 AND id IN ${ITEMS}`,
      jsonChunks(prunable.map(({ id }) => id)),
    ),
  ];
}

/** No head is -1: with another manifest the move fails as one from another head does. */
function moveHead(state: FeedState, plan: IngestPlan): Statement {
  const { feedId, headVersion, manifestHash, prunable, isReordered } = state;
  return {
    sql: `UPDATE record_feeds SET head_version = ?2, record_count = record_count + ?3, last_emitted_at = ?4,
floor_version = max(floor_version, ?5), base_version = CASE WHEN is_reordered = ?8 AND ?6 = (SELECT ${MANIFEST_STATE} FROM record_manifests m
JOIN record_connections c ON c.connector_key = m.connector_key WHERE c.id = connection_id AND c.removed_at_ms IS NULL) THEN ?7 ELSE -1 END WHERE id = ?1`,
    values: [
      feedId,
      plan.headVersion,
      plan.countChange,
      plan.lastEmittedAt,
      // What was before this version cannot be told any more once these are gone.
      prunable.reduce((floor, { supersededBy }) => Math.max(floor, supersededBy), 0),
      manifestHash,
      headVersion,
      Number(isReordered),
    ],
  };
}

/**
 * The feed is looked up, so that versions of one that has gone fail by the column's own rule, and with them the batch. Ids go
 * on behind the newest that ever was, there or gone.
 */
const ADD_VERSIONS = `INSERT INTO record_versions (id, feed_id, version, record_key, emitted_at, consent_time, deleted, data, data_object, data_bytes, data_hash, superseded_by, superseded_at_ms, written_at_ms)
SELECT key + 1 + max((SELECT last_removed FROM record_version_ids WHERE only_row = 1), (SELECT coalesce(max(id), 0) FROM record_versions)),
(SELECT id FROM record_feeds WHERE id = ?1), ${elements(10)}, CASE WHEN json_extract(value, '$[9]') IS NULL THEN NULL ELSE ?3 END, ?3 FROM json_each(?2)`;

/** After the new versions are in: each old one's successor is its record's next. */
const SUPERSEDE = `UPDATE record_versions SET superseded_at_ms = ?3, superseded_by = (SELECT min(w.version) FROM record_versions w
WHERE w.feed_id = ?1 AND w.record_key = record_versions.record_key AND w.version > record_versions.version)
WHERE feed_id = ?1 AND version IN ${ITEMS}`;

const ADD_DOCUMENTS = `INSERT INTO record_documents (feed_id, record_key, scope_id, consent_time, term_count) SELECT ?1, ${elements(4)} FROM json_each(?2)`;

/** Each term gets its scope in front here, so that less travels. A record's other documents are of other scopes. */
export const ADD_TERMS = `INSERT INTO record_terms (rowid, terms)
SELECT d.id, 's' || d.scope_id || 'x' || replace(json_extract(j.value, '$[2]'), ' ', ' s' || d.scope_id || 'x')
FROM json_each(?2) j CROSS JOIN record_documents d ON d.feed_id = ?1
AND d.record_key = json_extract(j.value, '$[0]') AND d.scope_id = json_extract(j.value, '$[1]')`;

function addRows(slots: readonly Slot[]): string {
  const columns = ["record_key", "version", "cursor_value", "consent_time", "emitted_at", ...slots];
  return `INSERT INTO records (feed_id, ${columns.join(", ")}) SELECT ?1, ${elements(columns.length)} FROM json_each(?2)`;
}

/** Which manifest counts and which waits, of `record_manifests m`. */
export const MANIFEST_STATE = "m.manifest_hash || coalesce(' ' || m.next_hash, '')";

/** The elements of a row, one by one. */
export function elements(count: number): string {
  return Array.from({ length: count }, (_, index) => `json_extract(value, '$[${index}]')`).join(", ");
}

function versionRow(
  state: FeedState,
  { version, key, emittedAt, consentTime, line, supersededBy }: PlannedVersion,
  objects: ReadonlyMap<number, string>,
): readonly unknown[] {
  const object = line === null ? undefined : objects.get(line.line);
  return [
    version,
    key,
    emittedAt,
    consentTime,
    line === null ? 1 : 0,
    line === null || object === undefined
      ? (line?.text ?? null)
      : rowScalars(state.next === null ? [state] : [state, state.next], line.data),
    object ?? null,
    line?.bytes ?? 0,
    line?.hash ?? null,
    supersededBy,
  ];
}
