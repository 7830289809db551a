// fault
/** Codes are words for a label or a column, `rpc_error_minus_9007199254740991` the longest of ours. */
export const FAULT_CODE_MAX_CHARS = 64;
/** One line of a record, the ellipsis included: seed 000 §3.4 gives a failure's text as much. */
export const FAULT_DETAIL_MAX_CODE_POINTS = 256;

// replay
/** The original counts attempts in a byte; whoever needs a second one has another problem. */
export const REPLAY_ATTEMPTS_MAX_COUNT = 255;
/** A route with its method, or a tool's name, which MCP clients end at 128. */
export const OPERATION_NAME_MAX_CHARS = 256;

// health
/** What a consumer says of itself beside the base payload: a page of figures, not a data set. */
export const HEALTH_EXTENSION_MAX_COUNT = 64;
/** Deeper figures are read by nobody, and every walk over them stays far from the stack's end. */
export const HEALTH_EXTENSION_DEPTH_MAX_COUNT = 16;
/** Values in all of it together, arrays and objects counted too. */
export const HEALTH_EXTENSION_VALUES_MAX_COUNT = 4096;

// telemetry
/** Methods of a protocol number tens; a client that invents more must not fill the memory, and is counted together. */
export const LEDGER_METHODS_MAX_COUNT = 256;
/** As long as a tool's canonical id may be, so that a ledger can be kept by tool. */
export const METHOD_NAME_MAX_CHARS = 240;
/** What seed 004's original prints of each ranking. */
export const HOT_ROWS_MAX_COUNT = 12;
/** Rows kept to find those few among; a third of a megabyte as JSON with the longest paths of usual trees. */
export const HOT_PATHS_MAX_COUNT = 1024;
/** Making room costs a sort, so it is made for this share of the rows at once. */
export const HOT_PATHS_EVICTION_SHARE_COUNT = 8;
/** A long path of a deep tree; platforms allow 4,096 characters, and what is longer is counted without its name. */
export const PATH_NAME_MAX_CHARS = 512;
/** Sixteen digits of a hash tell a principal's sessions apart and are too short to be any session's own id. */
export const SESSION_DIGEST_HEX_CHARS = 16;
/** The longest canonical id of a resource or a prompt. */
export const EVENT_ID_MAX_CHARS = 256;
/** The most cards that one browse answers with. */
export const EVENT_IDS_MAX_COUNT = 50;
/** Codes are words: `UPSTREAM_UNAVAILABLE` is the longest of the gateway's. */
export const ERROR_CODE_MAX_CHARS = 48;
/** A UUID or a counter with a prefix; ids beyond it are recorded by their digest. */
export const EVENT_REQUEST_ID_MAX_CHARS = 128;
/** Two rankings of the longest paths, and twice the longest of a gateway's events. */
export const JSONL_RECORD_MAX_BYTES = 32_768;
/** The original's bound. At some 400 bytes a record, twenty thousand calls. */
export const JSONL_LOG_MAX_BYTES = 8_388_608;

// frame
/** The original's default: above any sane message, below what an isolate can hold a few times over. */
export const FRAME_DEFAULT_LIMIT_BYTES = 8_388_608;
/** Half of what an engine's string can hold: a frame within its limit can always be decoded. */
export const FRAME_LIMIT_MAX_BYTES = 256 * 1024 * 1024;
/** The room a line that spans chunks begins with; most messages fit, and an idle connection costs no more. */
export const FRAME_READER_START_BYTES = 4_096;

// render
/** What a porcelain text is without further words: a screen of lines, each about as wide as code is written. */
export const PORCELAIN_DEFAULT_MAX_LINES = 24;
export const PORCELAIN_DEFAULT_MAX_INLINE_CHARS = 120;
/** `{…}`, `[…]` and `"…"` are the shortest that still say what they are. */
export const INLINE_MIN_CHARS = 3;
/** A preview shows the first few of an array or an object and counts the rest. */
export const PREVIEW_ITEMS_MAX_COUNT = 3;
export const PREVIEW_MEMBERS_MAX_COUNT = 4;
/** Objects and arrays inside each other that a preview opens; with the two above, 256 values at most. */
export const PREVIEW_DEPTH_MAX_COUNT = 4;
/** A table's cell: a name, a time, an id; prose belongs below a table. */
export const TABLE_CELL_DEFAULT_MAX_CHARS = 48;
/** More columns than anybody compares in one row. */
export const TABLE_COLUMNS_DEFAULT_MAX_COUNT = 12;
/** Notes are for what a reader might miss; more of them are a report. */
export const NOTES_DEFAULT_MAX_LINES = 8;
export const NOTE_DEFAULT_MAX_CHARS = 160;
/** Where a projection breaks its policy: enough to find it, whatever the names on the way are. */
export const PROJECTION_PATH_MAX_CHARS = 256;

// normalise
/** Two names of a field and three words between them stay within a note. */
export const NOTE_NAME_MAX_CHARS = 64;
/** The unsigned integers of 64 bits, which the original reads. */
export const UNSIGNED_64_MAX_VALUE = 18_446_744_073_709_551_615n;
/** Twice the longest name that MCP clients allow; what is longer resembles nothing. */
export const METHOD_WORD_MAX_CHARS = 256;
