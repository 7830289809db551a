/** Enough cards to choose from, few enough to read: about 500 tokens. */
export const BROWSE_TOP_K_DEFAULT = 10;
/** A page that still costs a model less than one large tool definition set. */
export const BROWSE_TOP_K_MAX = 50;
/** A tool that has not answered within this time has usually lost its caller too. */
export const UPSTREAM_TIMEOUT_DEFAULT_MS = 30_000;
/** Clients give up on a request after at most ten minutes; waiting longer answers nobody. */
export const UPSTREAM_TIMEOUT_MAX_MS = 600_000;
/** Tool lists change with deployments, not with minutes. */
export const REFRESH_INTERVAL_DEFAULT_SECONDS = 300;
/** Below this a refresh could outlast its own interval. */
export const REFRESH_INTERVAL_MIN_SECONDS = 30;
/** Seed 000 §4.4's generous defaults: real schemas stay far below all three. */
export const SCHEMA_MAX_BYTES_DEFAULT = 65_536;
export const SCHEMA_MAX_DEPTH_DEFAULT = 32;
export const SCHEMA_MAX_PROPERTIES_DEFAULT = 512;
/** One call every six milliseconds is no model's doing; a window's times are one row of 80 kB at most. */
export const CALLS_PER_MINUTE_MAX_COUNT = 10_000;
/** A day at the fastest pace a limit can allow. */
export const CALLS_PER_SESSION_MAX_COUNT = 10_000_000;
/** Rules are read in order for every call; nobody reads more than this either. */
export const POLICY_RULES_MAX_COUNT = 256;
/** A sentence or two for a model. */
export const POLICY_REASON_MAX_CHARS = 200;
/** Long enough to spare the questions of one train of thought, short enough not to show yesterday. */
export const RESULT_CACHE_TTL_DEFAULT_SECONDS = 60;
/** An isolate rarely lives longer. */
export const RESULT_CACHE_TTL_MAX_SECONDS = 86_400;
/** The bound in bytes decides first for all but tiny answers. */
export const RESULT_CACHE_ENTRIES_DEFAULT_COUNT = 256;
/** Keys and bookkeeping of this many stay within a few megabytes. */
export const RESULT_CACHE_ENTRIES_MAX_COUNT = 10_000;
/** More tries than ten only add to what hurts the server; the deadline mostly ends them sooner. */
export const RETRY_ATTEMPTS_MAX_COUNT = 10;
/** A connection that was refused once is often accepted a moment later. */
export const RETRY_BASE_DELAY_DEFAULT_MS = 100;
/** A sixth of the usual deadline. */
export const RETRY_MAX_DELAY_DEFAULT_MS = 5_000;
/** Few callers would wait longer, and two such waits end most deadlines. */
export const RETRY_DELAY_MAX_MS = 60_000;
/** Enough to pull apart callers that failed together. */
export const RETRY_JITTER_DEFAULT_SHARE = 0.2;
/** Ten times what the configuration nests. */
export const CONFIG_MAX_DEPTH = 64;
/** A month: beyond it nobody means an interval, and the platform's calendar ends. */
export const REFRESH_INTERVAL_MAX_SECONDS = 2_592_000;
/** Four times as many as the ledger accounts for one by one and a principal keeps sessions of; a team has tens. */
export const SERVERS_MAX_COUNT = 1_024;
/** What a call under way is noted by at its principal's object, `ADMIT_KEY_MAX_CHARS`: of a longer name no call could be. */
export const CONFIG_SERVER_NAME_MAX_CHARS = 256;
/** A page of text: below it a summary and a second call cost a model more than they save. */
export const INLINE_MAX_TOKENS_DEFAULT = 1_000;
/** Half of a large context window: a larger result helps no model, and an answer has its bound in bytes. */
export const INLINE_TOKENS_MAX_COUNT = 100_000;
/** An image of a screen as PNG; larger ones are photographs, which models are shown scaled down. */
export const INLINE_IMAGE_DEFAULT_BYTES = 262_144;
/** In base64 and with its envelope it still fits what clients take as one answer, and an upstream's buffered answer. */
export const INLINE_IMAGE_MAX_BYTES = 3_145_728;
/** A thousand large results. */
export const ARTIFACTS_DEFAULT_BYTES = 1_073_741_824;
/** A terabyte: $15 a month for one principal. */
export const ARTIFACTS_MAX_BYTES = 1_099_511_627_776;
/** Their rows are four megabytes of the principal's object. */
export const ARTIFACTS_DEFAULT_COUNT = 10_000;
/** Of the largest rows, with an index of lines each, half a gigabyte of the ten that an object may have. */
export const ARTIFACTS_MAX_COUNT = 100_000;
/** A projection of more paths is the result itself. */
export const KEEP_PATHS_MAX_COUNT = 32;
/** Paths are written by people. */
export const JSON_PATH_MAX_CHARS = 1_024;
