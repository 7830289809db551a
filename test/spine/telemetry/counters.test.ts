import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../../src/result.ts";
import { wholeQuotient } from "../../../src/spine/telemetry/aggregate.ts";
import {
  addChecked,
  CALL_COUNTERS,
  incrementAll,
  inFlight,
  isCount,
  NO_CALLS,
  readCallCounters,
  timedOutcomes,
} from "../../../src/spine/telemetry/counters.ts";
import { anyCount, anythingWith } from "../health/arbitraries.ts";

const MAX = Number.MAX_SAFE_INTEGER;

describe("a checked counter", () => {
  it("counts to 2^53 - 1 and no further: it neither stands still nor begins again", () => {
    expect(addChecked("retry_count", MAX - 1, 1)).toEqual(ok(MAX));
    expect(addChecked("retry_count", MAX, 1)).toEqual(
      fail({ reason: "counter_exhausted", counter: "retry_count" }),
    );
  });

  it("gives the exact sum or an error", () => {
    fc.assert(
      fc.property(anyCount, anyCount, (count, more) => {
        const sum = addChecked("request_count", count, more);
        const exact = BigInt(count) + BigInt(more);
        expect(sum).toEqual(
          exact <= BigInt(MAX)
            ? ok(Number(exact))
            : fail({ reason: "counter_exhausted", counter: "request_count" }),
        );
      }),
    );
  });

  it("moves with the others or not at all", () => {
    const full = { ...NO_CALLS, response_error_count: MAX };
    expect(incrementAll(full, ["error_count", "response_error_count"])).toEqual(
      fail({ reason: "counter_exhausted", counter: "response_error_count" }),
    );
    expect(full.error_count).toBe(0);
  });

  it.each([-1, 0.5, Number.NaN, Infinity, 2 ** 53, "1", null, undefined, 1n, true])("is not %s", (value) => {
    expect(isCount(value)).toBe(false);
  });
});

describe("counters that are read", () => {
  it("hold their laws and read back, or are refused", () => {
    const anyCounters = fc.record({
      request_count: anyCount,
      success_count: anyCount,
      error_count: anyCount,
      response_error_count: anyCount,
      recovery_error_count: anyCount,
      recovery_fault_count: anyCount,
      retry_count: anyCount,
    });
    fc.assert(
      fc.property(anyCounters, (written) => {
        const read = readCallCounters(written);
        const outcomes = BigInt(written.success_count) + BigInt(written.error_count);
        const causes = BigInt(written.response_error_count) + BigInt(written.recovery_error_count);
        const lawful = outcomes <= BigInt(written.request_count) && causes <= BigInt(written.error_count);
        expect(read.ok).toBe(lawful);
        expect(read.ok ? read.value : written).toEqual(written);
        const counters = read.ok ? read.value : NO_CALLS;
        expect(inFlight(counters)).toBeGreaterThanOrEqual(0);
        expect(timedOutcomes(counters)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });

  it("are told apart by the law that they break", () => {
    expect(readCallCounters({ ...NO_CALLS, error_count: 1 })).toEqual(fail("more_outcomes_than_requests"));
    const error = { ...NO_CALLS, request_count: 1, error_count: 1 };
    expect(readCallCounters({ ...error, response_error_count: 1, recovery_error_count: 1 })).toEqual(
      fail("more_causes_than_errors"),
    );
    expect(readCallCounters({ ...error, retry_count: "0" })).toEqual(fail("invalid_count"));
  });

  it("may be anything without a throw", () => {
    fc.assert(
      fc.property(anythingWith(CALL_COUNTERS), (value) => {
        const read = readCallCounters(value);
        expect(read.ok ? readCallCounters(read.value) : read).toEqual(read);
      }),
      { numRuns: 300 },
    );
  });
});

describe("an average", () => {
  it("is the whole part of the quotient, exactly, and 0 of nothing", () => {
    expect(wholeQuotient(0, 0)).toBe(0);
    fc.assert(
      fc.property(anyCount, anyCount, (total, samples) => {
        const whole = samples === 0 ? 0 : Number(BigInt(total) / BigInt(samples));
        expect(wholeQuotient(total, samples)).toBe(whole);
      }),
    );
  });
});
