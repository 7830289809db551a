/** A shorter value is a port or a flag that also stands in ordinary text; nothing so short keeps a secret. */
export const SCRUB_SECRET_MIN_CHARS = 6;
/** Escapes taken off a text to find secrets: JSON quoted inside JSON, and a URL or a page inside that. */
export const SCRUB_ESCAPE_LAYERS_COUNT = 3;
/** Deeper than any result or definition that is accepted (256); what walks a value recurses this deep. */
export const SCRUB_MAX_DEPTH = 320;
/** One record of the log: a stack, or a quoted error page, and far below what the platform's log takes. */
export const LOG_RECORD_MAX_CHARS = 4_096;
