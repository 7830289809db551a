import { TAKEN_BACK_LEASE_MS, UNDER_WAY_RETRY_MS } from "../limits.ts";
import { asTakenBack, writeEntry } from "../outbox/entry.ts";
import type { FlightNote, FoundFlight, ReadAdmitRequest } from "./admit-contract.ts";
import { type Flight, type FlightSession, FlightStore, type Landing } from "./flight-store.ts";
import type { Housekeeping } from "./housekeeping-store.ts";
import { lapsedCall } from "./lapsed-call.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

type FlightAsk = NonNullable<ReadAdmitRequest["flight"]>;

/** A cancellation, and when at the latest its call is over for everybody. */
interface TakenBack {
  readonly flight: FoundFlight;
  readonly endsAtMs: number;
}

/**
 * Where one principal's calls are while they run, for the caller who takes one back: that word comes in another request, and
 * as a rule to another isolate.
 */
export class CallFlights {
  readonly #housekeeping: Housekeeping;
  readonly #store: FlightStore;

  constructor(sql: MeteredSql, housekeeping: Housekeeping) {
    this.#housekeeping = housekeeping;
    this.#store = new FlightStore(sql);
  }

  /**
   * In how long there may be room for one more, in milliseconds; `null`: there is. A call that was let in has its own, and
   * those that have lapsed give way.
   */
  fullForMs(attempt: string, nowMs: number): number | null {
    if (!this.#readable() || this.#store.fits() || this.#store.has(attempt)) return null;
    this.tellLost(nowMs);
    if (this.#store.fits()) return null;
    return Math.min(UNDER_WAY_RETRY_MS, this.#store.firstEndMs() - nowMs);
  }

  /** Writes a call down that is about to be sent and has room, on the session that is kept of its upstream, if one is. */
  open(
    attempt: string,
    { leaseMs, toolId, contract, ...ask }: FlightAsk,
    scope: string,
    session: FlightSession | null,
    nowMs: number,
  ): void {
    const expiresAtMs = nowMs + leaseMs;
    this.#housekeeping.writeUntil(expiresAtMs);
    // Whoever is told of a call that nobody reports on hears of it soon, and not when somebody comes by.
    if (toolId) this.#housekeeping.wakeForLapse(expiresAtMs);
    const flight: Flight = {
      ...ask,
      attempt,
      scope,
      session,
      cancelled: false,
      expiresAtMs,
    };
    this.#store.open(flight, toolId ?? null, contract ?? null);
  }

  /**
   * Tells the ledger of every call whose lease has run out without a report: its isolate is gone, or waits on for an answer that
   * nobody else does. One that the journal has told of is told no second time, since both tell it under its attempt's name.
   */
  tellLost(nowMs: number): void {
    if (!this.#readable()) return;
    for (const { cancelled, ...flight } of this.#store.lost(nowMs)) {
      const lapsed = lapsedCall(flight, nowMs);
      const entry = writeEntry(cancelled ? asTakenBack(lapsed) : lapsed);
      if (entry.ok) this.#housekeeping.tell(entry.value, nowMs);
    }
    this.#store.endLost(nowMs);
  }

  /** When the first of them ends that nobody has told about; `null` where there is none. */
  nextLapseMs(): number | null {
    return this.#readable() ? this.#store.nextLapseMs() : null;
  }

  /** Takes what has become of a call, and says whether its caller has taken it back. */
  note({ attempt, requestId, session }: FlightNote, nowMs: number): boolean {
    const known = this.#readable() ? this.#store.find(attempt, nowMs) : null;
    if (known === null) return false;
    const noted = { requestId: requestId ?? known.requestId, session: session ?? known.session };
    if (!isSame(noted, known)) this.#store.note(attempt, noted.requestId, noted.session);
    return known.cancelled;
  }

  /**
   * Marks the one call that a scope has under this key: from now on its report is waited for a short time. Of two nobody can say
   * which is meant, and to end the wrong one is worse than to end none.
   */
  cancel(scope: string, requestKey: string, nowMs: number): TakenBack | null {
    const [flight, ...others] = this.#readable() ? this.#store.ofRequest(scope, requestKey, nowMs) : [];
    if (flight === undefined || others.length > 0) return null;
    const endsAtMs = Math.min(flight.expiresAtMs, nowMs + TAKEN_BACK_LEASE_MS);
    if (!flight.cancelled) {
      this.#store.markCancelled(flight.attempt, endsAtMs);
      this.#housekeeping.wakeForLapse(endsAtMs);
    }
    const { attempt, upstream, server, target, requestId, session } = flight;
    return { flight: { attempt, upstream, server, target, requestId, session }, endsAtMs };
  }

  /** The call is over. Gives what was known of it; `null` where it is not known. */
  settle(attempt: string): Landing | null {
    return this.#readable() ? this.#store.remove(attempt) : null;
  }

  /** To be called when rows went some other way. */
  forgetCounts(): void {
    this.#store.forgetCount();
  }

  /** Whether there are any, which are then brought up to this version: an older one has fewer columns. */
  #readable(): boolean {
    const { tables } = this.#housekeeping;
    if (!tables.has("flights")) return false;
    tables.ensure();
    return true;
  }
}

/**
 * Whose request key it is: two sessions count each for itself (MCP 2025-11-25, "Requests": an id is unique within a session),
 * and what comes without a session counts with its token.
 */
export function flightScope({ session, tokenId }: Pick<ReadAdmitRequest, "session" | "tokenId">): string {
  return JSON.stringify(session ? ["session", session.key] : ["token", tokenId]);
}

function isSame(one: Pick<Flight, "requestId" | "session">, other: Pick<Flight, "requestId" | "session">) {
  return (
    one.requestId === other.requestId &&
    one.session?.sessionId === other.session?.sessionId &&
    one.session?.protocolVersion === other.session?.protocolVersion
  );
}
