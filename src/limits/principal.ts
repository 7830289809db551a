/** A working day and the night after it. The expiry is sealed in the id, so it does not slide. */
export const SESSION_LIFETIME_SECONDS = 86_400;
/** Some clients open a session for every call, so the oldest give way; real side-by-side use stays far below. */
export const SESSIONS_LIVE_MAX_COUNT = 1000;
/** An ended id is remembered until it expires; at this many (about 1 MB) the oldest merely read as unknown. */
export const SESSIONS_ENDED_MAX_COUNT = 10_000;
/** Making room costs a scan, so it is made for this many sessions at once. */
export const SESSIONS_EVICTION_COUNT = 100;
/** Fifty full pages of ten; beyond it a model's context holds more cards than it reads. */
export const SEEN_CARDS_MAX_COUNT = 512;
/** 512 cards at the usual 500 bytes; six times this (all escaped) still fits the platform's 2 MB row. */
export const SEEN_CARDS_MAX_BYTES = 262_144;
/** One `admit` can arrange the largest path listing: a catalog's namespaces. */
export const ADMIT_CARDS_MAX_COUNT = 10_000;
/** A name or hash that the Worker chose: a token id, a session key, an upstream with its credential's hash. */
export const ADMIT_KEY_MAX_CHARS = 256;
/** Upstreams asked for in one call, and remembered for one principal; no configuration has more servers. */
export const UPSTREAM_SESSIONS_MAX_COUNT = 256;
/** Most servers forget an idle session within a day; a stale id costs one refused request. */
export const UPSTREAM_SESSION_LIFETIME_SECONDS = 86_400;
/** The pointer is at most minutes behind, so after a day no isolate can hold an older catalog. */
export const NEWEST_GENERATION_LIFETIME_SECONDS = 86_400;
/** Catalogs of differently configured deployments that one principal meets during roll-outs. */
export const NEWEST_GENERATIONS_MAX_COUNT = 8;
/** Expired rows are refused when read, so sweeping is only housekeeping, and an alarm costs a written row. */
export const SWEEP_INTERVAL_SECONDS = 3600;

/** Rows of one principal, a few kilobytes each at most; what has no row any more is still found by its handle. */
export const ARTIFACT_ROWS_MAX_COUNT = 2_000;
/** Making room costs a scan, so it is made for this many rows at once. */
export const ARTIFACT_ROWS_EVICTION_COUNT = 100;
/** Artifacts that one call asks about. */
export const ADMIT_ARTIFACTS_MAX_COUNT = 16;
/** A line index as text, with room to spare. */
export const ARTIFACT_INDEX_MAX_CHARS = 8_192;
