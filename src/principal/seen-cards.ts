import { NEWEST_GENERATION_LIFETIME_SECONDS, SESSION_LIFETIME_SECONDS } from "../limits.ts";
import { arrange, stateFor, withSeen } from "./browse-state.ts";
import type { Arrangement, BrowseCard, BrowseState, CatalogVersion } from "./browse-state.ts";
import { BrowseStore } from "./browse-store.ts";
import type { Housekeeping } from "./housekeeping-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";
import type { SessionHandle } from "./session-id.ts";
import type { SessionStore } from "./session-store.ts";

/** In a session's place, the principal itself: where the protocol has no sessions, or a count is meant for all of them. */
export const PRINCIPALS_OWN = "";

/** What a principal has been shown: cards, by session, and the newest generation. With `writes` false nothing is recorded. */
export class SeenCards {
  readonly #housekeeping: Housekeeping;
  readonly #sessions: SessionStore;
  readonly #browse: BrowseStore;

  constructor(sql: MeteredSql, housekeeping: Housekeeping, sessions: SessionStore) {
    this.#housekeeping = housekeeping;
    this.#sessions = sessions;
    this.#browse = new BrowseStore(sql);
  }

  /** The newest generation of this catalog that the principal has met, raised by the one it meets now. */
  newestGeneration(version: CatalogVersion, writes: boolean, nowMs: number): number {
    const known = this.#knownGeneration(version.catalog, nowMs);
    if (known !== null && known >= version.generation) return known;
    if (writes) {
      const expiresAtMs = nowMs + NEWEST_GENERATION_LIFETIME_SECONDS * 1000;
      this.#housekeeping.writeUntil(expiresAtMs);
      this.#browse.raiseGeneration(version, expiresAtMs);
    }
    return version.generation;
  }

  arrange(
    session: SessionHandle | null,
    version: CatalogVersion,
    { cards, topK }: { readonly cards: readonly BrowseCard[]; readonly topK?: number | null | undefined },
    writes: boolean,
    nowMs: number,
  ): Arrangement {
    const key = session?.key ?? PRINCIPALS_OWN;
    const before = stateFor(this.#read(key, nowMs), version);
    const { arrangement, state } = arrange(before, cards, topK ?? null);
    if (writes && state !== before) this.#write(key, state, session?.expiresAtMs ?? null, nowMs);
    return arrangement;
  }

  /** Records cards that were shown some other way. */
  record(key: string, version: CatalogVersion, cards: readonly BrowseCard[], nowMs: number): void {
    const session =
      key !== PRINCIPALS_OWN && this.#housekeeping.tables.exists ? this.#sessions.findLive(key, nowMs) : null;
    // A report that comes after its session's end, or out of an older catalog, must not bring anything back.
    if (key !== PRINCIPALS_OWN && session === null) return;
    const newest = this.#knownGeneration(version.catalog, nowMs);
    if (newest !== null && newest > version.generation) return;
    const before = stateFor(this.#read(key, nowMs), version);
    const state = withSeen(before, cards);
    if (state !== before) this.#write(key, state, session?.expiresAtMs ?? null, nowMs);
  }

  #knownGeneration(catalog: string, nowMs: number): number | null {
    return this.#housekeeping.tables.exists ? this.#browse.newestGeneration(catalog, nowMs) : null;
  }

  #read(key: string, nowMs: number): BrowseState | null {
    return this.#housekeeping.tables.exists ? this.#browse.read(key, nowMs) : null;
  }

  #write(key: string, state: BrowseState, sessionExpiresAtMs: number | null, nowMs: number): void {
    const expiresAtMs = sessionExpiresAtMs ?? nowMs + SESSION_LIFETIME_SECONDS * 1000;
    this.#housekeeping.writeUntil(expiresAtMs);
    this.#browse.write(key, state, expiresAtMs);
  }
}
