import { vi } from "vitest";

/** Far longer than anything takes here, and shorter than a test may: how fast a machine is decides nothing. */
const PATIENCE = { timeout: 20_000, interval: 20 };

/** Waits for what comes to be true by itself. */
export async function until(isTrue: () => unknown): Promise<void> {
  await vi.waitUntil(isTrue, PATIENCE);
}

/** Repeats an attempt until it throws no more. */
export async function eventually(attempt: () => unknown): Promise<void> {
  await vi.waitFor(attempt, PATIENCE);
}
