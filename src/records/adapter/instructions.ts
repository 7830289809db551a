/**
 * What a client shows its model once. The first 512 characters do alone (seed 003): discovery, connections, filters, paging and
 * narrowing.
 */
export const RECORDS_INSTRUCTIONS = [
  "Read-only access to what one grant covers.",
  '1. schema {} lists streams and connections, schema {"stream":"S"} tells fields, filters, sort and aggregation.',
  "2. Where schema shows several connections, name connection_id: take it from schema or from an error's available_connections.",
  '3. filter is a typed object: {"field":"value"} or {"field":{"gte":1,"lt":9}}.',
  "4. Prefer aggregate or search to wide reads; narrow with fields and limit, page with cursor=next_cursor.",
  "5. fetch takes an id of search or query_records.",
  "",
  "Ids, cursors and bookmarks are opaque: pass them on as they are. Keep connection_id, not grant_id: it outlives a grant.",
  'For what is new since last time: query_records {"stream":"S","changes_since":"beginning"}, later with next_changes_since; a ' +
    "record that is gone comes as deleted. 410 cursor_expired: begin again.",
  "Text tells all that the next call needs; structuredContent has the same answer as JSON, and both may reach the model. Cut text " +
    "says so, and how to go on.",
  "Errors are JSON with a code; retry_with names the argument that is missing.",
].join("\n");
