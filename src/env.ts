/** The Worker's bindings and variables, as `wrangler.jsonc` and `.dev.vars` provide them. */
export interface Env {
  /** Replaces the bundled `loomgate.jsonc`; local runs and tests hand another configuration through it. */
  readonly LOOMGATE_CONFIG?: string;
  /** Set on a development machine alone: upstreams on loopback are allowed, hosts other than loopback are not. */
  readonly LOOMGATE_DEVELOPMENT?: string;
  readonly DB: D1Database;
  /** The files of `assets/`, for the Worker alone. */
  readonly ASSETS: Fetcher;
  readonly SHIELD: RateLimit;
  readonly SHIELD_ANONYMOUS: RateLimit;
  /** The secret that bearers, session ids and cursors are signed under, and the one before it during a rotation. */
  readonly LOOMGATE_KEY?: string;
  readonly LOOMGATE_KEY_PREVIOUS?: string;
  /** The operator's bearer. */
  readonly OPERATOR_TOKEN?: string;
}
