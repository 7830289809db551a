import { VISIBLE_SETS_CACHED_MAX_COUNT } from "../../limits.ts";
import type { Sees } from "../catalog.ts";
import type { Snapshot } from "../snapshot/open-snapshot.ts";

/** By a tool's place in its snapshot: 1 where it is visible. Undefined stands for all of them. */
export type VisibleSet = Uint8Array | undefined;

/**
 * Which tools of one snapshot somebody sees. Who sees everything costs nothing, and a set of scopes is tried on each tool
 * once: what it lets through is kept under its key, those used last.
 */
export class VisibleTools {
  readonly #snapshot: Snapshot;
  readonly #sets = new Map<string, VisibleSet>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  setFor(sees: Sees): VisibleSet {
    const { key } = sees;
    if (key === null) return undefined;
    if (key === undefined) return this.#ask(sees);
    const set = this.#sets.has(key) ? this.#sets.get(key) : this.#ask(sees);
    this.#sets.delete(key);
    this.#sets.set(key, set);
    for (const oldest of this.#sets.keys()) {
      if (this.#sets.size <= VISIBLE_SETS_CACHED_MAX_COUNT) break;
      this.#sets.delete(oldest);
    }
    return set;
  }

  /** For tests: the sets that are held. */
  get setsHeld(): number {
    return this.#sets.size;
  }

  #ask(sees: Sees): VisibleSet {
    const { ids } = this.#snapshot;
    const set = Uint8Array.from(ids, (id) => (sees(id) ? 1 : 0));
    return set.includes(0) ? set : undefined;
  }
}
