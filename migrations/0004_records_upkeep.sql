-- Set once a connection is being removed: from then on nothing reads or writes it, and its rows go in batches.
ALTER TABLE record_connections ADD COLUMN removed_at_ms INTEGER;

-- A manifest that waits until the rows of its streams are indexed by it; until then the one beside it counts.
ALTER TABLE record_manifests ADD COLUMN next_hash TEXT;
ALTER TABLE record_manifests ADD COLUMN next_manifest TEXT;
ALTER TABLE record_manifests ADD COLUMN next_slots TEXT;

-- A feed's id is never given twice: what was begun over one that has gone (a batch, a bookmark) must not meet another.
CREATE TABLE record_feeds_kept (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  connection_id TEXT NOT NULL REFERENCES record_connections (id),
  stream TEXT NOT NULL,
  -- The newest version. A batch that moves it says in `base_version` which one it started from.
  head_version INTEGER NOT NULL DEFAULT 0,
  base_version INTEGER NOT NULL DEFAULT 0,
  -- Bookmarks before this version can no longer be answered: what they would be compared with is gone.
  floor_version INTEGER NOT NULL DEFAULT 0,
  record_count INTEGER NOT NULL DEFAULT 0,
  last_emitted_at TEXT,
  -- The waiting manifest that its rows are indexed by, and the last key that is; null at the end.
  reindex_hash TEXT,
  reindex_key TEXT,
  -- Whether its rows may be in the order of two manifests, which is none.
  is_reordered INTEGER NOT NULL DEFAULT 0,
  UNIQUE (connection_id, stream)
);
INSERT INTO record_feeds_kept (id, connection_id, stream, head_version, base_version, floor_version, record_count, last_emitted_at)
SELECT id, connection_id, stream, head_version, base_version, floor_version, record_count, last_emitted_at FROM record_feeds;
DROP TABLE record_feeds;
ALTER TABLE record_feeds_kept RENAME TO record_feeds;
CREATE TRIGGER record_feeds_move BEFORE UPDATE OF head_version ON record_feeds
WHEN NEW.base_version IS NOT OLD.head_version
BEGIN
  SELECT RAISE(ABORT, 'feed_moved');
END;

-- A grant outlives its connection, revoked, so that its bearer hears the same and the operator still finds it.
CREATE TABLE record_grants_kept (
  id TEXT PRIMARY KEY,
  token_id TEXT NOT NULL REFERENCES tokens (id),
  package_id TEXT,
  connection_id TEXT,
  source TEXT,
  streams TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER,
  CHECK ((connection_id IS NULL) <> (source IS NULL))
) WITHOUT ROWID;
INSERT INTO record_grants_kept SELECT id, token_id, package_id, connection_id, source, streams, created_at_ms, revoked_at_ms FROM record_grants;
DROP TABLE record_grants;
ALTER TABLE record_grants_kept RENAME TO record_grants;
CREATE INDEX record_grants_by_token ON record_grants (token_id);
CREATE INDEX record_grants_by_package ON record_grants (package_id) WHERE package_id IS NOT NULL;
CREATE INDEX record_grants_by_connection ON record_grants (connection_id) WHERE connection_id IS NOT NULL;

-- Which objects of the bucket a version names: what none does is left over.
CREATE INDEX record_versions_by_object ON record_versions (data_object) WHERE data_object IS NOT NULL;
