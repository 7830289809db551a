import * as fc from "fast-check";
import type { Generation } from "../../../src/spine/fault/generation.ts";
import { openLedger, type OperationalLedger } from "../../../src/spine/telemetry/ledger.ts";
import { applyOperations, type LedgerOperation } from "../../../src/spine/telemetry/operation.ts";
import { anyCode, faultOf, generation } from "../health/arbitraries.ts";

/** Few enough that operations meet, and some that are no names. */
const anyMethod = fc.constantFrom(
  "initialize",
  "tools/call",
  "__proto__",
  "constructor",
  "$/cancelRequest",
  "a b",
  "",
  "\ud800",
  "<|endoftext|>",
  "x".repeat(10_000),
);

const anyLatency = fc.oneof(fc.nat(20), fc.nat(100_000));

const anyGeneration: fc.Arbitrary<Generation> = fc.integer({ min: 1, max: 6 }).map(generation);

/** Any entry, most of which some ledger will refuse. */
export const anyOperation: fc.Arbitrary<LedgerOperation> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ record: fc.constant("request" as const), method: anyMethod }) },
  {
    weight: 4,
    arbitrary: fc.record({
      record: fc.constant("success" as const),
      method: anyMethod,
      latency_ms: fc.oneof(anyLatency, fc.constantFrom(-1, 0.5, Number.NaN, Infinity, 2 ** 53)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      record: fc.constantFrom("error" as const, "response_error" as const),
      method: anyMethod,
      latency_ms: anyLatency,
      error: anyCode,
    }),
  },
  fc.record({ record: fc.constant("recovery_error" as const), method: anyMethod, error: anyCode }),
  fc.record({ record: fc.constant("replay" as const), method: anyMethod }),
  anyGeneration.chain((of) =>
    fc.record({
      record: fc.constant("recovery_fault" as const),
      method: fc.option(anyMethod),
      fault: faultOf(of),
    }),
  ),
  fc.record({ record: fc.constant("replace_worker" as const), generation: anyGeneration }),
);

export const anyOperations = fc.array(anyOperation, { maxLength: 60 });

/** A ledger that some history has made. */
export const anyLedger: fc.Arbitrary<OperationalLedger> = anyOperations.map(
  (operations) => applyOperations(openLedger(generation(1)), operations).ledger,
);
