/** The design's promise: what a model pays to have the gateway's tools in view, whatever the catalog. */
export const TOOLS_LIST_MAX_TOKENS = 600;
/** The same for the two tools of another kind, where a server has any of it: browse and read cost as much as two sentences and two schemas. */
export const TOOLS_LIST_PAIR_MAX_TOKENS = 200;
/** What names of namespaces may add to `tools/list`; the fixed definitions take the rest of its budget, with a margin. */
export const TOOLS_LIST_NAMESPACES_MAX_TOKENS = 150;
/** The design's promise: what it costs to learn that nothing matched. */
export const BROWSE_EMPTY_MAX_TOKENS = 200;
/** The tokens of an empty answer's own words in the longer of its two renders, with a generation of 15 digits. */
export const BROWSE_EMPTY_FRAME_TOKENS = 20;
/** The word that the catalog has changed, in the longer of the two renders, with what joins it to the rest. */
export const BROWSE_CHANGE_NOTE_TOKENS = 16;
/** Namespaces named where nothing matched: enough to see what kind of catalog it is. */
export const BROWSE_NAMESPACES_MAX_COUNT = 20;
/** Near misses offered for an unknown id: a choice, not a listing. */
export const DID_YOU_MEAN_MAX_COUNT = 3;
/** An error names what was asked for, which may be anything: longer than every legal id, and no payload. */
export const ERROR_PATH_MAX_CHARS = 256;
/** Candidates of one selection: what the largest provider takes in the enumerations of one schema. */
export const SELECTION_CANDIDATES_MAX_COUNT = 1_000;
/** A program's candidates need not be tool ids: twice the longest one. */
export const SELECTION_CANDIDATE_MAX_CHARS = 512;
/** A repair or two is what a careless model needs; all of a hundred arguments would be a page. */
export const ARG_REPAIRS_TOLD_MAX_COUNT = 32;
/** Names of arguments are words. */
export const ARG_REPAIR_PATH_MAX_CODE_POINTS = 128;
/** After a cancellation was passed on: an answer that crossed it is here within a round trip of the slowest link. */
export const TAKEN_BACK_GRACE_MS = 1_000;
/** When a call first asks whether it was taken back whose neighbours in a batch wait for it: many calls are over before. */
export const TAKEN_BACK_LOOK_MS = 2_000;
/** Each further time after twice as long, up to this: ten calls of ten minutes ask 230 times of the thousand that a request may. */
export const TAKEN_BACK_LOOK_MAX_MS = 30_000;
/** Calls of one isolate that hear of a cancellation in it, a hundred bytes each; the oldest give way, and end by their deadline. */
export const RUNNING_CALLS_MAX_COUNT = 10_000;
/** A UUID with a prefix or two; the principal's object keeps it. */
export const IDEMPOTENCY_KEY_MAX_CHARS = 200;
/** Twice what arguments may nest, and twice what they may hold: a message is little besides, and its reader names what is wrong. */
export const MESSAGE_MAX_DEPTH = 256;
export const MESSAGE_MAX_VALUES_COUNT = 131_072;
/** Entries of one page of a list: few enough for one message, many enough that most catalogs are one page. */
export const LIST_PAGE_MAX_COUNT = 500;
/** A cursor has an id of at most 300 characters in it, in base64 with quotes and the list's name. */
export const LIST_CURSOR_MAX_CHARS = 1_024;
// resources and prompts
/** Addresses named where a read gave several contents that do not fit together: a directory's first page. */
export const CONTENTS_NAMED_MAX_COUNT = 20;
/** The same in tokens, for long addresses and other scripts. */
export const CONTENTS_NAMED_MAX_TOKENS = 120;
/** Of an address in a line of ours: most are whole. */
export const CONTENT_NAME_SHOWN_MAX_CODE_POINTS = 120;
/** MCP knows `user` and `assistant`; what a server makes up is a word. */
export const PROMPT_ROLE_SHOWN_MAX_CODE_POINTS = 32;
/** Roles that a summary counts by themselves. */
export const PROMPT_ROLES_COUNTED_MAX_COUNT = 4;
/** The design's promise for the tools of all three kinds together, whatever the catalog. */
export const TOOLS_LIST_ALL_KINDS_MAX_TOKENS = 1_000;
