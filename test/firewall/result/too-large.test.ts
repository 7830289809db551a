import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inlineBounds } from "../../../src/firewall/result/inline-bounds.ts";
import { isTooLarge } from "../../../src/firewall/result/keepsake.ts";
import { committedCounter } from "../../../scripts/committed-ranks.ts";

const counter = committedCounter();
const bounds = inlineBounds(200, 0);

describe("a text that is shown as it came", () => {
  it("costs no more than a few times its bound in a JSON answer either", () => {
    const mark = fc.constantFrom("\n", "\t", "\r\n", " ", '"', "\\", "a", "1", "\n\t", "{}");
    const text = fc
      .array(fc.tuple(mark, fc.integer({ min: 1, max: 600 })), { maxLength: 6 })
      .map((runs) => runs.map(([sign, times]) => sign.repeat(times)).join(""));
    fc.assert(
      fc.property(text, (shown) => {
        fc.pre(!isTooLarge(shown, bounds));
        expect(counter.count(JSON.stringify(shown))).toBeLessThanOrEqual(6 * bounds.maxTokens);
      }),
      { numRuns: 200 },
    );
  });

  it.each(["\n".repeat(1_500), "\t".repeat(1_500)])("is no run of %j that JSON writes out", (run) => {
    expect(isTooLarge(run, bounds)).toBe(true);
    expect(isTooLarge(run.slice(0, 300), bounds)).toBe(false);
  });

  it("is ordinary code and JSON of the same size as before", () => {
    const code = "\tif err != nil {\n\t\treturn nil, err\n\t}\n".repeat(11);
    const json = JSON.stringify(Array.from({ length: 9 }, (_, id) => ({ id, name: `n${id}`, ok: true })));
    expect([isTooLarge(code, bounds), isTooLarge(json, bounds)]).toEqual([false, false]);
  });
});
