import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RATE_ATTEMPTS_REMEMBERED_MAX_COUNT, RATE_WINDOW_MS } from "../../src/limits.ts";
import { packEntries, unpackEntries } from "../../src/principal/rate-entries.ts";
import { UNNAMED_ATTEMPT, judgeCall, windowEndsAtMs } from "../../src/principal/rate-window.ts";
import type { BucketLimits, RateVerdict, RateWindow } from "../../src/principal/rate-window.ts";

const SPAN_MS = 300_000;
const START_MS = 1_800_000_000_000;

/** Rows as the object keeps them: each judgement starts from what was written down, through its bytes. */
class Rows {
  readonly rows = new Map<string, RateWindow>();
  #attempt = 0n;

  judge(buckets: readonly BucketLimits[], nowMs: number, attempt = this.freshAttempt()): RateVerdict {
    const counted = buckets.map((limits) => ({ limits, known: this.rows.get(limits.name) ?? null }));
    return judgeCall(counted, { attempt, repeated: false, nowMs, spanEndsAtMs: nowMs + SPAN_MS });
  }

  call(buckets: readonly BucketLimits[], nowMs: number, attempt?: bigint): RateVerdict {
    const verdict = this.judge(buckets, nowMs, attempt);
    for (const { limits, window } of verdict.written) {
      this.rows.set(limits.name, { ...window, ...unpackEntries(packEntries(window)) });
    }
    return verdict;
  }

  freshAttempt(): bigint {
    this.#attempt += 1n;
    return this.#attempt;
  }
}

const minute = (perMinute: number, name = "b"): BucketLimits => ({ name, perMinute });
const session = (perSession: number, name = "b"): BucketLimits => ({ name, perSession });

interface Counted {
  readonly times: readonly number[];
  readonly calls: number;
  readonly endsAtMs: number;
}

/** The contract, naively: what counts now, all of it judged before any is added to. */
class Model {
  readonly #buckets = new Map<string, Counted>();

  call(buckets: readonly BucketLimits[], nowMs: number): string | null {
    const now = new Map(buckets.map(({ name }) => [name, countedAt(this.#buckets.get(name), nowMs)]));
    let refusal: string | null = null;
    let longestMs = -1;
    for (const { name, perMinute, perSession } of buckets) {
      const { times, calls } = now.get(name) ?? countedAt(undefined, nowMs);
      if (typeof perSession === "number" && calls >= perSession && longestMs < Infinity) {
        refusal = `${name}/session null`;
        longestMs = Infinity;
      }
      if (typeof perMinute !== "number") continue;
      // The wait is over once fewer than the limit still count.
      let waitMs = 0;
      while (times.filter((at) => nowMs + waitMs - at < 60_000).length >= perMinute) {
        waitMs = Math.min(
          ...times.map((at) => at + 60_000 - nowMs).filter((overAfterMs) => overAfterMs > waitMs),
        );
      }
      if (waitMs > 0 && waitMs > longestMs) {
        refusal = `${name}/minute ${waitMs}`;
        longestMs = waitMs;
      }
    }
    for (const [name, counted] of now) {
      const { times, calls, endsAtMs } = counted;
      const known = this.#buckets.get(name);
      if (refusal === null) this.#buckets.set(name, { times: [...times, nowMs], calls: calls + 1, endsAtMs });
      // A clock that went back is noted, or what it left in the future would lock out until then.
      else if (known !== undefined && isAhead(known, nowMs)) this.#buckets.set(name, counted);
    }
    return refusal;
  }
}

function countedAt(known: Counted | undefined, nowMs: number): Counted {
  const isOver = known === undefined || known.endsAtMs <= nowMs;
  return {
    times: (known?.times ?? []).map((at) => Math.min(at, nowMs)).filter((at) => nowMs - at < 60_000),
    calls: isOver ? 0 : known.calls,
    endsAtMs: isOver ? nowMs + SPAN_MS : Math.min(known.endsAtMs, nowMs + SPAN_MS),
  };
}

function isAhead({ times, endsAtMs }: Counted, nowMs: number): boolean {
  return times.some((at) => at > nowMs) || endsAtMs > nowMs + SPAN_MS;
}

const told = ({ exceeded }: RateVerdict): string | null =>
  exceeded === null ? null : `${exceeded.scope} ${exceeded.retryAfterMs}`;

const limitsOf = (name: string): fc.Arbitrary<BucketLimits> =>
  fc.record({
    name: fc.constant(name),
    perMinute: fc.option(fc.integer({ min: 1, max: 6 })),
    perSession: fc.option(fc.integer({ min: 1, max: 12 })),
  });

/** Mostly small steps, some around a window, some back. */
const stepMs = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 15_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 59_998, max: 60_002 }) },
  { weight: 1, arbitrary: fc.integer({ min: -200_000, max: -1 }) },
  { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 400_000 }) },
);

