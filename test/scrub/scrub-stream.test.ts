import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SCRUB_STREAM_REACH_CHARS, SCRUB_STREAM_WINDOW_CHARS } from "../../src/limits.ts";
import { createScrubber } from "../../src/scrub/scrub.ts";
import { SCRUBBED } from "../../src/scrub/secret-places.ts";

const SECRET = 'p4ss"wörd-🔑-0123';
const scrubber = createScrubber([SECRET]);

function streamed(pieces: readonly string[]): string {
  const filter = scrubber.stream();
  return pieces.map((piece) => filter.push(piece)).join("") + filter.end();
}

function cutAt(text: string, places: readonly number[]): string[] {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return cuts.slice(1).map((cut, index) => text.slice(cuts[index], cut));
}

/** As texts commonly hold it. */
const forms = [
  SECRET,
  JSON.stringify(SECRET).slice(1, -1),
  JSON.stringify(JSON.stringify(SECRET)).slice(1, -1),
  encodeURIComponent(SECRET),
  Buffer.from(`x:${SECRET}`).toString("base64"),
];
const filler = fc.constantFrom("a", " plain words ", "\\\\", "🔑", "%41", "&amp;", "\n", '"', "p4ss");

/** Long enough that windows leave before the end, with secrets around the places where they are cut. */
const longText = fc
  .record({
    unit: filler,
    near: fc.array(fc.integer({ min: -300, max: 300 }), { minLength: 1, maxLength: 4 }),
    form: fc.constantFrom(...forms),
  })
  .map(({ unit, near, form }) => {
    const borders = [SCRUB_STREAM_WINDOW_CHARS - SCRUB_STREAM_REACH_CHARS, SCRUB_STREAM_WINDOW_CHARS];
    const length = 2 * SCRUB_STREAM_WINDOW_CHARS;
    let text = unit.repeat(Math.ceil(length / unit.length));
    for (const border of borders) {
      for (const offset of near)
        text = `${text.slice(0, border + offset)} ${form} ${text.slice(border + offset)}`;
    }
    return text;
  });

describe("a text that comes in pieces", () => {
  it("loses the secrets that it would lose whole, however it is cut", () => {
    fc.assert(
      fc.property(longText, fc.array(fc.nat(), { maxLength: 12 }), (text, places) => {
        expect(streamed(cutAt(text, places)) === scrubber.text(text)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("is passed on untouched where it holds none", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 200 })), (pieces) => {
        expect(streamed(pieces)).toBe(pieces.join(""));
      }),
    );
  });

  it("is never held back further than a window", () => {
    const filter = scrubber.stream();
    const piece = "words ".repeat(10_000);
    let [pushed, out] = [0, 0];
    for (let round = 0; round < 40; round += 1) {
      pushed += piece.length;
      out += filter.push(piece).length;
      expect(pushed - out).toBeLessThan(SCRUB_STREAM_WINDOW_CHARS + piece.length);
    }
  });

  it("loses a secret in each of its usual forms", () => {
    for (const form of forms) {
      const text = `a ${form} b`;
      const clean = streamed([text.slice(0, 7), text.slice(7)]);
      expect(clean).toBe(scrubber.text(text));
      expect(clean).not.toBe(text);
    }
    expect(streamed([`a ${SECRET.slice(0, 3)}`, `${SECRET.slice(3)} b`])).toBe(`a ${SCRUBBED} b`);
  });
});
