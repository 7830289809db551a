import { SETTLE_RETRY_DELAYS_MS } from "../limits.ts";
import { readEntry } from "../outbox/entry.ts";
import type { SettleReport, Settlement } from "../principal/admit-contract.ts";
import type { Result } from "../result.ts";
import { eventLine } from "../spine/telemetry/events.ts";

export interface SettlePorts {
  settle(report: SettleReport): Promise<Result<Settlement, { readonly detail: string }>>;
  /** Deletes what has given way to newer artifacts, and gives what is deleted; never rejects. */
  removeArtifacts(evicted: NonNullable<Settlement["evicted"]>): Promise<NonNullable<SettleReport["removed"]>>;
  sleep(delayMs: number): Promise<void>;
  /** The operator's log. */
  log(text: string): void;
}

/**
 * Reports to the principal's object, and again where it does not answer: all of a report is the same however often it
 * arrives. Where it never does, what it tells of the call is in the log at least. Never throws.
 */
export async function settleReport(report: SettleReport, ports: SettlePorts): Promise<void> {
  let problem = "";
  for (const delayMs of [0, ...SETTLE_RETRY_DELAYS_MS]) {
    if (delayMs > 0) await ports.sleep(delayMs);
    const settled = await ports.settle(report);
    if (settled.ok) {
      const { accepted, evicted = [] } = settled.value;
      const removed = evicted.length > 0 ? await ports.removeArtifacts(evicted) : [];
      // Where that is not heard, they are named once more.
      if (removed.length > 0) await ports.settle({ version: 1, removed });
      if (accepted) return;
      problem = "it did not take the report";
      break;
    }
    problem = settled.reason.detail;
  }
  ports.log(`settle: ${problem}`);
  for (const text of report.told ?? []) ports.log(`not told: ${lineOf(text)}`);
}

/** An entry's event: it holds nothing of arguments, results or bearers, so that it may stand in a log. */
function lineOf(text: string): string {
  const entry = readEntry(text);
  const line = entry.ok ? eventLine(entry.value.event) : entry;
  return line.ok ? line.value : "an entry that cannot be read";
}
