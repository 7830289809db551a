// outbox
/** A call's event with its account is about a kilobyte; a refresh of many servers with what was found is the longest. */
export const ENTRY_MAX_CHARS = 65_536;
/** A name of a repetition: an attempt's UUID. */
export const ENTRY_KEY_MAX_CHARS = 128;
/** No configuration has more servers. */
export const ENTRY_UPSTREAMS_MAX_COUNT = 256;
/** A request, its replays, a fault and an ending. */
export const ENTRY_OPERATIONS_MAX_COUNT = 300;
/** A server's name in a configuration; what is longer is cut with a hash behind it. */
export const SERVER_NAME_MAX_CHARS = 128;
/** What one server's tools have wrong, in a status: enough to begin with; the refresh report has all. */
export const RECORD_FINDINGS_MAX_COUNT = 20;
/** Findings of all servers together, so that the record stays within `ENTRY_MAX_CHARS`. */
export const RECORD_FINDINGS_TOTAL_MAX_COUNT = 200;
/** Ids of each kind of change in a status. */
export const RECORD_IDS_MAX_COUNT = 50;
/** One delivery: some hundred kilobytes at most, read and applied in one turn of the ledger. */
export const DELIVERY_ENTRIES_MAX_COUNT = 256;
export const DELIVERY_MAX_CHARS = 524_288;
