import { describe, expect, it } from "vitest";
import { sleep } from "../../src/http/sleep.ts";

const FOREVER_MS = 2 ** 31 - 1;

describe("a wait", () => {
  it("ends by itself", async () => {
    expect(await sleep(1)).toBeUndefined();
    expect(await sleep(1, new AbortController().signal)).toBeUndefined();
  });

  it("ends with its signal, before or while it lasts", async () => {
    const caller = new AbortController();
    const waiting = sleep(FOREVER_MS, caller.signal);
    caller.abort();
    await waiting;
    await sleep(FOREVER_MS, caller.signal);
    expect(caller.signal.aborted).toBe(true);
  });
});
