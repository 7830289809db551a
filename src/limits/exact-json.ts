/** Says where a member stands; its keys are another's words, enough to find it and not enough to fill an answer. */
export const DUPLICATE_PATH_MAX_CHARS = 256;
/** Twice what any accepted result or definition has, and a tenth of where the engine's own writer runs out of stack. */
export const NATIVE_JSON_MAX_DEPTH = 512;
/**
 * Different numbers of one text that are kept as they were written; each takes ten times its characters while it is read. Past
 * it a number that only looks otherwise (`1.0`) is a plain one, and a text with more that would be rounded is not read.
 */
export const EXACT_NUMBERS_MAX_COUNT = 65_536;
