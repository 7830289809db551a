import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase64 } from "../../../src/firewall/result/base64.ts";
import { indexLines, startNear } from "../../../src/firewall/artifacts/line-index.ts";
import type { Shape, View } from "../../../src/firewall/view/plan.ts";
import { readSelector, type Selector } from "../../../src/firewall/view/selector.ts";
import { LINE_INDEX_MAX_COUNT, VIEW_MAX_BYTES } from "../../../src/limits.ts";
import {
  binaryArtifact,
  follow as followViews,
  look as lookArtifact,
  refused,
  textArtifact,
} from "./look.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const textShape = (bytes: Uint8Array): Shape => textArtifact(bytes).shape;
const blobShape = (bytes: Uint8Array): Shape => binaryArtifact(bytes).shape;
const look = (bytes: Uint8Array, shape: Shape, selector: Selector): View =>
  lookArtifact({ bytes, shape }, selector);
const lookAt = (text: string, selector: Selector): View => lookArtifact(textArtifact(text), selector);

/** Everything that following `next` shows, and what each step was. */
function follow(
  bytes: Uint8Array,
  shape: Shape,
  first: Selector,
): { parts: Uint8Array[]; steps: readonly View[] } {
  const steps = followViews({ bytes, shape }, first);
  const parts = steps.map((shown) => {
    const blob = shown.blob === undefined ? undefined : decodeBase64(shown.blob);
    return blob?.ok === true ? blob.value : encoder.encode(shown.text);
  });
  return { parts, steps };
}

const joined = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString("hex");
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

const pieces = fc.constantFrom(
  "\n",
  "\r\n",
  "a",
  "é",
  "漢",
  "😀",
  "\u0000",
  "\ufeff",
  "\u2028",
  "word ",
  "\n\n",
);
const smallText = fc.array(pieces, { maxLength: 60 }).map((all) => all.join(""));
/** Texts with lines far longer than one answer, of characters of any length. */
const longText = fc
  .array(
    fc.tuple(pieces, fc.integer({ min: 1, max: 9000 })).map(([piece, times]) => piece.repeat(times)),
    { maxLength: 8 },
  )
  .map((all) => all.join(""));
const firstSelectors = fc.oneof(
  fc.record({ type: fc.constant("head" as const), chars: fc.integer({ min: 1, max: 40_000 }) }),
  fc.record({
    type: fc.constant("lines" as const),
    start: fc.constant(0),
    end: fc.integer({ min: 0, max: 500 }),
  }),
  fc.record({
    type: fc.constant("bytes" as const),
    offset: fc.constant(0),
    length: fc.integer({ min: 1, max: 40_000 }),
  }),
);

