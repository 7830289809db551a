import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ARTIFACT_ROOM_MAX_BYTES,
  ARTIFACT_ROOM_SHARE,
  ARTIFACTS_DEFAULT_BYTES,
  ARTIFACTS_DEFAULT_COUNT,
} from "../../src/limits.ts";
import type { ArtifactAmount } from "../../src/principal/artifact-contract.ts";
import { allowanceOf, exceeds, thoseThatGiveWay } from "../../src/principal/artifact-quota.ts";

const MIB = 1_048_576;
const ASK = { bytes: 64 * MIB, count: 33 };
const NOTHING: ArtifactAmount = { bytes: 0, count: 0 };

const quota = (maxBytes: number, maxCount = ARTIFACTS_DEFAULT_COUNT) => ({ maxBytes, maxCount });
const refuse = (
  limits: { maxBytes: number; maxCount: number },
  taken: ArtifactAmount,
  ask = ASK,
  largestBytes = 0,
) => allowanceOf({ ...limits, ...ask, onFull: "refuse" }, () => ({ ...taken, largestBytes }));

const amount = fc.integer({ min: 1, max: 2 ** 40 });
const pieces = fc.integer({ min: 1, max: 2000 });
const anAsk = fc.record({ bytes: amount, count: pieces });
const limits = fc.record({ maxBytes: amount, maxCount: pieces });
const sum = (left: ArtifactAmount, right: ArtifactAmount): ArtifactAmount => ({
  bytes: left.bytes + right.bytes,
  count: left.count + right.count,
});

/** How many calls are let in, one after the other, of which none has ended. */
function letInTogether(limits: { maxBytes: number; maxCount: number }): ArtifactAmount[] {
  const let_in: ArtifactAmount[] = [];
  let taken = NOTHING;
  for (;;) {
    const allowed = refuse(limits, taken);
    if (allowed === null) return let_in;
    let_in.push(allowed);
    taken = sum(taken, allowed);
  }
}

describe("a quota under which old artifacts give way", () => {
  it("refuses no call and looks at nothing that is kept: a call may keep what the quota holds", () => {
    fc.assert(
      fc.property(limits, anAsk, (held, ask) => {
        const taken = () => {
          throw new Error("asked");
        };
        expect(allowanceOf({ ...held, ...ask, onFull: "evict" }, taken)).toEqual({
          bytes: Math.min(ask.bytes, held.maxBytes),
          count: Math.min(ask.count, held.maxCount),
        });
      }),
    );
  });
});

