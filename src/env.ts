/** The Worker's bindings and variables, as `wrangler.jsonc` and `.dev.vars` provide them. */
export interface Env {
  /** Replaces the bundled `loomgate.jsonc`; local runs and tests hand another configuration through it. */
  readonly LOOMGATE_CONFIG?: string;
  readonly DB: D1Database;
  /** The secret that bearers, session ids and cursors are signed under, and the one before it during a rotation. */
  readonly LOOMGATE_KEY?: string;
  readonly LOOMGATE_KEY_PREVIOUS?: string;
  /** The operator's bearer. */
  readonly OPERATOR_TOKEN?: string;
}
