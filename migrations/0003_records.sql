-- What may be read: the streams of a connector, as its manifest declares them.
CREATE TABLE record_manifests (
  connector_key TEXT PRIMARY KEY,
  manifest_hash TEXT NOT NULL,
  manifest TEXT NOT NULL,
  -- Which column holds which field: {"stream": {"field": "t1"}}. A field keeps the column that it was given.
  slots TEXT NOT NULL,
  loaded_at_ms INTEGER NOT NULL
) WITHOUT ROWID;

-- One account of a connector. Its id is what callers name it by.
CREATE TABLE record_connections (
  id TEXT PRIMARY KEY,
  connector_key TEXT NOT NULL REFERENCES record_manifests (connector_key),
  display_name TEXT,
  created_at_ms INTEGER NOT NULL
) WITHOUT ROWID;

-- One stream of one connection: what grants, versions and search scopes hang on. Made with the connection, for every stream.
CREATE TABLE record_feeds (
  id INTEGER PRIMARY KEY,
  connection_id TEXT NOT NULL REFERENCES record_connections (id),
  stream TEXT NOT NULL,
  -- The newest version. A batch that moves it says in `base_version` which one it started from.
  head_version INTEGER NOT NULL DEFAULT 0,
  base_version INTEGER NOT NULL DEFAULT 0,
  -- Bookmarks before this version can no longer be answered: what they would be compared with is gone.
  floor_version INTEGER NOT NULL DEFAULT 0,
  record_count INTEGER NOT NULL DEFAULT 0,
  last_emitted_at TEXT,
  UNIQUE (connection_id, stream)
);

-- D1 has no transaction but the batch, and only an error rolls it back: a batch that was planned over an older head fails here.
CREATE TRIGGER record_feeds_move BEFORE UPDATE OF head_version ON record_feeds
WHEN NEW.base_version IS NOT OLD.head_version
BEGIN
  SELECT RAISE(ABORT, 'feed_moved');
END;

-- Every state that a record was in, tombstones too.
CREATE TABLE record_versions (
  id INTEGER PRIMARY KEY,
  feed_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  record_key TEXT NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  emitted_at TEXT NOT NULL,
  consent_time TEXT,
  -- The body, without white space and every number as it came; null for a tombstone. Where `data_object` is set the body is
  -- in the bucket under that key, and this holds its short declared scalars, for conditions on fields that have no column.
  data TEXT,
  data_object TEXT,
  data_bytes INTEGER NOT NULL DEFAULT 0,
  -- SHA-256 of the body; null for a tombstone.
  data_hash TEXT,
  -- The version that replaced this one, and when.
  superseded_by INTEGER,
  superseded_at_ms INTEGER,
  written_at_ms INTEGER NOT NULL,
  UNIQUE (feed_id, version)
);
CREATE INDEX record_versions_by_key ON record_versions (feed_id, record_key, version);
CREATE INDEX record_versions_superseded ON record_versions (feed_id, superseded_at_ms) WHERE superseded_by IS NOT NULL;

-- The records that exist now, as what is asked for: order, time of consent, and the declared fields in typed columns.
CREATE TABLE records (
  feed_id INTEGER NOT NULL,
  record_key TEXT NOT NULL,
  version INTEGER NOT NULL,
  -- A number, a text or a canonical time; without a type, so that each sorts as itself.
  cursor_value,
  consent_time TEXT,
  emitted_at TEXT NOT NULL,
  t1 TEXT,
  t2 TEXT,
  t3 TEXT,
  t4 TEXT,
  t5 TEXT,
  t6 TEXT,
  t7 TEXT,
  t8 TEXT,
  t9 TEXT,
  t10 TEXT,
  t11 TEXT,
  t12 TEXT,
  n1 NUMERIC,
  n2 NUMERIC,
  n3 NUMERIC,
  n4 NUMERIC,
  n5 NUMERIC,
  n6 NUMERIC,
  n7 NUMERIC,
  n8 NUMERIC,
  d1 TEXT,
  d2 TEXT,
  d3 TEXT,
  d4 TEXT,
  d5 TEXT,
  d6 TEXT,
  d7 TEXT,
  d8 TEXT,
  PRIMARY KEY (feed_id, record_key)
) WITHOUT ROWID;
CREATE INDEX records_by_cursor ON records (feed_id, cursor_value, record_key, consent_time);
CREATE INDEX records_by_t1 ON records (feed_id, t1, cursor_value, record_key, consent_time) WHERE t1 IS NOT NULL;
CREATE INDEX records_by_t2 ON records (feed_id, t2, cursor_value, record_key, consent_time) WHERE t2 IS NOT NULL;
CREATE INDEX records_by_t3 ON records (feed_id, t3, cursor_value, record_key, consent_time) WHERE t3 IS NOT NULL;
CREATE INDEX records_by_t4 ON records (feed_id, t4, cursor_value, record_key, consent_time) WHERE t4 IS NOT NULL;
CREATE INDEX records_by_t5 ON records (feed_id, t5, cursor_value, record_key, consent_time) WHERE t5 IS NOT NULL;
CREATE INDEX records_by_t6 ON records (feed_id, t6, cursor_value, record_key, consent_time) WHERE t6 IS NOT NULL;
CREATE INDEX records_by_t7 ON records (feed_id, t7, cursor_value, record_key, consent_time) WHERE t7 IS NOT NULL;
CREATE INDEX records_by_t8 ON records (feed_id, t8, cursor_value, record_key, consent_time) WHERE t8 IS NOT NULL;
CREATE INDEX records_by_t9 ON records (feed_id, t9, cursor_value, record_key, consent_time) WHERE t9 IS NOT NULL;
CREATE INDEX records_by_t10 ON records (feed_id, t10, cursor_value, record_key, consent_time) WHERE t10 IS NOT NULL;
CREATE INDEX records_by_t11 ON records (feed_id, t11, cursor_value, record_key, consent_time) WHERE t11 IS NOT NULL;
CREATE INDEX records_by_t12 ON records (feed_id, t12, cursor_value, record_key, consent_time) WHERE t12 IS NOT NULL;
CREATE INDEX records_by_n1 ON records (feed_id, n1, cursor_value, record_key, consent_time) WHERE n1 IS NOT NULL;
CREATE INDEX records_by_n2 ON records (feed_id, n2, cursor_value, record_key, consent_time) WHERE n2 IS NOT NULL;
CREATE INDEX records_by_n3 ON records (feed_id, n3, cursor_value, record_key, consent_time) WHERE n3 IS NOT NULL;
CREATE INDEX records_by_n4 ON records (feed_id, n4, cursor_value, record_key, consent_time) WHERE n4 IS NOT NULL;
CREATE INDEX records_by_n5 ON records (feed_id, n5, cursor_value, record_key, consent_time) WHERE n5 IS NOT NULL;
CREATE INDEX records_by_n6 ON records (feed_id, n6, cursor_value, record_key, consent_time) WHERE n6 IS NOT NULL;
CREATE INDEX records_by_n7 ON records (feed_id, n7, cursor_value, record_key, consent_time) WHERE n7 IS NOT NULL;
CREATE INDEX records_by_n8 ON records (feed_id, n8, cursor_value, record_key, consent_time) WHERE n8 IS NOT NULL;
CREATE INDEX records_by_d1 ON records (feed_id, d1, cursor_value, record_key, consent_time) WHERE d1 IS NOT NULL;
CREATE INDEX records_by_d2 ON records (feed_id, d2, cursor_value, record_key, consent_time) WHERE d2 IS NOT NULL;
CREATE INDEX records_by_d3 ON records (feed_id, d3, cursor_value, record_key, consent_time) WHERE d3 IS NOT NULL;
CREATE INDEX records_by_d4 ON records (feed_id, d4, cursor_value, record_key, consent_time) WHERE d4 IS NOT NULL;
CREATE INDEX records_by_d5 ON records (feed_id, d5, cursor_value, record_key, consent_time) WHERE d5 IS NOT NULL;
CREATE INDEX records_by_d6 ON records (feed_id, d6, cursor_value, record_key, consent_time) WHERE d6 IS NOT NULL;
CREATE INDEX records_by_d7 ON records (feed_id, d7, cursor_value, record_key, consent_time) WHERE d7 IS NOT NULL;
CREATE INDEX records_by_d8 ON records (feed_id, d8, cursor_value, record_key, consent_time) WHERE d8 IS NOT NULL;

