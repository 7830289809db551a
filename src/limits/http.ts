/** The MCP SDK's own default for a request; arguments beyond it belong in a file, not in a call. */
export const REQUEST_BODY_MAX_BYTES = 4 * 1024 * 1024;
/** What a development machine reads of a body that was refused: past it the connection may as well break. */
export const DRAIN_MAX_BYTES = 64 * 1024 * 1024;
/** One POST must not queue more work than a person would start at once. */
export const REQUEST_BATCH_MAX_COUNT = 10;
/** An object that is being moved is back within seconds; what is waited for has to fit in the 30 s that a request may leave behind. */
export const SETTLE_RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000];
/** Soon at first: until a call is noted, its caller's word cannot reach it, and most calls last seconds. */
export const FLIGHT_NOTE_RETRY_DELAYS_MS: readonly number[] = [100, 1_000];
