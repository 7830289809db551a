import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RATE_PER_MINUTE_MAX_COUNT, RATE_WINDOW_MS } from "../../src/limits.ts";
import { attemptTag, packEntries, unpackEntries } from "../../src/principal/rate-entries.ts";

const entries = fc
  .record({
    newestMs: fc.integer({ min: RATE_WINDOW_MS, max: 8_640_000_000_000_000 }),
    ages: fc.array(fc.integer({ min: 0, max: RATE_WINDOW_MS - 1 }), { maxLength: 40 }),
    tags: fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 40 }),
  })
  .map(({ newestMs, ages, tags }) => {
    const older = ages.toSorted((a, b) => b - a).map((age) => newestMs - age);
    const atMs = older.length === 0 ? [] : [...older, newestMs];
    return { atMs, attempts: tags.slice(0, atMs.length) };
  });

describe("a rate window's bytes", () => {
  it("give back what was packed", () => {
    fc.assert(
      fc.property(entries, (value) => {
        expect(unpackEntries(packEntries(value))).toEqual(value);
      }),
    );
  });

  it("are two a call and eight an attempt, far below a row's bound", () => {
    const atMs = Array.from({ length: RATE_PER_MINUTE_MAX_COUNT }, () => 1);
    expect(packEntries({ atMs, attempts: [1n] }).byteLength).toBe(13 + 200_000 + 8);
  });

  it("count as none where they cannot be read, and never throw", () => {
    const none = { atMs: [], attempts: [] };
    expect(unpackEntries(new ArrayBuffer(0))).toEqual(none);
    const packed = new Uint8Array(packEntries({ atMs: [5], attempts: [7n] }));
    expect(unpackEntries(packed.with(0, 2).slice().buffer)).toEqual(none);
    expect(unpackEntries(packed.slice(0, 14).buffer)).toEqual(none);
    expect(unpackEntries(packed.slice(0, 16).buffer)).toEqual({ atMs: [5], attempts: [] });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.boolean(), (bytes, ours) => {
        const read = unpackEntries(Uint8Array.from(ours ? [1, ...bytes] : bytes).buffer);
        expect(read.atMs.every(Number.isSafeInteger)).toBe(true);
      }),
    );
  });
});

describe("an attempt's tag", () => {
  it("is its own for every name, lone surrogates included, and none for none", () => {
    const names = ["", "a", "b", "\ud800", "\ud801", "\ufffd", "__proto__", "a".repeat(256)];
    expect(new Set([null, ...names].map(attemptTag)).size).toBe(names.length + 1);
    expect(attemptTag(null)).toBe(0n);
    expect(attemptTag("a")).toBe(attemptTag("a"));
  });
});
