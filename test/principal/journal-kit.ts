import { closeCall, type JournalReport } from "../../src/principal/journal-report.ts";
import { type JournalAsk, type JournalEntry, journalKey, openCall } from "../../src/principal/journal.ts";

export const START_MS = 1_000_000;
export const LEASE_MS = 35_000;

export const ask = (over: Partial<JournalAsk> = {}): JournalAsk => ({
  attempt: "one",
  fingerprint: "f",
  contract: "never_replay",
  leaseMs: LEASE_MS,
  idempotencyKey: null,
  requestKey: null,
  toolId: null,
  server: null,
  ...over,
});

/** A journal that is nothing but its rows: every step reads them anew, as after an eviction. */
export function journal() {
  let rows: [string, JournalEntry][] = [];
  const read = () => new Map(structuredClone(rows));
  const write = (entries: Map<string, JournalEntry>) => {
    rows = [...entries];
  };
  return {
    size: () => read().size,
    entry: (of: JournalAsk) => read().get(journalKey(of)) ?? null,
    open: (of: JournalAsk, nowMs: number) => {
      const entries = read();
      const step = openCall(entries.get(journalKey(of)) ?? null, of, nowMs);
      if (step.step === "run" && step.entry !== null) write(entries.set(step.entry.key, step.entry));
      return step;
    },
    close: (report: JournalReport, nowMs: number) => {
      const entries = read();
      const known = [...entries.values()].find(({ attempt }) => attempt === report.attempt) ?? null;
      const step = closeCall(known, report, nowMs);
      if (step.step === "write") entries.set(step.entry.key, step.entry);
      if (step.step === "remove" && known !== null) entries.delete(known.key);
      write(entries);
      return step.step;
    },
  };
}

/** A step in a word or two. */
export function said(step: ReturnType<ReturnType<typeof journal>["open"]>): string {
  switch (step.step) {
    case "run":
      return step.entry === null ? "run, as before" : "run";
    case "answered":
      return `answered ${JSON.stringify(step.answer)}`;
    case "refused":
      return step.refusal.reason === "in_flight"
        ? `in_flight ${step.refusal.retryAfterMs}`
        : step.refusal.reason;
  }
}
