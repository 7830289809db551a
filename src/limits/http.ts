/** The MCP SDK's own default for a request; arguments beyond it belong in a file, not in a call. */
export const REQUEST_BODY_MAX_BYTES = 4 * 1024 * 1024;
/** What a development machine reads of a body that was refused: past it the connection may as well break. */
export const DRAIN_MAX_BYTES = 64 * 1024 * 1024;
/** One POST must not queue more work than a person would start at once. */
export const REQUEST_BATCH_MAX_COUNT = 10;