describe("a quota that refuses", () => {
  it("lets any call in while it is empty", () => {
    fc.assert(
      fc.property(limits, anAsk, (held, ask) => {
        const allowed = refuse(held, NOTHING, ask);
        expect(allowed?.bytes).toBeGreaterThan(0);
        expect(allowed?.count).toBeGreaterThan(0);
      }),
    );
  });

  it("allows no more than was asked for and is left, however full it is", () => {
    fc.assert(
      fc.property(limits, anAsk, amount, pieces, (held, ask, bytes, count) => {
        const allowed = refuse(held, { bytes, count }, ask);
        if (allowed === null) return;
        expect(allowed.bytes).toBeLessThanOrEqual(Math.min(ask.bytes, held.maxBytes - bytes));
        expect(allowed.count).toBeLessThanOrEqual(Math.min(ask.count, held.maxCount - count));
        expect(Math.min(allowed.bytes, allowed.count)).toBeGreaterThan(0);
      }),
    );
  });

  it("keeps what is allowed within it, whatever calls come together and whatever they keep", () => {
    const call = fc.record({ ask: anAsk, kept: fc.double({ min: 0, max: 1, noNaN: true }) });
    fc.assert(
      fc.property(limits, fc.array(call, { maxLength: 40 }), (held, calls) => {
        let taken = NOTHING;
        for (const { ask, kept } of calls) {
          const allowed = refuse(held, taken, ask);
          if (allowed === null) continue;
          expect(exceeds(sum(taken, allowed), held)).toBe(false);
          taken = sum(taken, {
            bytes: Math.floor(allowed.bytes * kept),
            count: Math.floor(allowed.count * kept),
          });
        }
      }),
    );
  });

  it("has room for an answer as large as the largest that is kept, up to the call that it refuses", () => {
    fc.assert(
      fc.property(limits, amount, amount, (held, bytes, largest) => {
        const allowed = refuse(held, { bytes, count: 0 }, ASK, largest);
        const needed = Math.min(largest, ARTIFACT_ROOM_MAX_BYTES, held.maxBytes);
        const left = held.maxBytes - bytes;
        expect(allowed === null ? left < ARTIFACT_ROOM_MAX_BYTES : allowed.bytes >= needed).toBe(true);
      }),
    );
    const held = quota(100_000);
    expect(refuse(held, { bytes: 60_000, count: 1 }, ASK, 60_000)).toBeNull();
    expect(refuse(held, { bytes: 40_000, count: 1 }, ASK, 40_000)?.bytes).toBe(60_000);
    expect(refuse(quota(ARTIFACTS_DEFAULT_BYTES), { bytes: 0, count: ARTIFACTS_DEFAULT_COUNT })).toBeNull();
  });

  it("is full before its last bytes are used: an answer that does not fit them would leave them free for ever", () => {
    const held = quota(10_000_000, 10);
    let booked = NOTHING;
    for (;;) {
      const allowed = refuse(held, booked);
      if (allowed === null) break;
      // What is kept comes in pieces of 300 KB; one that does not fit is not kept.
      const fits = Math.min(1, Math.floor(allowed.bytes / 300_000));
      booked = sum(booked, { bytes: fits * 300_000, count: 0 });
    }
    expect(held.maxBytes - booked.bytes).toBeLessThan(held.maxBytes / ARTIFACT_ROOM_SHARE);
  });

  it("holds the whole answer's room for calls side by side; in a small one they wait for each other", () => {
    const usual = letInTogether(quota(ARTIFACTS_DEFAULT_BYTES));
    expect(usual).toEqual(usual.map(() => ASK));
    expect(usual).toHaveLength(16);
    expect(letInTogether(quota(10_000_000)).map(({ bytes }) => bytes)).toEqual([10_000_000]);
    expect(letInTogether(quota(1, 1))).toEqual([{ bytes: 1, count: 1 }]);
  });
});

describe("what gives way", () => {
  const artifacts = fc
    .array(fc.integer({ min: 0, max: 1000 }), { maxLength: 60 })
    .map((sizes) => sizes.map((sizeBytes, index) => ({ handle: String(index), sizeBytes })));
  const amountOf = (kept: readonly { readonly sizeBytes: number }[]): ArtifactAmount => ({
    bytes: kept.reduce((total, { sizeBytes }) => total + sizeBytes, 0),
    count: kept.length,
  });
  const small = fc.record({
    maxBytes: fc.integer({ min: 1, max: 20_000 }),
    maxCount: fc.integer({ min: 1, max: 60 }),
  });

  it("is the oldest first, until the rest fits, and of the next ones no more than a hundredth", () => {
    fc.assert(
      fc.property(artifacts, small, fc.array(fc.nat(59)), (kept, held, young) => {
        const spared = new Set(young.map(String));
        const order = kept.filter(({ handle }) => !spared.has(handle));
        const all = amountOf(kept);
        const restAfter = (gone: number) =>
          amountOf(kept.filter((artifact) => !order.slice(0, gone).includes(artifact)));
        const ways = [...order.keys(), order.length];
        const fewest = ways.find((gone) => !exceeds(restAfter(gone), held)) ?? order.length;
        const most = ways.findLast((gone) => {
          const { bytes, count } = restAfter(gone);
          const enough = [];
          if (all.bytes > held.maxBytes)
            enough.push(bytes >= held.maxBytes - Math.floor(held.maxBytes / 100));
          if (all.count > held.maxCount)
            enough.push(count >= held.maxCount - Math.floor(held.maxCount / 100));
          return enough.length > 0 && enough.every(Boolean);
        });
        expect(thoseThatGiveWay(kept, all, held, spared)).toEqual(
          order.slice(0, Math.max(fewest, most ?? 0)),
        );
      }),
    );
  });

  it("is a hundredth at once, so that the oldest are not looked for with every call", () => {
    const kept = Array.from({ length: 1001 }, (_, index) => ({ handle: String(index), sizeBytes: 0 }));
    expect(thoseThatGiveWay(kept, amountOf(kept), quota(1, 1000), new Set())).toHaveLength(11);
    expect(thoseThatGiveWay(kept.slice(1), amountOf(kept.slice(1)), quota(1, 1000), new Set())).toEqual([]);
  });
});
