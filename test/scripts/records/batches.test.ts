import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Batch, batchesOf } from "../../../scripts/records/batches.ts";

const BOUNDS = { bytes: 40, lines: 3, lineBytes: 60 };

async function collect(chunks: readonly Uint8Array[]): Promise<Batch[]> {
  const all: Batch[] = [];
  for await (const batch of batchesOf(
    (async function* give() {
      yield* chunks;
    })(),
    BOUNDS,
  ))
    all.push(batch);
  return all;
}

describe("batches of a file", () => {
  it("hold every line once, in order, with its number, however the file is cut", async () => {
    const line = fc.string({ unit: fc.constantFrom("a", "ä", "\u2028", " ", "\r"), maxLength: 15 });
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat(200)), async (lines, cuts) => {
        const bytes = new TextEncoder().encode(lines.join("\n"));
        const ends = [...new Set([...cuts.filter((cut) => cut < bytes.length), bytes.length])].toSorted(
          (a, b) => a - b,
        );
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        const batches = await collect(chunks);
        const seen = batches.flatMap(({ body, lines: numbers }) => {
          const texts = body.toString("utf8").split("\n").slice(0, -1);
          expect(texts).toHaveLength(numbers.length);
          expect(numbers.length).toBeLessThanOrEqual(BOUNDS.lines);
          expect(body.length <= BOUNDS.bytes || numbers.length === 1).toBe(true);
          return texts.map((text, index) => [numbers[index], text]);
        });
        expect(seen).toEqual(
          lines.flatMap((text, index) => (/^[ \t\r]*$/.test(text) ? [] : [[index + 1, text]])),
        );
      }),
    );
  });

  it("end where a line is too long, by its number", async () => {
    await expect(collect([Buffer.from(`a\n${"b".repeat(61)}`)])).rejects.toThrow(
      "line 2 has more than 60 bytes",
    );
  });
});
