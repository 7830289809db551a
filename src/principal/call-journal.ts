import type { Housekeeping } from "./housekeeping-store.ts";
import { JournalStore } from "./journal-store.ts";
import { closeCall, type JournalReport } from "./journal-report.ts";
import { type JournalAsk, type JournalEntry, journalKey, type JournalStep, openCall } from "./journal.ts";
import type { MeteredSql } from "./metered-sql-store.ts";

/** The journal of one principal's calls. A call is judged before anything of it is committed, and then written down. */
export class CallJournal {
  readonly #housekeeping: Housekeeping;
  readonly #store: JournalStore;

  constructor(sql: MeteredSql, housekeeping: Housekeeping) {
    this.#housekeeping = housekeeping;
    this.#store = new JournalStore(sql);
  }

  /** May this call run? Where it may, `entry` has its place, and is to be written with all else that it commits. */
  judge(ask: JournalAsk, nowMs: number): JournalStep {
    if (!this.#housekeeping.tables.has("journal")) return openCall(null, ask, nowMs);
    const known = this.#store.find(journalKey(ask));
    const judged = openCall(known, ask, nowMs);
    const needsRoom = known === null && judged.step === "run" && judged.entry !== null;
    if (!needsRoom || this.#store.makeRoom(nowMs)) return judged;
    // Every row is a call that is running: to run what cannot be written down would be to run it unseen.
    const retryAfterMs = this.#store.firstLeaseEndsAtMs(nowMs) - nowMs;
    return { step: "refused", refusal: { reason: "in_flight", retryAfterMs } };
  }

  write(entry: JournalEntry): void {
    this.#housekeeping.writeUntil(entry.expiresAtMs);
    this.#store.open(entry);
  }

  /** Takes what became of an attempt. A repeated, late or foreign report does no harm. */
  report(report: JournalReport, nowMs: number): void {
    if (!this.#housekeeping.tables.has("journal")) return;
    const known = this.#store.findAttempt(report.attempt);
    const closing = closeCall(known, report, nowMs);
    if (closing.step === "remove" && known !== null) this.#store.remove(known.key);
    if (closing.step === "write") {
      this.#housekeeping.writeUntil(closing.entry.expiresAtMs);
      this.#store.update(closing.entry);
    }
  }

  /** To be called when rows went some other way. */
  forgetCounts(): void {
    this.#store.forgetCount();
  }
}
