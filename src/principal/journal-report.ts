import { JOURNAL_ANSWER_LIFETIME_SECONDS, JOURNAL_ANSWER_MAX_BYTES } from "../limits.ts";
import { acceptTerminal, type Execution, loseWorker, retractDispatch } from "../spine/replay/execution.ts";
import { canBeRepeated, type JournalAnswer, type JournalEntry } from "./journal.ts";

/** What became of an attempt, as its Worker knows it in the end. */
export interface JournalReport {
  readonly attempt: string;
  readonly outcome: "completed" | "not_dispatched" | "outcome_unknown";
  readonly answer?: JournalAnswer | null | undefined;
  /** It ended as a failure. */
  readonly failed?: boolean | null | undefined;
  /** Its caller had taken it back. */
  readonly isCancelled?: boolean | undefined;
  /** Whether the ledger is told of it with this report. */
  readonly told?: boolean | undefined;
}

export type JournalClosing =
  | { readonly step: "nothing" }
  | { readonly step: "write"; readonly entry: JournalEntry }
  | { readonly step: "remove" };

const NOTHING: JournalClosing = { step: "nothing" };
const REMOVE: JournalClosing = { step: "remove" };

/**
 * What a report changes of the entry that its attempt wrote. A lease that has run out silences nobody: what the attempt
 * itself says is news all the same, once. Only the first answer counts, and another attempt's report is none about this.
 */
export function closeCall(known: JournalEntry | null, report: JournalReport, nowMs: number): JournalClosing {
  if (known === null || known.expiresAtMs <= nowMs || known.attempt !== report.attempt) return NOTHING;
  // The repetition of a report that found the call taken back, which this one can no longer know.
  if (report.failed === true && known.execution.knowledge === "outcome_unknown") return NOTHING;
  const moved = after(known.execution, outcomeOf(report));
  if (moved === null) return NOTHING;
  // What was never sent may be sent by anyone, and what nobody can repeat need not be remembered.
  if (moved.knowledge === "not_dispatched" || !canBeRepeated(known)) return REMOVE;
  const told = known.told || report.told === true;
  if (moved.knowledge !== "completed") return { step: "write", entry: { ...known, execution: moved, told } };
  const expiresAtMs = nowMs + JOURNAL_ANSWER_LIFETIME_SECONDS * 1000;
  return {
    step: "write",
    entry: { ...known, execution: moved, told, answer: withinBounds(report.answer ?? null), expiresAtMs },
  };
}

/** What a server answers a call that was taken back with an error has done something, or nothing: the error does not say. */
function outcomeOf({ outcome, failed, isCancelled }: JournalReport): JournalReport["outcome"] {
  return outcome === "completed" && failed === true && isCancelled === true ? "outcome_unknown" : outcome;
}

/** `null` where it changes nothing. */
function after(execution: Execution, outcome: JournalReport["outcome"]): Execution | null {
  switch (outcome) {
    case "completed": {
      const completed = acceptTerminal(execution);
      return completed.ok ? completed.value : null;
    }
    case "not_dispatched": {
      const retracted = retractDispatch(execution);
      return retracted.ok ? retracted.value : null;
    }
    case "outcome_unknown":
      return execution.knowledge === "in_flight" ? loseWorker(execution) : null;
  }
}

/** A text that is too long is dropped: that the call was completed counts for more than what it said. */
function withinBounds(answer: JournalAnswer | null): JournalAnswer | null {
  if (answer === null || "handle" in answer) return answer;
  if (answer.text.length > JOURNAL_ANSWER_MAX_BYTES) return null;
  return new TextEncoder().encode(answer.text).length > JOURNAL_ANSWER_MAX_BYTES ? null : answer;
}
