/** A client's own counter or UUID; it is written into every message of the stream. */
export const PROGRESS_TOKEN_MAX_CHARS = 1_024;
/** A burst between two reads of a client that reads; of one that does not, the newest are kept. */
export const PROGRESS_QUEUE_MAX_COUNT = 64;
/** What the SDK uses: far below the minute or more after which proxies drop a silent connection. */
export const KEEP_ALIVE_MS = 15_000;
/** A sentence for a log, as with the texts of progress. */
export const CANCEL_REASON_MAX_CHARS = 1_024;
