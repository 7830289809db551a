import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOT_PATHS_MAX_COUNT, HOT_ROWS_MAX_COUNT, PATH_NAME_MAX_CHARS } from "../../../src/limits/spine.ts";
import { fail, ok } from "../../../src/result.ts";
import { readHotPaths, writeHotPaths } from "../../../src/spine/telemetry/hot-paths-json.ts";
import {
  type HotCall,
  type HotPaths,
  hottest,
  NO_HOT_PATHS,
  otherHotCalls,
  recordHotCalls,
  slowest,
  totalHotCalls,
} from "../../../src/spine/telemetry/hot-paths.ts";
import { anythingWith } from "../health/arbitraries.ts";

const anyKey = fc.oneof(
  fc.integer({ min: 0, max: 30 }).map((index) => `github:tool${index}#0123abcd`),
  fc.constantFrom("__proto__", "constructor", "/src/a%20b.ts", "a b", "", "\ud800", "x".repeat(10_000)),
);
const anyCall: fc.Arbitrary<HotCall> = fc.record({
  key: fc.option(anyKey),
  latencyMs: fc.nat(50),
  failed: fc.boolean(),
});
const anyCalls = fc.array(anyCall, { maxLength: 120 });

/** Rows after calls of which none may be refused. */
function after(paths: HotPaths, calls: readonly HotCall[]): HotPaths {
  const recorded = recordHotCalls(paths, calls);
  if (!recorded.ok) throw new Error(recorded.reason.reason);
  return recorded.value;
}

function call(key: string | null, latencyMs: number, failed = false): HotCall {
  return { key, latencyMs, failed };
}

/** Requests, errors and milliseconds of rows and others together. */
function sums({ rows, other }: HotPaths): readonly number[] {
  const counts = [...rows.values(), other];
  return [
    counts.reduce((sum, { requests }) => sum + requests, 0),
    counts.reduce((sum, { errors }) => sum + errors, 0),
    counts.reduce((sum, { totalLatencyMs }) => sum + totalLatencyMs, 0),
    counts.reduce((max, { maxLatencyMs }) => Math.max(max, maxLatencyMs), 0),
  ];
}

describe("the hottest and the slowest", () => {
  const paths = after(NO_HOT_PATHS, [
    call("/b", 10),
    call("/b", 10),
    call("/a", 10),
    call("/a", 10, true),
    call("/slow", 90),
    call("/twice", 3),
    call("/twice", 30),
  ]);

  it("are ordered by calls, then the longest latency, then the key", () => {
    expect(hottest(paths)).toEqual([
      { key: "/twice", request_count: 2, error_count: 0, avg_latency_ms: 16, max_latency_ms: 30 },
      { key: "/a", request_count: 2, error_count: 1, avg_latency_ms: 10, max_latency_ms: 10 },
      { key: "/b", request_count: 2, error_count: 0, avg_latency_ms: 10, max_latency_ms: 10 },
      { key: "/slow", request_count: 1, error_count: 0, avg_latency_ms: 90, max_latency_ms: 90 },
    ]);
  });

  it("are ordered by average, then calls, then the key", () => {
    const more = after(paths, [call("/c", 10), call("/aa", 10)]);
    expect(slowest(more).map(({ key }) => key)).toEqual(["/slow", "/twice", "/a", "/b", "/aa", "/c"]);
  });

  it("are twelve at most", () => {
    const many = after(
      NO_HOT_PATHS,
      Array.from({ length: 40 }, (_, index) => call(`/${index}`, index)),
    );
    expect(hottest(many)).toHaveLength(HOT_ROWS_MAX_COUNT);
    expect(slowest(many)).toHaveLength(HOT_ROWS_MAX_COUNT);
    expect(HOT_ROWS_MAX_COUNT).toBe(12);
    expect(slowest(many, 2).map(({ key }) => key)).toEqual(["/39", "/38"]);
  });

  it("do not depend on the order of the calls, while there is room", () => {
    fc.assert(
      fc.property(
        anyCalls.chain((calls) =>
          fc.tuple(
            fc.constant(calls),
            fc.shuffledSubarray(calls, { minLength: calls.length, maxLength: calls.length }),
          ),
        ),
        ([calls, shuffled]) => {
          const paths = after(NO_HOT_PATHS, calls);
          const others = after(NO_HOT_PATHS, shuffled);
          expect([hottest(paths), slowest(paths), otherHotCalls(paths)]).toEqual([
            hottest(others),
            slowest(others),
            otherHotCalls(others),
          ]);
        },
      ),
    );
  });
});

