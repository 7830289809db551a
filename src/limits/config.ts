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
