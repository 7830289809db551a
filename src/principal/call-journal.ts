import { UNDER_WAY_RETRY_MS } from "../limits.ts";
import { writeEntry } from "../outbox/entry.ts";
import type { EarlierCall } from "./admit-contract.ts";
import type { Housekeeping } from "./housekeeping-store.ts";
import { JournalStore } from "./journal-store.ts";
import { closeCall, type JournalReport } from "./journal-report.ts";
import { type JournalAsk, type JournalEntry, journalKey, type JournalStep, openCall } from "./journal.ts";
import { lapsedCall } from "./lapsed-call.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

/**
 * The journal of one principal's calls. A call is judged before anything of it is committed, and then written down. One
 * whose attempt never reports is told to the ledger in its place, before its row goes some other way.
 */
export class CallJournal {
  readonly #housekeeping: Housekeeping;
  readonly #store: JournalStore;
  readonly #tellLostFlights: (nowMs: number) => void;

  /** `tellLostFlights` comes first wherever lapsed calls are told: it knows which of them were taken back. */
  constructor(sql: MeteredSql, housekeeping: Housekeeping, tellLostFlights: (nowMs: number) => void) {
    this.#housekeeping = housekeeping;
    this.#store = new JournalStore(sql);
    this.#tellLostFlights = tellLostFlights;
  }

  /**
   * May this call run? Where it may, `entry` has its place, and is to be written with all else that it commits. `full`: there is no
   * place, since every row is a call that is running: to run what cannot be written down would be to run it unseen.
   */
  judge(ask: JournalAsk, nowMs: number): JournalStep | { readonly step: "full"; readonly forMs: number } {
    if (!this.#readable()) return openCall(null, ask, nowMs);
    const known = this.#store.find(journalKey(ask));
    const judged = openCall(known, ask, nowMs);
    const needsRoom = known === null && judged.step === "run" && judged.entry !== null;
    if (!needsRoom || this.#hasRoom(nowMs)) return judged;
    return {
      step: "full",
      forMs: Math.min(UNDER_WAY_RETRY_MS, this.#store.firstLeaseEndsAtMs(nowMs) - nowMs),
    };
  }

  /** How a call would stand. Nothing is written, nor anything brought up to this version. */
  foresee(ask: JournalAsk, nowMs: number): EarlierCall {
    const known = this.#housekeeping.tables.has("outbox") ? this.#store.find(journalKey(ask)) : null;
    const judged = openCall(known, ask, nowMs);
    switch (judged.step) {
      case "run":
        return "none";
      case "answered":
        return "answered";
      case "refused":
        return judged.refusal.reason;
    }
  }

  write(entry: JournalEntry, nowMs: number): void {
    this.#housekeeping.writeUntil(entry.expiresAtMs);
    const before = this.#store.find(entry.key);
    if (before?.execution.knowledge === "in_flight") this.tellLapsed(nowMs);
    this.#store.open(entry);
    this.#housekeeping.wakeForLapse(entry.leaseEndsAtMs);
  }

  /** Takes what became of an attempt. A repeated, late or foreign report does no harm. */
  report(report: JournalReport, nowMs: number): void {
    if (!this.#readable()) return;
    const known = this.#store.findAttempt(report.attempt);
    const closing = closeCall(known, report, nowMs);
    if (closing.step === "remove" && known !== null) this.#store.remove(known.key);
    if (closing.step === "write") {
      this.#housekeeping.writeUntil(closing.entry.expiresAtMs);
      this.#store.update(closing.entry);
    }
  }

  /** The attempt's caller has taken it back: its report is waited for until then at most. */
  shortenLease(attempt: string, endsAtMs: number): void {
    const known = this.#readable() ? this.#store.findAttempt(attempt) : null;
    if (known !== null) this.#store.shortenLease(known.key, endsAtMs);
  }

  /** Tells the ledger of every call whose lease has run out without a report, each once. */
  tellLapsed(nowMs: number): void {
    if (!this.#readable()) return;
    this.#tellLostFlights(nowMs);
    const lapsed = this.#store.lapsed(nowMs);
    if (lapsed.length === 0) return;
    for (const call of lapsed) {
      const entry = writeEntry(lapsedCall(call, nowMs));
      if (entry.ok) this.#housekeeping.tell(entry.value, nowMs);
    }
    this.#store.markLapsedTold(nowMs);
  }

  /** When the first of the leases ends that nobody has told about; `null` where there is none. */
  nextLapseMs(): number | null {
    return this.#readable() ? this.#store.nextLapseMs() : null;
  }

  /** Whether the ledger was told how this attempt ended, as far as its row is still here. */
  wasTold(attempt: string): boolean {
    return this.#readable() && this.#store.findAttempt(attempt)?.told === true;
  }

  /** Its own Worker has told the ledger: it must not be told in its place. */
  markTold(attempt: string): void {
    const known = this.#readable() ? this.#store.findAttempt(attempt) : null;
    if (known !== null && !known.told) this.#store.markTold(known.key);
  }

  /** To be called when rows went some other way. */
  forgetCounts(): void {
    this.#store.forgetCount();
  }

  #hasRoom(nowMs: number): boolean {
    if (this.#store.fits()) return true;
    // Those may be forgotten to make room.
    this.tellLapsed(nowMs);
    return this.#store.makeRoom(nowMs);
  }

  /** Whether there is a journal, which is then brought up to this version: an older one has fewer columns. */
  #readable(): boolean {
    const { tables } = this.#housekeeping;
    if (!tables.has("journal")) return false;
    tables.ensure();
    return true;
  }
}
