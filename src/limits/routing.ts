/** Longer words are encodings or noise; their beginning still tells them apart. */
export const ROUTING_TERM_MAX_CHARS = 64;
/** Twice the longest legal tool name, so that every real name is read whole. */
export const ROUTING_NAME_MAX_CHARS = 256;
/** A name of 128 characters holds fewer words than this. */
export const ROUTING_NAME_MAX_TOKENS = 64;
/** A first sentence longer than this is no summary any more. */
export const ROUTING_LEAD_MAX_CHARS = 400;
/** Longest real descriptions are manuals of about this size; what says what a tool does stands at the beginning. */
export const ROUTING_DESCRIPTION_MAX_CHARS = 16_384;
/** About four pages of prose: a megabyte of words cannot buy a tool more postings than this. */
export const ROUTING_DESCRIPTION_MAX_TOKENS = 1_024;
/** All parameters of a tool together, names and descriptions counted apart. */
export const ROUTING_PARAMETERS_MAX_CHARS = 16_384;
export const ROUTING_PARAMETERS_MAX_TOKENS = 1_024;
/** Schema nodes looked at for parameters; four times the properties that a healthy schema may have. */
export const ROUTING_SCHEMA_MAX_NODES = 2_048;
/** A whole task description fits; what follows cannot make the question clearer. */
export const ROUTING_QUERY_MAX_CHARS = 4_096;
/** Words of a query that are looked up: the work of a browse ends here however long the question is. */
export const ROUTING_QUERY_MAX_TERMS = 128;

/** The committed table of words that mean the same; the script that makes it keeps below, the reader refuses more. */
export const ROUTING_NEIGHBOURS_MAX_BYTES = 2_621_440;
/** What the file's 18-bit indices can name, many times what it holds. */
export const ROUTING_NEIGHBOURS_MAX_WORDS = 262_144;
/** New documents that go into an index at one stretch: some ten milliseconds, then others may have a turn. */
export const ROUTING_DOCUMENTS_PER_STEP_COUNT = 256;
/** Shorter words have too many neighbours at one letter's distance (`log`, `dog`, `tag`). */
export const ROUTING_SLIP_MIN_CHARS = 4;
/** Words of a query that are looked up as slips, some hundreds of look-ups each; more unknown words are another language, or noise. */
export const ROUTING_SLIP_WORDS_MAX_COUNT = 8;
/** Terms that stand for one word of a query at most, the likest first. */
export const ROUTING_VARIANTS_MAX_COUNT = 32;
/** The longest word of the table in a script without spaces is far shorter. */
export const ROUTING_RUN_WORD_MAX_CHARS = 8;
/** Of scripts without spaces, in one query: more text than the words looked up, and each character is some look-ups. */
export const ROUTING_RUNS_MAX_CHARS = 512;
