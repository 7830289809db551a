import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { LedgerView } from "../../src/ledger/ledger-contract.ts";
import { ledgerPort } from "../../src/ledger/ledgers-store.ts";
import { type Delivery, LEDGER_OBJECT_NAME, type Receipt } from "../../src/outbox/delivery.ts";

export const stub = () => env.LEDGER.getByName(LEDGER_OBJECT_NAME);

/** Reads or changes rows behind the object's back. */
export async function sql(query: string): Promise<Record<string, SqlStorageValue>[]> {
  return runInDurableObject(stub(), (_, state) => state.storage.sql.exec(query).toArray());
}

/** The object loses its memory, and keeps what it has written. */
export const evict = abortAllDurableObjects;

export async function deliver(change: Partial<Delivery> & Pick<Delivery, "entries">): Promise<Receipt> {
  return stub().deliver({ version: 1, source: "p-1/e-1", from: 1, acknowledged: 0, dropped: 0, ...change });
}

export async function view(config: string | null = null): Promise<LedgerView> {
  const read = await ledgerPort(env.LEDGER).read(config);
  if (!read.ok) throw new Error(read.reason.detail);
  return read.value;
}

/** Every event there is, page after page, each of which holds at most `limit`. */
export async function allEvents(
  limit: number,
  filter: { readonly sinceMs?: number; readonly names?: readonly string[] } = {},
): Promise<string[]> {
  const found: string[] = [];
  for (let after = 0; ;) {
    const page = await ledgerPort(env.LEDGER).events({
      after,
      sinceMs: filter.sinceMs ?? null,
      names: filter.names ?? null,
      limit,
    });
    if (!page.ok) throw new Error(page.reason.detail);
    found.push(...page.value.lines);
    if (!page.value.more) return found;
    if (page.value.cursor <= after) throw new Error("the cursor stands still");
    after = page.value.cursor;
  }
}
