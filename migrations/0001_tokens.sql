-- What was issued, for listing and revocation. The bearer itself is never kept: it is checked by its MAC.
CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('client', 'package', 'owner')),
  principal TEXT NOT NULL,
  scopes TEXT,
  created_at_s INTEGER NOT NULL,
  expires_at_s INTEGER NOT NULL,
  revoked_at_s INTEGER
) WITHOUT ROWID;
