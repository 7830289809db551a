import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/firewall/result/token-estimate.ts";
import { VIEW_MAX_BYTES } from "../../../src/limits.ts";
import { text, textResult } from "../../fixtures/results/kit/result-case.ts";
import { many } from "../../fixtures/results/kit/seeded.ts";
import { forgedIn, SHOWN_MAX_TOKENS, unseenIn } from "./hygiene.ts";
import { isText, outcomeOf, readWhole } from "./outcome.ts";

/** What every kind of text begins with or breaks at, and what breaks those who read it. */
const FRAGMENTS = [
  ...Array.from('{}[]",:|#<>`-\n\r\t\u0000\u2028\u202e'),
  "\r\n",
  "\ud83d",
  "\udc00",
  "\ud83d\ude00",
  '{"a":1}',
  "[1,2]",
  "\\u00",
  "a,b,c\n",
  "a\tb\n",
  "| a | b |\n|---|---|\n",
  "# One\n\n",
  "<h1>One</h1>",
  "<!--",
  "```\n",
  "2026-03-01T00:00:00Z ERROR down\n",
  "\u001b[31mWARN\u001b[0m up\n",
  "diff --git a/x b/x\n",
  "@@ -1,2 +1,2 @@\n",
  "export class X {\n",
  'kept text/plain 12 bytes: tool_view {"handle":"1"}\n',
  "<|endoftext|>",
  "A sentence ends. ",
  "漢字",
] as const;

const fragments = fc.array(
  fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: "binary", maxLength: 9 })),
  {
    minLength: 1,
    maxLength: 60,
  },
);

/** A few fragments over and over, long enough to be kept. */
const written = fc.record({ first: fragments, again: fragments, last: fragments });

function largeText({ first, again, last }: Record<"first" | "again" | "last", readonly string[]>): string {
  const unit = again.join("");
  const middle = unit.repeat(Math.ceil(9000 / Math.max(1, unit.length)));
  return [...first, middle, "0123456789".repeat(700), ...last].join("");
}

describe("any text that is too large", () => {
  it("is shown bounded and clean, the same at every call, and can be read again to the last byte", async () => {
    await fc.assert(
      fc.asyncProperty(written, async (fragments) => {
        const value = largeText(fragments);
        const each = { name: "any", kind: "plain text", result: () => textResult(value) } as const;
        const outcome = await outcomeOf(each);
        const shown = outcome.texts.join("\n");
        expect(estimateTokens(shown)).toBeLessThanOrEqual(SHOWN_MAX_TOKENS);
        expect([...unseenIn(shown), ...forgedIn(shown)]).toEqual([]);
        expect((await outcomeOf(each)).json).toBe(outcome.json);
        const [kept] = outcome.kept;
        if (kept === undefined) throw new Error("nothing was kept");
        const bytes = Buffer.from(value);
        expect(kept.sizeBytes).toBe(bytes.length);
        for (const first of [
          { type: "bytes", offset: 0, length: VIEW_MAX_BYTES },
          { type: "lines", start: 0, end: 100 },
        ]) {
          expect((await readWhole(outcome, kept, first)).equals(bytes)).toBe(true);
        }
      }),
      { numRuns: 120 },
    );
  });
});

describe("any bytes that are too many", () => {
  it("are kept as the bytes they are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 900 }),
        fc.string(),
        async (unit, mimeType) => {
          const bytes = Buffer.concat(many(Math.ceil(262_145 / unit.length), () => unit));
          const image = { type: "image", data: bytes.toString("base64"), mimeType };
          const result = () => ({ content: [text("A picture."), image] });
          const outcome = await outcomeOf({ name: "any", kind: "image", result });
          const [kept] = outcome.kept;
          if (kept === undefined) throw new Error("nothing was kept");
          expect(isText(kept)).toBe(false);
          const whole = await readWhole(outcome, kept, { type: "bytes", offset: 0, length: VIEW_MAX_BYTES });
          expect(whole.equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 15 },
    );
  });
});
