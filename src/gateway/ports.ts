import type { CatalogPort } from "../catalog/catalog.ts";
import type { Upstream } from "../dispatch/ports.ts";
import type { ArtifactStore } from "../firewall/artifact.ts";
import type { KeyRing } from "../mac.ts";
import type { Result } from "../result.ts";
import type { ValidatorCache } from "../schema/validator-cache.ts";
import type { Scrubber } from "../scrub/scrub.ts";

/** What the meta-tools work on, built from the bindings and the configuration of one request. */
export interface GatewayPorts {
  readonly catalogs: CatalogPort;
  readonly validators: ValidatorCache;
  readonly artifacts: ArtifactStore;
  /** Signs handles. */
  readonly artifactKeys: KeyRing;
  /** The way to a configured server; fails with the text for the log. */
  upstream(server: string): Result<Upstream, string>;
  readonly scrubber: Scrubber;
  readonly settings: { readonly topK: number; readonly cacheStable: boolean };
  /** Epoch milliseconds. */
  now(): number;
  /** The operator's log; what is given here is scrubbed already. */
  log(detail: string): void;
}
