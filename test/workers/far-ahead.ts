import { afterEach, beforeEach, vi } from "vitest";
import { freshStorage } from "./fresh-storage.ts";

const YEAR_MS = 365 * 86_400_000;

/**
 * A clock of the test's own for every test of a file, so far ahead that the platform's sets off no alarm; objects are emptied
 * after each. Times are told from where it starts.
 */
export function farAheadClock() {
  const startMs = Date.now() + YEAR_MS;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await freshStorage();
  });
  return {
    startMs,
    at: (passedMs: number) => {
      vi.setSystemTime(startMs + passedMs);
    },
    since: (timeMs: number | null) => (timeMs === null ? null : timeMs - startMs),
  };
}
