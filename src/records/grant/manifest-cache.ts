import { MANIFEST_CACHE_MAX_COUNT } from "../../limits/records.ts";
import type { LoadedManifest } from "./cover.ts";

/** Which text a manifest was read from. Loading one anew can move columns, so the time of loading belongs to it. */
export interface ManifestVersion {
  readonly connectorKey: string;
  readonly hash: string;
  readonly loadedAtMs: number;
}

/**
 * Manifests that were read and judged, the same for every bearer: one an isolate. What was used longest ago gives way.
 * It holds values only, never a promise: on Workers no request may wait for another's.
 */
export class ManifestCache {
  readonly #entries = new Map<string, LoadedManifest>();

  get(version: ManifestVersion): LoadedManifest | undefined {
    const key = keyOf(version);
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  set(version: ManifestVersion, loaded: LoadedManifest): void {
    this.#entries.set(keyOf(version), loaded);
    const oldest =
      this.#entries.size > MANIFEST_CACHE_MAX_COUNT ? this.#entries.keys().next().value : undefined;
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}

function keyOf({ connectorKey, hash, loadedAtMs }: ManifestVersion): string {
  return JSON.stringify([connectorKey, hash, loadedAtMs]);
}
