import type { Context } from "hono";
import type { Caller } from "../access/caller.ts";
import type { KeyRings } from "../access/keys.ts";
import type { CatalogBindings } from "../catalog/reader/catalogs-store.ts";
import type { Config } from "../config.ts";
import type { Env } from "../env.ts";
import type { ArtifactBindings } from "../firewall/artifacts/artifact-store.ts";
import type { LedgerBindings } from "../ledger/ledgers-store.ts";
import type { PrincipalBindings } from "../principal/principals-store.ts";
import type { ReaderGrants } from "../records/grant/access.ts";

export type Bindings = Env & ArtifactBindings & PrincipalBindings & CatalogBindings & LedgerBindings;

/** What the middleware in front of a route has found out. */
export interface Variables {
  config: Config;
  /** The text that `config` was read from. */
  configText: string;
  keys: KeyRings;
  caller: Caller;
  /** Of a request to the read surface: its name in answers and headers. */
  requestId: string;
  /** What the bearer of such a request may read. */
  reader: ReaderGrants;
}

export interface HttpEnv {
  Bindings: Bindings;
  Variables: Variables;
}

export type HttpContext = Context<HttpEnv>;
