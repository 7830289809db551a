-- The newest version that has gone with its connection: no later one is given an id up to here, since a search that was begun
-- before goes by what is newer than it.
CREATE TABLE record_version_ids (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  last_removed INTEGER NOT NULL
);
INSERT INTO record_version_ids (only_row, last_removed) VALUES (1, 0);
