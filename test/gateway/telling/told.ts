import { expect } from "vitest";
import type { Admission } from "../../../src/gateway/request-context.ts";
import type { LedgerEntry } from "../../../src/outbox/entry.ts";
import { inFlight } from "../../../src/spine/telemetry/counters.ts";
import { ledgerOperationsOf } from "../../../src/spine/telemetry/event-accounts.ts";
import { openLedger } from "../../../src/spine/telemetry/ledger.ts";
import { applyOperations } from "../../../src/spine/telemetry/operation.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";

export type Refusal = Refused<Extract<Admission, { readonly admitted: false }>>;

type Refused<Refusal> = Refusal extends Admission
  ? Omit<Refusal, "version" | "admitted" | "rowsWritten">
  : never;

/** A caller that is never let in. */
export function refusing(refusal: Refusal) {
  return fakeCaller({ answer: () => ({ version: 1, admitted: false, rowsWritten: 0, ...refusal }) });
}

/** The entry of the one call that was made. */
export function onlyEntry(told: readonly LedgerEntry[]): LedgerEntry {
  const [entry] = told;
  expect(told.length).toBe(1);
  if (entry === undefined) throw new Error("nothing was told");
  return entry;
}

/** An upstream's account of one call in a few words. */
export function accountOf({ upstreams }: LedgerEntry): string {
  return upstreams
    .map(({ server, operations }) => {
      const words = operations.map((operation) => {
        if ("error" in operation) return `${operation.record} ${operation.error}`;
        return operation.record === "recovery_fault" ? `fault ${operation.fault.code}` : operation.record;
      });
      return `${server}: ${words.join(", ")}`;
    })
    .join("; ");
}

/** Counts an entry as a ledger does: all of it is taken, and nothing is left in flight. */
export function expectWhole({ event, upstreams }: LedgerEntry): void {
  const accounts = [ledgerOperationsOf(event), ...upstreams.map(({ operations }) => operations)];
  for (const operations of accounts) {
    const { ledger, refused } = applyOperations(openLedger(1), operations);
    expect([refused, inFlight(ledger.totals), ledger.totals.request_count]).toEqual([[], 0, 1]);
  }
}