-- What a search is ranked over: one stream's field in one connection.
CREATE TABLE record_scopes (
  id INTEGER PRIMARY KEY,
  feed_id INTEGER NOT NULL,
  field TEXT NOT NULL,
  -- How many documents it has and how long they are together: a search over all of it need not count.
  document_count INTEGER NOT NULL DEFAULT 0,
  term_count INTEGER NOT NULL DEFAULT 0,
  UNIQUE (feed_id, field)
);
-- One document a record and field. Ids only grow, so that a search can say up to which it looked.
CREATE TABLE record_documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_id INTEGER NOT NULL,
  feed_id INTEGER NOT NULL,
  record_key TEXT NOT NULL,
  consent_time TEXT,
  term_count INTEGER NOT NULL
);
CREATE INDEX record_documents_by_record ON record_documents (feed_id, record_key);
CREATE INDEX record_documents_by_scope ON record_documents (scope_id, consent_time, record_key, term_count);
CREATE TRIGGER record_documents_come AFTER INSERT ON record_documents
BEGIN
  UPDATE record_scopes SET document_count = document_count + 1, term_count = term_count + NEW.term_count WHERE id = NEW.scope_id;
END;
CREATE TRIGGER record_documents_go AFTER DELETE ON record_documents
BEGIN
  UPDATE record_scopes SET document_count = document_count - 1, term_count = term_count - OLD.term_count WHERE id = OLD.scope_id;
END;
-- Terms carry their scope in front, so that a look-up touches no document of another scope.
CREATE VIRTUAL TABLE record_terms USING fts5 (terms, content = '', contentless_delete = 1, tokenize = 'ascii', detail = 'full');
CREATE VIRTUAL TABLE record_terms_at USING fts5vocab (record_terms, 'instance');

-- What a bearer may read: one connection, or one external source, with streams, fields, records and times.
CREATE TABLE record_grants (
  id TEXT PRIMARY KEY,
  token_id TEXT NOT NULL REFERENCES tokens (id),
  -- The package of a package bearer's grants; null for a client's one.
  package_id TEXT,
  -- Of the embedded server; null where `source` names an external one.
  connection_id TEXT REFERENCES record_connections (id),
  source TEXT,
  -- [{"name", "fields": [..]|null, "resources": [..]|null, "since": time|null, "until": time|null}]
  streams TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER,
  CHECK ((connection_id IS NULL) <> (source IS NULL))
) WITHOUT ROWID;
CREATE INDEX record_grants_by_token ON record_grants (token_id);
CREATE INDEX record_grants_by_package ON record_grants (package_id) WHERE package_id IS NOT NULL;

-- What an external source's schema last named, so that an isolate which never asked it can name its connections too.
CREATE TABLE record_source_connections (
  source TEXT PRIMARY KEY,
  -- SHA-256 over the address and the bearer that it was read with: another bearer may see other connections.
  target_hash TEXT NOT NULL,
  -- [[connection_id, connector_key, grant_id|null, display_name|null, [stream, ..]|null]]
  connections TEXT NOT NULL,
  learned_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