const calls = fc.array(
  fc.record({ stepMs, buckets: fc.tuple(limitsOf("x"), limitsOf("y")), only: fc.constantFrom(0, 1, 2) }),
  { maxLength: 60 },
);

const bucketsOf = ({
  buckets,
  only,
}: {
  readonly buckets: readonly [BucketLimits, BucketLimits];
  readonly only: number;
}): readonly BucketLimits[] => (only === 2 ? buckets : buckets.slice(only, only + 1));

describe("a rate window", () => {
  it("is the naive list of times, for any limits, however the clock steps", () => {
    fc.assert(
      fc.property(calls, (sequence) => {
        const rows = new Rows();
        const model = new Model();
        let nowMs = START_MS;
        for (const call of sequence) {
          nowMs += call.stepMs;
          expect(told(rows.call(bucketsOf(call), nowMs))).toBe(model.call(bucketsOf(call), nowMs));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("says to the millisecond when a call fits again", () => {
    fc.assert(
      fc.property(calls, (sequence) => {
        const rows = new Rows();
        const waits: unknown[] = [];
        const expected: unknown[] = [];
        let nowMs = START_MS;
        for (const call of sequence) {
          nowMs += call.stepMs;
          const buckets = bucketsOf(call);
          const { exceeded } = rows.call(buckets, nowMs);
          const waitMs = exceeded?.retryAfterMs ?? null;
          if (exceeded === null || waitMs === null) continue;
          const scope = (afterMs: number) => rows.judge(buckets, nowMs + afterMs).exceeded?.scope;
          waits.push([waitMs > 0 && waitMs <= RATE_WINDOW_MS, scope(waitMs - 1), scope(waitMs)]);
          expected.push([true, exceeded.scope, undefined]);
        }
        expect(waits).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it("holds in every sixty seconds, whatever is tried", () => {
    const steps = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (sequence, limit) => {
        const rows = new Rows();
        const admitted: number[] = [];
        let nowMs = START_MS;
        for (const step of sequence) {
          nowMs += step;
          if (rows.call([minute(limit)], nowMs).exceeded === null) admitted.push(nowMs);
        }
        for (const [index, at] of admitted.entries()) {
          expect((admitted[index + limit] ?? Infinity) - at).toBeGreaterThanOrEqual(RATE_WINDOW_MS);
        }
      }),
    );
  });

  it("charges no bucket unless all of them admit", () => {
    fc.assert(
      fc.property(calls, (sequence) => {
        const rows = new Rows();
        let nowMs = START_MS;
        for (const call of sequence) {
          nowMs += Math.abs(call.stepMs);
          const buckets = bucketsOf(call);
          const before = new Map(rows.rows);
          const { exceeded } = rows.call(buckets, nowMs);
          const charged = buckets.map(({ name }) => rows.rows.get(name) !== before.get(name));
          expect(charged).toEqual(buckets.map(() => exceeded === null));
        }
      }),
    );
  });

  it("charges one attempt once, however often it is asked, and admits it again", () => {
    fc.assert(
      fc.property(calls, fc.array(fc.integer({ min: 0, max: 3 })), (sequence, repeats) => {
        const once = new Rows();
        const often = new Rows();
        let nowMs = START_MS;
        for (const [index, call] of sequence.entries()) {
          nowMs += Math.abs(call.stepMs);
          const buckets = bucketsOf(call);
          const attempt = BigInt(index + 1);
          const first = often.call(buckets, nowMs, attempt);
          expect(first).toEqual(once.call(buckets, nowMs, attempt));
          for (let repeat = repeats[index] ?? 0; repeat > 0; repeat -= 1) {
            // Time passes before the repetition of what was admitted; a refusal may be over by then.
            const laterMs = first.exceeded === null ? repeat * 1000 : 0;
            const again = often.call(buckets, nowMs + laterMs, attempt);
            expect(again.written).toEqual([]);
            expect(again.exceeded === null).toBe(first.exceeded === null);
          }
          nowMs += 3000;
          expect(often.rows).toEqual(once.rows);
        }
      }),
    );
  });

  it("charges every call that has no attempt", () => {
    const rows = new Rows();
    const verdicts = [1, 2, 3].map(() => told(rows.call([minute(2)], START_MS, UNNAMED_ATTEMPT)));
    expect(verdicts).toEqual([null, null, "b/minute 60000"]);
  });

  it("says the session's count before a minute's, and the longest wait among minutes", () => {
    const rows = new Rows();
    rows.call([minute(9, "x")], START_MS);
    rows.call([minute(9, "y"), session(9, "z")], START_MS + 10);
    const at = (buckets: BucketLimits[]) => told(rows.judge(buckets, START_MS + 20));
    expect(at([minute(1, "x"), minute(1, "y")])).toBe("y/minute 59990");
    expect(at([minute(1, "y"), minute(1, "x")])).toBe("y/minute 59990");
    expect(at([minute(1, "x"), minute(1, "y"), session(1, "z")])).toBe("z/session null");
    expect(at([{ name: "x", perMinute: 1, perSession: 1 }])).toBe("x/session null");
  });

  it("waits for several to be over where the limit was lowered", () => {
    const rows = new Rows();
    for (let index = 0; index < 5; index += 1) rows.call([minute(5)], START_MS + index * 1000);
    expect(told(rows.judge([minute(2)], START_MS + 5000))).toBe("b/minute 58000");
    expect(told(rows.judge([minute(9)], START_MS + 5000))).toBeNull();
  });

  it("frees nothing when the clock goes back, and locks nobody out for longer than a window or a span", () => {
    const rows = new Rows();
    const limits = [{ name: "b", perMinute: 2, perSession: 5 }];
    for (let index = 0; index < 2; index += 1) rows.call(limits, START_MS);
    const backMs = START_MS - 3_600_000;
    expect(told(rows.call(limits, backMs))).toBe("b/minute 60000");
    expect(told(rows.call(limits, backMs + 30_000))).toBe("b/minute 30000");
    expect(told(rows.call(limits, backMs + 60_000))).toBeNull();
    for (let index = 0; index < 2; index += 1) rows.call(limits, backMs + 120_000 + index);
    expect(told(rows.call(limits, backMs + 180_002))).toBe("b/session null");
    expect(told(rows.call(limits, backMs + SPAN_MS - 1))).toBe("b/session null");
    expect(told(rows.call(limits, backMs + SPAN_MS))).toBeNull();
  });

  it("stays bounded: by the limit, or where there is none by the attempts it remembers", () => {
    const rows = new Rows();
    const count = RATE_ATTEMPTS_REMEMBERED_MAX_COUNT + 50;
    for (let index = 0; index < count; index += 1) rows.call([session(1e6), minute(count, "m")], START_MS);
    expect(rows.rows.get("b")).toMatchObject({ calls: count });
    expect(rows.rows.get("b")?.atMs).toHaveLength(RATE_ATTEMPTS_REMEMBERED_MAX_COUNT);
    expect(rows.rows.get("m")?.atMs).toHaveLength(count);
    expect(rows.rows.get("m")?.attempts).toHaveLength(RATE_ATTEMPTS_REMEMBERED_MAX_COUNT);
    expect(told(rows.call([minute(count, "m")], START_MS))).toBe("m/minute 60000");
    // The newest attempts are those that are remembered.
    expect(rows.call([session(1e6)], START_MS, BigInt(count)).written).toEqual([]);
    expect(rows.call([session(1e6)], START_MS, 1n).written).toHaveLength(1);
  });

  it("says something for as long as its span, and its last call's minute", () => {
    const window = { atMs: [START_MS], attempts: [1n], calls: 1, spanEndsAtMs: START_MS + SPAN_MS };
    expect(windowEndsAtMs(window)).toBe(START_MS + SPAN_MS);
    expect(windowEndsAtMs({ ...window, spanEndsAtMs: START_MS + 1 })).toBe(START_MS + RATE_WINDOW_MS);
    expect(windowEndsAtMs({ ...window, atMs: [] })).toBe(START_MS + SPAN_MS);
  });
});