describe("following next", () => {
  it("shows a small text whole, byte for byte, however it is begun", () => {
    fc.assert(
      fc.property(smallText, firstSelectors, (text, first) => {
        const bytes = encoder.encode(text);
        expect(joined(follow(bytes, textShape(bytes), first).parts)).toBe(hex(bytes));
      }),
    );
  });

  it("shows a long text whole, in answers of at most 16,384 bytes that split no character", () => {
    const large = firstSelectors.filter((selector) => selector.type !== "bytes" || selector.length > 500);
    fc.assert(
      fc.property(longText, large, (text, first) => {
        const bytes = encoder.encode(text);
        const { parts } = follow(bytes, textShape(bytes), first);
        expect(joined(parts)).toBe(hex(bytes));
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(VIEW_MAX_BYTES);
          expect(() => decoder.decode(part)).not.toThrow();
        }
      }),
      { numRuns: 60 },
    );
  });

  it("shows binary content whole, in answers of at most 16,384 characters of base64", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 70_000, size: "max" }),
        fc.integer({ min: 500, max: 90_000 }),
        (bytes, length) => {
          const { parts, steps } = follow(bytes, blobShape(bytes), { type: "bytes", offset: 0, length });
          expect(joined(parts)).toBe(hex(bytes));
          for (const { blob, text } of steps) {
            expect(text).toBeUndefined();
            expect(blob?.length).toBeLessThanOrEqual(VIEW_MAX_BYTES);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("head", () => {
  it("counts characters as code points, and goes on with bytes", () => {
    expect(lookAt("😀é漢abc", { type: "head", chars: 3 })).toEqual({
      text: "😀é漢",
      media_type: "text/plain",
      selector: { type: "head", chars: 3 },
      next: { type: "bytes", offset: 9, length: 4096 },
      total: { bytes: 12, lines: 1 },
    });
  });

  it("says what it showed where that is less than was asked for", () => {
    const shown = lookAt("漢".repeat(9000), { type: "head", chars: 1e300 });
    expect(shown.selector).toEqual({ type: "head", chars: 5461 });
    expect(lookAt("abc", { type: "head", chars: 500 })).toEqual({
      text: "abc",
      media_type: "text/plain",
      selector: { type: "head", chars: 3 },
      total: { bytes: 3, lines: 1 },
    });
  });
});

describe("lines", () => {
  const text = "zero\none\r\ntwo\n\nfour";

  it.each([
    [{ start: 0, end: 2 }, "zero\none\r\n", { start: 0, end: 2 }, { start: 2, end: 4 }],
    [{ start: 1, end: 3 }, "one\r\ntwo\n", { start: 1, end: 3 }, { start: 3, end: 5 }],
    [{ start: -2 }, "\nfour", { start: 3, end: 5 }, undefined],
    [{ start: -2, end: -1 }, "\n", { start: 3, end: 4 }, { start: 4, end: 5 }],
    [{ start: 0, end: -4 }, "zero\n", { start: 0, end: 1 }, { start: 1, end: 2 }],
    [{ start: -99, end: 99 }, text, { start: 0, end: 5 }, undefined],
    [{ start: 3, end: 1 }, "", { start: 3, end: 3 }, { start: 3, end: 5 }],
  ])("%j: 0-based, end exclusive, negatives from the end, line ends kept", (asked, shown, applied, next) => {
    expect(lookAt(text, { type: "lines", ...asked })).toEqual({
      text: shown,
      media_type: "text/plain",
      selector: { type: "lines", ...applied },
      ...(next === undefined ? {} : { next: { type: "lines", ...next } }),
      total: { bytes: 19, lines: 5 },
    });
  });

  it.each([{ start: 5 }, { start: 6, end: 9 }, { start: 1e300, end: -1e300 }])(
    "%j: behind the end, and is told where that is",
    (asked) => {
      expect(refused(textArtifact(text), { type: "lines", ...asked })).toEqual({
        problem: "the artifact has 5 lines, numbered from 0",
        try: [{ type: "lines", start: 0, end: 5 }],
      });
    },
  );

  it("agree with splitting the text, wherever they begin", () => {
    const bounds = fc.option(fc.integer({ min: -70, max: 70 }), { nil: undefined });
    fc.assert(
      fc.property(smallText, fc.integer({ min: -70, max: 70 }), bounds, (text, start, end) => {
        const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        fc.pre(start < lines.length || lines.length === 0);
        const shown = lookAt(text, { type: "lines", start, ...(end === undefined ? {} : { end }) });
        expect(shown.text).toBe(lines.slice(start, end).join(""));
        expect(shown.total.lines).toBe(lines.length);
      }),
    );
  });

  it("are found by one bounded read in a text of any size, with lines of any length", () => {
    fc.assert(
      fc.property(longText, fc.nat(), (text, seed) => {
        const bytes = encoder.encode(text);
        const shape = textShape(bytes);
        const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        if (lines.length === 0) return;
        const start = seed % lines.length;
        const line = lines[start] ?? "";
        const shown = look(bytes, shape, { type: "lines", start, end: start + 1 });
        const fits = encoder.encode(line).length <= VIEW_MAX_BYTES;
        expect(fits ? shown.text === line : line.startsWith(shown.text ?? "?")).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("too long for an answer goes on with bytes from where it was cut", () => {
    const text = `short\n${"漢".repeat(10_000)}\nend`;
    expect(lookAt(text, { type: "lines", start: 1, end: 2 })).toMatchObject({
      selector: { type: "bytes", offset: 6, length: 16_383 },
      next: { type: "bytes", offset: 6 + 16_383, length: 4096 },
    });
    expect(lookAt(text, { type: "lines", start: 0, end: 3 })).toMatchObject({
      text: "short\n",
      selector: { type: "lines", start: 0, end: 1 },
      next: { type: "lines", start: 1, end: 3 },
    });
  });

  it("behind and between endless lines are found all the same", () => {
    const lines = ["a\n", `${"漢".repeat(30_000)}\n`, "b\n", "c\n", `${"x".repeat(70_000)}\n`, "d\n", "e"];
    const bytes = encoder.encode(lines.join(""));
    const shape = textShape(bytes);
    for (const [start, line] of lines.entries()) {
      const shown = look(bytes, shape, { type: "lines", start, end: start + 1 });
      const fits = line.length < 10;
      expect(fits ? shown.text === line : line.startsWith(shown.text ?? "")).toBe(true);
      expect(shown.text?.length).toBeGreaterThan(0);
    }
  });

  it("of a text whose index was lost or made up still give an answer", () => {
    const bytes = encoder.encode("漢漢\n".repeat(20_000));
    for (const lineIndex of ["", "garbage", "zz.zz zz.zz", "-1.-1", "1.1 1.1", "9999999.1"]) {
      const shape = { ...textShape(bytes), lineIndex };
      for (const start of [0, 5, 19_999, -1]) {
        const { selector } = look(bytes, shape, { type: "lines", start });
        expect(selector.type === "bytes" ? selector.length : 0).toBeGreaterThanOrEqual(0);
      }
    }
  });
});

describe("bytes", () => {
  it("of text move to the boundaries of characters, and show at least one", () => {
    expect(lookAt("a漢b", { type: "bytes", offset: 2, length: 1 })).toMatchObject({
      text: "漢",
      selector: { type: "bytes", offset: 1, length: 3 },
      next: { type: "bytes", offset: 4, length: 1 },
    });
    expect(lookAt("a漢b", { type: "bytes", offset: 0, length: 3 })).toMatchObject({
      text: "a",
      next: { type: "bytes", offset: 1, length: 3 },
    });
  });

  it("split no character, wherever they begin and end", () => {
    fc.assert(
      fc.property(smallText, fc.nat(200), fc.integer({ min: 1, max: 200 }), (text, offset, length) => {
        fc.pre(offset < encoder.encode(text).length || text === "");
        const shown = lookAt(text, { type: "bytes", offset, length });
        expect(text).toContain(shown.text);
        expect(shown.text).not.toContain("\ufffd");
        const at = shown.selector.type === "bytes" ? shown.selector.offset : Number.NaN;
        expect(at).toBeLessThanOrEqual(offset);
        const size = encoder.encode(shown.text).length;
        expect(shown.selector).toEqual({ type: "bytes", offset: at, length: size });
      }),
    );
  });

  it("stay within the bound where they begin inside a character", () => {
    const shown = lookAt(`${"漢".repeat(9000)}end`, { type: "bytes", offset: 2, length: 1e9 });
    expect(shown.selector).toEqual({ type: "bytes", offset: 0, length: 16_383 });
    const wide = lookAt("😀".repeat(9000), { type: "bytes", offset: 3, length: 1e9 });
    expect(wide.selector).toEqual({ type: "bytes", offset: 0, length: 16_384 });
  });

  it("behind the end are none, and who asks is told where that is", () => {
    const bytes = encoder.encode("abc");
    for (const shape of [textShape(bytes), blobShape(bytes)]) {
      for (const offset of [3, 1e300]) {
        expect(refused({ bytes, shape }, { type: "bytes", offset, length: 1e300 })).toEqual({
          problem: "the artifact has 3 bytes, numbered from 0",
          try: [{ type: "bytes", offset: 0, length: 3 }],
        });
      }
    }
  });
});

describe("binary content", () => {
  it("never becomes text: selectors of text do not read it", () => {
    const bytes = new Uint8Array([1, 2, 3]);
    for (const selector of [
      { type: "head", chars: 5 },
      { type: "lines", start: 0 },
      { type: "rows", start: 0 },
      { type: "json_keys", keys: ["a"] },
      { type: "json_path", path: "$" },
      { type: "grep", pattern: "a", context: 0, ignore_case: false },
    ] as const) {
      expect(refused(binaryArtifact(bytes), selector).try).toEqual(["bytes", "content"]);
    }
  });
});

describe("a selector", () => {
  it.each([
    [{ type: "head" }, { type: "head", chars: 500 }],
    [{ type: "lines" }, { type: "lines", start: 0 }],
    [{ type: "bytes" }, { type: "bytes", offset: 0, length: 4096 }],
    [
      { type: "head", chars: 5, offset: 7 },
      { type: "head", chars: 5 },
    ],
  ])("%j has its defaults, and overlooks another's fields", (asked, read) => {
    expect(readSelector(asked)).toEqual({ ok: true, value: read });
  });
});

describe("the line index", () => {
  it("is small whatever the text, and its entries are never behind the line", () => {
    fc.assert(
      fc.property(longText, fc.nat(), (text, seed) => {
        const bytes = encoder.encode(text);
        const { lines, index } = indexLines(bytes);
        expect(index === "" ? 0 : index.split(" ").length).toBeLessThanOrEqual(LINE_INDEX_MAX_COUNT);
        const line = lines === 0 ? 0 : seed % lines;
        const near = startNear(index, line);
        expect(near.line).toBeLessThanOrEqual(line);
        const before = bytes.subarray(0, near.offset).filter((byte) => byte === 10).length;
        expect(before).toBe(near.line);
      }),
      { numRuns: 60 },
    );
  });

  it("of four megabytes fits beside the object", () => {
    const bytes = encoder.encode("0123456789\n".repeat(380_000));
    const { lines, index } = indexLines(bytes);
    expect(lines).toBe(380_000);
    expect(index.length).toBeLessThan(4096);
  });
});
