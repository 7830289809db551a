import { UPSTREAM_SESSION_LIFETIME_SECONDS } from "../limits.ts";
import type { UpstreamSession } from "./admit-contract.ts";
import type { Housekeeping } from "./housekeeping-store.ts";
import type { MeteredSql } from "./metered-sql-store.ts";
import { UpstreamSessionStore } from "./upstream-session-store.ts";

/** The principal's sessions at its upstreams: a call is given those it may resume, and reports what became of them. */
export class CallUpstreams {
  readonly #housekeeping: Housekeeping;
  readonly #store: UpstreamSessionStore;

  constructor(sql: MeteredSql, housekeeping: Housekeeping) {
    this.#housekeeping = housekeeping;
    this.#store = new UpstreamSessionStore(sql);
  }

  /** Those that are there, in the order of their keys. */
  find(keys: readonly string[], nowMs: number): UpstreamSession[] {
    if (!this.#housekeeping.tables.exists) return [];
    return keys.map((key) => this.#store.find(key, nowMs)).filter((session) => session !== null);
  }

  /** One that is known as it is costs no row. */
  remember(opened: readonly UpstreamSession[], nowMs: number): void {
    for (const session of opened) {
      const [known] = this.find([session.key], nowMs);
      if (known?.sessionId === session.sessionId && known.protocolVersion === session.protocolVersion)
        continue;
      const expiresAtMs = nowMs + UPSTREAM_SESSION_LIFETIME_SECONDS * 1000;
      this.#housekeeping.writeUntil(expiresAtMs);
      this.#store.write(session, expiresAtMs);
    }
  }

  forget(lost: readonly Pick<UpstreamSession, "key" | "sessionId">[]): void {
    if (!this.#housekeeping.tables.exists) return;
    for (const { key, sessionId } of lost) this.#store.remove(key, sessionId);
  }
}
