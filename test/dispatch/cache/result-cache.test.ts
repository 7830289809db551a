import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ResultCache } from "../../../src/dispatch/cache/result-cache.ts";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import {
  RESULT_CACHE_ENTRY_MAX_SHARE,
  RESULT_CACHE_ENTRY_OVERHEAD_BYTES,
  RESULT_CACHE_MAX_BYTES,
} from "../../../src/limits.ts";

const question = (key: string, generation = 1, catalog = "c") => ({
  catalogVersion: { catalog, generation },
  key,
});
const BOUNDS = { ttlMs: 1000, maxEntries: 3 };
const result = (text: string) => ({ content: [{ type: "text", text }] });

describe("the result cache", () => {
  it("gives a result back for as long as it lives, to the millisecond", () => {
    const cache = new ResultCache(BOUNDS);
    expect(cache.put(question("a"), result("one"), 10, 5000)).toBe(true);
    expect(cache.get(question("a"), 5000)).toEqual(result("one"));
    expect(cache.get(question("a"), 5999)).toEqual(result("one"));
    expect(cache.get(question("a"), 6000)).toBeUndefined();
    expect({ size: cache.size, bytes: cache.bytes }).toEqual({ size: 0, bytes: 0 });
  });

  it("does not let use prolong a life", () => {
    const cache = new ResultCache(BOUNDS);
    cache.put(question("a"), result("one"), 10, 0);
    cache.get(question("a"), 999);
    expect(cache.get(question("a"), 1000)).toBeUndefined();
  });

  it("gives nothing once the clock was put back", () => {
    const cache = new ResultCache(BOUNDS);
    cache.put(question("a"), result("one"), 10, 5000);
    expect(cache.get(question("a"), 4999)).toBeUndefined();
  });

  it.each([true, "true", 1, null, {}])("keeps no result that is an error: %j", (isError) => {
    const cache = new ResultCache(BOUNDS);
    expect(cache.put(question("a"), { ...result("one"), isError }, 10, 0)).toBe(false);
    expect(cache.get(question("a"), 0)).toBeUndefined();
    expect(cache.put(question("a"), { ...result("one"), isError: false }, 10, 0)).toBe(true);
  });

  it("keeps nothing before an error that came after", () => {
    const cache = new ResultCache(BOUNDS);
    cache.put(question("a"), result("one"), 10, 0);
    cache.put(question("a"), { isError: true }, 10, 1);
    expect(cache.get(question("a"), 1)).toBeUndefined();
  });

  it("lets the one unused for longest give way", () => {
    const cache = new ResultCache(BOUNDS);
    for (const key of ["a", "b", "c"]) cache.put(question(key), result(key), 10, 0);
    cache.get(question("a"), 1);
    cache.put(question("d"), result("d"), 10, 2);
    const kept = ["a", "b", "c", "d"].filter((key) => cache.get(question(key), 3) !== undefined);
    expect(kept).toEqual(["a", "c", "d"]);
  });

  it("keeps what takes its share of the room to the byte, and nothing larger", () => {
    const empty = JSON.stringify(result("")).length;
    const maxBytes = 8 * 1024;
    const room = maxBytes * RESULT_CACHE_ENTRY_MAX_SHARE - RESULT_CACHE_ENTRY_OVERHEAD_BYTES - empty;
    const cache = new ResultCache({ ...BOUNDS, maxBytes });
    expect(cache.put(question("a"), result("x".repeat(room)), 0, 0)).toBe(true);
    expect(cache.put(question("b"), result("x".repeat(room + 1)), 0, 0)).toBe(false);
    // A character of two bytes counts as two.
    expect(cache.put(question("c"), result("é".repeat(room / 2 + 1)), 0, 0)).toBe(false);
    expect(cache.put(question("d"), result("small, by a false word large"), maxBytes, 0)).toBe(false);
    expect(cache.size).toBe(1);
  });

  it("has a bound in bytes of its own", () => {
    const cache = new ResultCache({ ttlMs: 1000, maxEntries: 10_000 });
    const large = result("x".repeat(500_000));
    for (let at = 0; at < 40; at += 1) cache.put(question(String(at)), large, 500_000, 0);
    expect(cache.bytes).toBeLessThanOrEqual(RESULT_CACHE_MAX_BYTES);
    expect(cache.bytes).toBeGreaterThan(RESULT_CACHE_MAX_BYTES - 501_000);
  });

  it("is emptied by a newer catalog, and neither read nor written by an older one's call", () => {
    const cache = new ResultCache(BOUNDS);
    cache.put(question("a", 1), result("one"), 10, 0);
    expect(cache.get(question("a", 2), 1)).toBeUndefined();
    expect({ size: cache.size, bytes: cache.bytes }).toEqual({ size: 0, bytes: 0 });
    cache.put(question("a", 2), result("two"), 10, 1);
    expect(cache.get(question("a", 1), 2)).toBeUndefined();
    expect(cache.put(question("a", 1), result("late"), 10, 2)).toBe(false);
    expect(cache.get(question("a", 2), 2)).toEqual(result("two"));
    expect(cache.put(question("b", 3), result("three"), 10, 2)).toBe(true);
    expect(cache.get(question("a", 3), 2)).toBeUndefined();
  });

  it("is emptied by another catalog, whatever its generation", () => {
    const cache = new ResultCache(BOUNDS);
    cache.put(question("a", 7), result("one"), 10, 0);
    expect(cache.get(question("a", 1, "d"), 0)).toBeUndefined();
    expect(cache.get(question("a", 7), 0)).toBeUndefined();
  });

  it("cannot be changed through what was stored, nor through what it gave", () => {
    const cache = new ResultCache(BOUNDS);
    const stored = { content: [{ type: "text", text: "one" }] };
    cache.put(question("a"), stored, 10, 0);
    stored.content[0] = { type: "text", text: "changed by the one who stored it" };
    const given = cache.get(question("a"), 0);
    expect(given).toEqual(result("one"));
    if (Array.isArray(given?.["content"])) given["content"].length = 0;
    expect(cache.get(question("a"), 0)).toEqual(result("one"));
  });

  it("gives every value back as it was, numbers by their text", () => {
    const exact = {
      structuredContent: { big: new ExactNumber("12345678901234567890"), one: new ExactNumber("1.0") },
    };
    const odd = { ["__proto__"]: { a: "\ud800 \ufeff \u0000" }, content: [null, -1.5e-9] };
    const cache = new ResultCache(BOUNDS);
    cache.put(question("a"), exact, 10, 0);
    cache.put(question("b"), odd, 10, 0);
    expect(cache.get(question("a"), 0)).toEqual(exact);
    const given = cache.get(question("b"), 0);
    expect(given).toEqual(odd);
    expect(Object.keys(given ?? {})).toEqual(["__proto__", "content"]);
  });
});

