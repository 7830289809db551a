import { runInDurableObject } from "cloudflare:test";
import type { LedgerDoor } from "../../src/outbox/delivery.ts";
import { readEntry } from "../../src/outbox/entry.ts";
import { sql, stubOf } from "./principal-client.ts";

/** Puts a door of the test's where this life of a principal's object finds the ledger. */
export async function withDoor(principal: string, door: LedgerDoor): Promise<void> {
  await runInDurableObject(stubOf(principal), (instance) => {
    Reflect.set(instance, "env", { LEDGER: { getByName: () => door } });
  });
}

export const alarmOf = (principal: string): Promise<number | null> =>
  runInDurableObject(stubOf(principal), (_, state) => state.storage.getAlarm());

/** What waits in a principal's outbox or is remembered there. */
export async function outboxOf(principal: string) {
  const rows = await sql(principal, "SELECT entry FROM outbox ORDER BY seq");
  return rows.map(({ entry }) => {
    const read = readEntry(typeof entry === "string" ? entry : "");
    if (!read.ok) throw new Error(read.reason);
    return read.value;
  });
}
