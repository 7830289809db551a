/** Says where a member stands; its keys are another's words, enough to find it and not enough to fill an answer. */
export const DUPLICATE_PATH_MAX_CHARS = 256;
/** Twice what any accepted result or definition has, and a tenth of where the engine's own writer runs out of stack. */
export const NATIVE_JSON_MAX_DEPTH = 512;
