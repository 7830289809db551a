/** The design's promise: what a model pays to have the gateway's tools in view, whatever the catalog. */
export const TOOLS_LIST_MAX_TOKENS = 600;
/** What names of namespaces may add to `tools/list`; the fixed definitions take the rest of its budget, with a margin. */
export const TOOLS_LIST_NAMESPACES_MAX_TOKENS = 150;
/** The design's promise: what it costs to learn that nothing matched. */
export const BROWSE_EMPTY_MAX_TOKENS = 200;
/** The tokens of an empty answer's own words in the longer of its two renders, with a generation of 15 digits. */
export const BROWSE_EMPTY_FRAME_TOKENS = 20;
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
/** A UUID with a prefix or two; the principal's object keeps it. */
export const IDEMPOTENCY_KEY_MAX_CHARS = 200;
/** Twice what arguments may nest, and twice what they may hold: a message is little besides, and its reader names what is wrong. */
export const MESSAGE_MAX_DEPTH = 256;
export const MESSAGE_MAX_VALUES_COUNT = 131_072;
