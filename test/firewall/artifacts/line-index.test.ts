import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createLineIndexer,
  indexLines,
  indexStep,
  startNear,
} from "../../../src/firewall/artifacts/line-index.ts";
import {
  ARTIFACT_STORED_MAX_BYTES,
  LINE_INDEX_MAX_COUNT,
  LINE_INDEX_STEP_BYTES,
} from "../../../src/limits.ts";

const NEWLINE = 10;

/** Texts of some megabytes, described by runs of lines that are equally long. */
const runs = fc.array(
  fc.record({
    lines: fc.oneof(fc.nat({ max: 4 }), fc.nat({ max: 400 })),
    bytes: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 300 }), fc.nat({ max: 60_000 })),
  }),
  { maxLength: 12 },
);

function textOf(described: readonly { lines: number; bytes: number }[], end: number): Uint8Array {
  const line = (bytes: number) => `${"x".repeat(bytes)}\n`;
  return new TextEncoder().encode(
    described.map(({ lines, bytes }) => line(bytes).repeat(lines)).join("") + "y".repeat(end),
  );
}

function lineStarts(bytes: Uint8Array): number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; at = bytes.indexOf(NEWLINE, at) + 1 || bytes.length) starts.push(at);
  return starts;
}

describe("the line index", () => {
  it("leads for every line to the beginning of one that is not behind it, and less than a step away", () => {
    fc.assert(
      fc.property(runs, fc.nat({ max: 100 }), (described, end) => {
        const bytes = textOf(described, end);
        const starts = lineStarts(bytes);
        const { lines, index } = indexLines(bytes);
        expect(lines).toBe(starts.length);
        const step = indexStep(bytes.length);
        const broken = starts.filter((start, line) => {
          const near = startNear(index, line);
          return (
            near.line > line ||
            starts[near.line] !== near.offset ||
            start - near.offset >= step ||
            near.offset > start
          );
        });
        expect(broken).toEqual([]);
        expect(index.split(" ").length).toBeLessThan(LINE_INDEX_MAX_COUNT);
      }),
      { numRuns: 40 },
    );
  });

  it("does not depend on how the text is cut", () => {
    fc.assert(
      fc.property(
        runs,
        fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 9 }),
        (described, cuts) => {
          const bytes = textOf(described, 3);
          const indexer = createLineIndexer();
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const length = cuts[turn % cuts.length] ?? 1;
            indexer.push(bytes.subarray(at, at + length));
            at += length;
          }
          indexer.push(new Uint8Array());
          expect(indexer.finish()).toEqual(indexLines(bytes));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("of the longest text is short enough to stand beside an object, whatever its lines", () => {
    for (const line of [
      "\n",
      "x\n",
      `${"x".repeat(99)}\n`,
      `${"x".repeat(16_383)}\n`,
      `${"x".repeat(300_000)}\n`,
    ]) {
      const piece = new TextEncoder().encode(line.repeat(Math.ceil(65_536 / line.length)));
      const indexer = createLineIndexer();
      for (let at = 0; at < ARTIFACT_STORED_MAX_BYTES; at += piece.length) indexer.push(piece);
      const { index } = indexer.finish();
      expect(index.length).toBeLessThanOrEqual(1_300);
      expect(index.split(" ").length).toBeGreaterThan(LINE_INDEX_MAX_COUNT / 4);
    }
  });

  it("says nothing of texts that one read holds", () => {
    expect(indexLines(new Uint8Array())).toEqual({ lines: 0, index: "" });
    expect(indexLines(new TextEncoder().encode("\n"))).toEqual({ lines: 1, index: "" });
    expect(indexLines(new TextEncoder().encode("a\nb"))).toEqual({ lines: 2, index: "" });
    const long = new TextEncoder().encode(`${"x".repeat(3 * LINE_INDEX_STEP_BYTES)}\nend`);
    expect(indexLines(long)).toEqual({
      lines: 2,
      index: `1.${(3 * LINE_INDEX_STEP_BYTES + 1).toString(36)}`,
    });
  });

  it("of an earlier version, with entries a step of its own apart, still leads near enough", () => {
    const bytes = textOf([{ lines: 70_000, bytes: 40 }], 0);
    const starts = lineStarts(bytes);
    // Entries of that version were at least this far apart, from the last one on.
    const apart = Math.max(16_384, Math.ceil(bytes.length / 256));
    let last = { line: 0, offset: 0 };
    const entries: string[] = [];
    for (const [line, offset] of starts.entries()) {
      if (offset - last.offset < apart) continue;
      entries.push(`${(line - last.line).toString(36)}.${(offset - last.offset).toString(36)}`);
      last = { line, offset };
    }
    for (let line = 0; line < starts.length; line += 997) {
      const near = startNear(entries.join(" "), line);
      expect(starts[near.line]).toBe(near.offset);
      expect((starts[line] ?? 0) - near.offset).toBeLessThan(indexStep(bytes.length));
    }
  });
});
