// outbox
/** A call's event with its account is about a kilobyte. The longest is a refresh of 256 servers that all fail: under 1,000 each. */
export const ENTRY_MAX_CHARS = 262_144;
/** A name of a repetition: an attempt's UUID. */
export const ENTRY_KEY_MAX_CHARS = 128;
/** Servers of one entry, far more than a usual configuration has. A refresh of more says how many it leaves out. */
export const ENTRY_UPSTREAMS_MAX_COUNT = 256;
/** A request, its replays, a fault and an ending. */
export const ENTRY_OPERATIONS_MAX_COUNT = 300;
/** A server's name in a configuration, as JSON writes it; what is longer is cut with a hash behind it. */
export const SERVER_NAME_MAX_CHARS = 128;
/** What one server's tools have wrong, in a status: enough to begin with; the refresh report has all. */
export const RECORD_FINDINGS_MAX_COUNT = 20;
/** Findings of all servers together, so that the record stays within `ENTRY_MAX_CHARS`. */
export const RECORD_FINDINGS_TOTAL_MAX_COUNT = 200;
/** Why a server or a refresh failed: a sentence. */
export const RECORD_REASON_MAX_CHARS = 256;
/** Ids of each kind of change in a status. */
export const RECORD_IDS_MAX_COUNT = 50;
/** One delivery: two of the longest entries, or hundreds of usual ones; read and applied in one turn of the ledger. */
export const DELIVERY_ENTRIES_MAX_COUNT = 256;
export const DELIVERY_MAX_CHARS = 524_288;
/** Half an hour of ten calls a second while the ledger cannot be reached; at a kilobyte each, 20 MB of an object's storage. */
export const OUTBOX_ROWS_MAX_COUNT = 20_000;
/** Names of entries that found no room, so that a repetition is not counted as another: ten calls a second, for a minute. */
export const OUTBOX_DROPPED_KEYS_MAX_COUNT = 600;
/** A settle is repeated within seconds of the first, and a Worker's work behind an answer ends after half a minute. */
export const OUTBOX_REMEMBERED_MS = 120_000;
/** Short enough for a status to be of now, long enough that calls which come together travel together. */
export const OUTBOX_SHIP_DELAY_MS = 5_000;
/** While the ledger cannot be reached. An outage ends within minutes for everyone, and a try costs a written row. */
export const OUTBOX_SHIP_DELAY_MAX_MS = 600_000;
/** The ledger answers in milliseconds; one that does not is asked again later. An alarm may take 15 minutes in all. */
export const OUTBOX_DELIVERY_WAIT_MS = 10_000;
/** Some four thousand entries a run; where more are left, the next run follows at once. */
export const OUTBOX_DELIVERIES_PER_RUN_COUNT = 16;

// ledger
/** A week of a busy gateway or months of a quiet one; at some 400 bytes a line, under ten megabytes of the object's storage. */
export const EVENTS_KEPT_MAX_COUNT = 20_000;
/** A page for a person, and for a poller the most that one answer carries. */
export const EVENTS_PAGE_DEFAULT_COUNT = 100;
export const EVENTS_PAGE_MAX_COUNT = 1000;
/** A source or a server that was silent for as long has ended; one that comes back is met anew. */
export const LEDGER_SILENCE_MAX_SECONDS = 30 * 24 * 60 * 60;
/** Looking for the silent ones reads every row of them, so it is not done with each delivery. */
export const LEDGER_SWEEP_INTERVAL_SECONDS = 60 * 60;
/** Twice what one configuration may have: two deployments share a ledger while one replaces the other. */
export const LEDGER_SERVERS_MAX_COUNT = 512;
/** As many configurations as the catalog's object keeps. */
export const LEDGER_REFRESHES_MAX_COUNT = 8;
/** What was lost matters for a day: its count stays, and a status that stays bad for ever is read by nobody. */
export const LOSS_DEGRADES_SECONDS = 24 * 60 * 60;
/** Refreshes that may fail to come before a catalog counts as old: one may be under way, one may have been missed. */
export const REFRESH_OVERDUE_INTERVALS_COUNT = 3;
/** Every server of a usual gateway and the line that counts the others. */
export const STATUS_TABLE_MAX_LINES = 34;
/** What is wrong, before all else: enough to see whether it is one server or all. */
export const STATUS_NOTES_MAX_LINES = 12;
/** A server's name and why it failed, in one line. */
export const STATUS_NOTE_MAX_CHARS = 240;
