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