/** The same promises kept by a list that is searched from end to end. */
class NaiveCache {
  #generation = 0;
  #kept: { key: string; text: string; atMs: number }[] = [];
  readonly #bounds;

  constructor(bounds: { ttlMs: number; maxEntries: number; maxBytes: number }) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#kept.length;
  }

  get bytes(): number {
    return this.#kept.reduce((sum, { text }) => sum + this.#cost(text), 0);
  }

  get(key: string, generation: number, nowMs: number): unknown {
    if (!this.#meets(generation)) return undefined;
    const found = this.#take(key);
    if (found === undefined || nowMs < found.atMs || nowMs >= found.atMs + this.#bounds.ttlMs)
      return undefined;
    this.#kept.push(found);
    return JSON.parse(found.text);
  }

  put(key: string, generation: number, value: object, nowMs: number): boolean {
    if (!this.#meets(generation)) return false;
    this.#take(key);
    const text = JSON.stringify(value);
    if (text.includes('"isError":true') || this.#cost(text) > this.#bounds.maxBytes / 8) return false;
    this.#kept.push({ key, text, atMs: nowMs });
    while (this.size > this.#bounds.maxEntries || this.bytes > this.#bounds.maxBytes) this.#kept.shift();
    return true;
  }

  #meets(generation: number): boolean {
    if (generation > this.#generation) {
      this.#generation = generation;
      this.#kept = [];
    }
    return generation === this.#generation;
  }

  #take(key: string) {
    const found = this.#kept.find((entry) => entry.key === key);
    this.#kept = this.#kept.filter((entry) => entry !== found);
    return found;
  }

  #cost(text: string): number {
    return Buffer.byteLength(text) + RESULT_CACHE_ENTRY_OVERHEAD_BYTES;
  }
}

const keys = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "constructor", "__proto__");
const rarely = fc.oneof(
  { weight: 19, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);

describe("any use of the result cache", () => {
  const steps = fc.record({
    isPut: fc.boolean(),
    key: keys,
    advances: rarely,
    lags: rarely,
    text: fc.string({ maxLength: 20, unit: "grapheme" }),
    isError: rarely,
    passedMs: fc.integer({ min: -1, max: 4 }),
  });

  it.each([
    { ttlMs: 50, maxEntries: 3, maxBytes: 8 * 400 },
    { ttlMs: 200, maxEntries: 100, maxBytes: 8 * 310 },
  ])("ends as with a list that is searched, and within its bounds: %j", (bounds) => {
    const seen = { hits: 0, full: 0 };
    fc.assert(
      fc.property(fc.array(steps, { minLength: 60, maxLength: 120 }), (steps) => {
        const cache = new ResultCache(bounds);
        const model = new NaiveCache(bounds);
        let nowMs = 1000;
        let newest = 1;
        for (const { isPut, key, advances, lags, text, isError, passedMs } of steps) {
          nowMs += passedMs;
          if (advances) newest += 1;
          const generation = lags ? newest - 1 : newest;
          const asked = question(key, generation);
          const value = { content: text, isError };
          const [given, expected] = isPut
            ? [cache.put(asked, value, text.length, nowMs), model.put(key, generation, value, nowMs)]
            : [cache.get(asked, nowMs), model.get(key, generation, nowMs)];
          expect(given).toEqual(expected);
          seen.hits += isPut || given === undefined ? 0 : 1;
          expect({ size: cache.size, bytes: cache.bytes }).toEqual({ size: model.size, bytes: model.bytes });
          expect(cache.size).toBeLessThanOrEqual(bounds.maxEntries);
          expect(cache.bytes).toBeLessThanOrEqual(bounds.maxBytes);
          seen.full += cache.size === bounds.maxEntries || cache.bytes > bounds.maxBytes - 300 ? 1 : 0;
        }
      }),
      { numRuns: 200 },
    );
    expect(seen.hits).toBeGreaterThan(100);
    expect(seen.full).toBeGreaterThan(100);
  });
});
