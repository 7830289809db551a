import type { CacheSettings } from "../../config.ts";
import { sha256Hex } from "../../identity/digest.ts";
import { CACHED_ARGUMENTS_MAX_CHARS } from "../../limits.ts";
import type { CatalogVersion } from "../admission.ts";
import { canonicalJson } from "./canonical-json.ts";
import { isShared } from "./may-cache.ts";

/** A call as far as its answer depends on it. */
export interface CachedCall {
  readonly catalogVersion: CatalogVersion;
  readonly toolId: string;
  /** Of the tool's schema or of its whole definition. */
  readonly definitionHash: string;
  readonly args: unknown;
  readonly principal: string;
}

/** A call reduced to what equal calls share. */
export interface CacheQuestion {
  readonly catalogVersion: CatalogVersion;
  readonly key: string;
}

/**
 * The question that a call asks: the same for calls of one principal, or of all for a shared tool, that differ in the order
 * of arguments alone. The caller's scopes are not in it: who may not see a tool is turned away before its answers are
 * looked for. Undefined for arguments too long to be remembered.
 */
export function cacheQuestion(settings: CacheSettings, call: CachedCall): CacheQuestion | undefined {
  const { catalogVersion, toolId, definitionHash, principal } = call;
  const args = canonicalJson(call.args, CACHED_ARGUMENTS_MAX_CHARS);
  if (args === undefined) return undefined;
  const { catalog, generation } = catalogVersion;
  // `null` is nobody's name, and each part stays in its own quotes.
  const asker = isShared(settings, toolId) ? null : principal;
  const key = sha256Hex(JSON.stringify([catalog, generation, toolId, definitionHash, asker, args]));
  return { catalogVersion, key };
}
