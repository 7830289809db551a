// uri-template
/** A template is read at every refresh and matched at every read; real ones stay under 200 characters. */
export const URI_TEMPLATE_MAX_CHARS = 2048;
/** Expressions `{…}` in one template; real ones have one to five. */
export const URI_TEMPLATE_EXPRESSIONS_MAX_COUNT = 32;
/** Variables in all of them, repeats counted: with the URI's length it bounds a match's work and memory. */
export const URI_TEMPLATE_VARIABLES_MAX_COUNT = 64;
/** What is expanded, and what is matched: the length that HTTP servers take at least (RFC 9110 §4.1), and 192 more. */
export const TEMPLATED_URI_MAX_CHARS = 8192;
/** Steps of one match. An honest one takes about as many as the URI is long, for each variable. */
export const URI_MATCH_STEPS_MAX_COUNT = 2_000_000;
