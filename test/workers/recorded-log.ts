import { afterEach, beforeEach, vi } from "vitest";

/** Records what a test writes to the operator's log, a fresh list for each test, and keeps it out of the output. */
export function recordLog(): { readonly lines: readonly string[] } {
  const recorded = { lines: [] as string[] };
  beforeEach(() => {
    recorded.lines = [];
    vi.spyOn(console, "error").mockImplementation((...texts) => {
      recorded.lines.push(texts.join(" "));
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return recorded;
}
