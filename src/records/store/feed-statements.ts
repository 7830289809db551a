/**
 * Makes what a connection's streams need: a feed for each stream of the manifest and a search scope for each of its lexical
 * fields. They read the manifest as it is in the same transaction, also the one that waits, by which rows are written too;
 * and leave what is there alone.
 */
export function feedStatements(
  db: D1Database,
  by: "id" | "connector_key",
  value: string,
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `INSERT OR IGNORE INTO record_feeds (connection_id, stream)
SELECT c.id, json_extract(s.value, '$.name') FROM ${STREAMS} WHERE c.${by} = ?`,
      )
      .bind(value),
    db
      .prepare(
        `INSERT OR IGNORE INTO record_scopes (feed_id, field)
SELECT f.id, l.value FROM ${STREAMS}, json_each(s.value, '$.query.search.lexical_fields') l
JOIN record_feeds f ON f.connection_id = c.id AND f.stream = json_extract(s.value, '$.name') WHERE c.${by} = ?`,
      )
      .bind(value),
  ];
}

const STREAMS =
  "record_connections c JOIN record_manifests m ON m.connector_key = c.connector_key, json_each(json_array(m.manifest, m.next_manifest)) t, json_each(t.value, '$.streams') s";