describe("hot calls", () => {
  it("are never lost, and are the same one by one and in a batch", () => {
    fc.assert(
      fc.property(anyCalls, fc.nat(120), (calls, cut) => {
        const paths = after(NO_HOT_PATHS, calls);
        expect(sums(paths)).toEqual([
          calls.length,
          calls.filter(({ failed }) => failed).length,
          calls.reduce((sum, { latencyMs }) => sum + latencyMs, 0),
          calls.reduce((max, { latencyMs }) => Math.max(max, latencyMs), 0),
        ]);
        expect(totalHotCalls(paths)).toEqual(ok(calls.length));
        expect(after(after(NO_HOT_PATHS, calls.slice(0, cut)), calls.slice(cut))).toEqual(paths);
      }),
    );
  });

  it("without a key, or with one that is no path, are counted without a name", () => {
    const strange = [
      null,
      "",
      "a b",
      "\n",
      "\ud800",
      "ü",
      '"',
      "<|endoftext|>",
      "x".repeat(PATH_NAME_MAX_CHARS + 1),
    ];
    const paths = after(
      NO_HOT_PATHS,
      strange.map((key) => call(key, 2)),
    );
    expect(paths.rows.size).toBe(0);
    expect(otherHotCalls(paths)).toEqual({
      request_count: strange.length,
      error_count: 0,
      avg_latency_ms: 2,
      max_latency_ms: 2,
    });
    expect(otherHotCalls(NO_HOT_PATHS)).toBeUndefined();
  });

  it("of a new key push out the least called, whose sums stay among the others", () => {
    const busy = Array.from({ length: 900 }, (_, index) => call(`/busy${index}`, 1));
    const seldom = Array.from({ length: HOT_PATHS_MAX_COUNT - 900 }, (_, index) =>
      call(`/seldom${index}`, 7, true),
    );
    const full = after(NO_HOT_PATHS, [...busy, ...busy, ...seldom]);
    expect([full.rows.size, otherHotCalls(full)]).toEqual([HOT_PATHS_MAX_COUNT, undefined]);
    const more = after(full, [call("/new", 5)]);
    expect(more.rows.has("/new")).toBe(true);
    expect([...more.rows.keys()].filter((key) => key.startsWith("/seldom"))).toEqual([]);
    // An eighth of the rows goes: all the seldom called, and four of the others.
    expect([...more.rows.keys()].filter((key) => key.startsWith("/busy"))).toHaveLength(900 - 4);
    expect(sums(more)).toEqual([1800 + seldom.length + 1, seldom.length, 1800 + 7 * seldom.length + 5, 7]);
  });

  it("of keys without end stay within the bound, and what is called most keeps its count", () => {
    const flood = Array.from({ length: 5000 }, (_, index) =>
      index % 10 === 0 ? call("/steady", 1) : call(`/once${index}`, 3),
    );
    const paths = after(NO_HOT_PATHS, flood);
    expect(paths.rows.size).toBeLessThanOrEqual(HOT_PATHS_MAX_COUNT);
    expect(hottest(paths)[0]).toMatchObject({ key: "/steady", request_count: 500 });
    expect(sums(paths)[0]).toBe(5000);
  });

  it.each([-1, 0.5, Number.NaN, Infinity])(
    "with a latency of %s are refused, all of their batch",
    (latency) => {
      expect(recordHotCalls(NO_HOT_PATHS, [call("/a", 1), call("/a", latency)])).toEqual(
        fail({ reason: "invalid_latency" }),
      );
      expect(NO_HOT_PATHS.rows.size).toBe(0);
    },
  );

  it("that cannot be counted exactly any more are refused", () => {
    const paths = after(NO_HOT_PATHS, [call("/a", Number.MAX_SAFE_INTEGER)]);
    expect(recordHotCalls(paths, [call("/a", 1)])).toEqual(
      fail({ reason: "counter_exhausted", counter: "total_latency_ms" }),
    );
    expect(recordHotCalls(paths, [call("/b", 1)]).ok).toBe(true);
  });
});

describe("stored hot paths", () => {
  it("read back as they were", () => {
    fc.assert(
      fc.property(anyCalls, (calls) => {
        const paths = after(NO_HOT_PATHS, calls);
        expect(readHotPaths(JSON.parse(JSON.stringify(writeHotPaths(paths))))).toEqual(ok(paths));
      }),
    );
  });

  const stored = writeHotPaths(after(NO_HOT_PATHS, [call("/a", 2), call("/a", 4, true), call(null, 1)]));
  const [row] = stored.rows;
  it.each([
    [{ format_version: 0 }, "unknown_format_version"],
    [{ rows: null }, "invalid_rows"],
    [{ rows: [row, row] }, "invalid_rows"],
    [{ rows: [{ ...row, key: "a b" }] }, "invalid_rows"],
    [{ rows: [{ ...row, errors: 3 }] }, "invalid_rows"],
    [{ rows: [{ ...row, requests: 0 }] }, "invalid_rows"],
    [{ rows: [{ ...row, max_latency_ms: 7 }] }, "invalid_rows"],
    [{ rows: [{ ...row, max_latency_ms: 2 }] }, "invalid_rows"],
    [{ rows: Array.from({ length: HOT_PATHS_MAX_COUNT + 1 }, () => row) }, "invalid_rows"],
    [{ other: {} }, "invalid_other"],
    [{ other: { ...stored.other, requests: 2 ** 53 } }, "invalid_other"],
  ])("are refused with %j: %s", (change, reason) => {
    expect(readHotPaths({ ...stored, ...change })).toEqual(fail(reason));
  });

  it("may be anything without a throw", () => {
    const members = [...Object.keys(stored), ...Object.keys(row ?? {})];
    fc.assert(
      fc.property(anythingWith(members), (value) => {
        const read = readHotPaths(Object.assign({}, stored, value));
        expect(read.ok ? readHotPaths(writeHotPaths(read.value)) : read).toEqual(read);
      }),
      { numRuns: 300 },
    );
  });
});
