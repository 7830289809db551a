/** Longer than any tool id (240 characters), so every id can be named whole. */
export const GLOB_MAX_CHARS = 256;
