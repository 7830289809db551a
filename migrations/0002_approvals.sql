-- Where an operator finds the calls that wait for a person. Whether one may run is known to its principal's object alone.
CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  principal TEXT NOT NULL,
  meta_tool TEXT NOT NULL,
  tool_id TEXT NOT NULL,
  server TEXT NOT NULL,
  reason TEXT,
  arguments TEXT NOT NULL,
  requested_at_ms INTEGER NOT NULL,
  -- Moves with every repetition of the call; what was asked for last is kept longest.
  asked_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'granted', 'refused', 'used')),
  decided_at_ms INTEGER
);
CREATE INDEX approvals_by_time ON approvals (requested_at_ms DESC, id DESC);
CREATE INDEX approvals_by_principal ON approvals (principal, asked_at_ms);
CREATE INDEX approvals_by_expiry ON approvals (expires_at_ms);
