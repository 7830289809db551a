import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { beforeEach, vi } from "vitest";
import { LedgerModel } from "../outbox/ledger-model.ts";
import { alarmOf, withDoor } from "./ledger-seam.ts";
import { stubOf } from "./principal-client.ts";

/** A principal that nobody calls any more, with a ledger of the test's own; times are told from `startMs`. */
export function idlePrincipal(name: string, startMs: number) {
  let ledger = new LedgerModel();
  beforeEach(() => {
    ledger = new LedgerModel();
  });
  /** The alarm of an object that has lost its memory. */
  const alarm = async (): Promise<void> => {
    await abortAllDurableObjects();
    await withDoor(name, ledger);
    await runDurableObjectAlarm(stubOf(name));
  };
  return {
    get ledger() {
      return ledger;
    },
    alarm,
    /** Lives on by the alarms alone that are set, each in a life of its own, to this time. Gives the times of them. */
    idleUntil: async (passedMs: number): Promise<number[]> => {
      const alarms: number[] = [];
      for (let next = await alarmOf(name); next !== null && next <= startMs + passedMs;) {
        vi.setSystemTime(next);
        alarms.push(next - startMs);
        await alarm();
        next = await alarmOf(name);
      }
      vi.setSystemTime(startMs + passedMs);
      return alarms;
    },
  };
}
