import type { LedgerEntry } from "../../src/outbox/entry.ts";
import { writeEntry } from "../../src/outbox/entry.ts";

export const NOW_MS = 1_750_000_000_000;

/** A browse that was answered. */
export const browsed = (key: string, over: Partial<LedgerEntry> = {}): LedgerEntry => ({
  key,
  event: {
    version: 1,
    event: "browse.completed",
    timestamp: NOW_MS,
    success: true,
    duration_ms: 5,
    session_id: null,
    tool_id: null,
    namespace: null,
    attributes: { card_count: 3 },
  },
  upstreams: [],
  ...over,
});

/** A call that was answered. */
export const executed = (attempt: string): LedgerEntry => ({
  ...browsed(attempt),
  event: {
    version: 1,
    event: "execute.completed",
    timestamp: NOW_MS,
    success: true,
    duration_ms: 5,
    session_id: null,
    tool_id: "files:read#00000000",
    namespace: "files",
    attributes: { attempts: 1, status: "ok" },
  },
});

export function textOf(entry: LedgerEntry): string {
  const text = writeEntry(entry);
  if (!text.ok) throw new Error(text.reason);
  return text.value;
}
