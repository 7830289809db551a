import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ROUTING_NEIGHBOURS_MAX_BYTES } from "../../../src/limits.ts";
import { openNeighbours } from "../../../src/routing/neighbours/table.ts";
import { anyRows, DIGEST, encodeRows, rowOf, tableOf } from "./tables.ts";

const word = fc.oneof(
  fc.stringMatching(/^[a-e]{1,6}$/),
  fc.constantFrom("文件", "datei", "größe", "𠮷野", "𠮸", "файл", "__proto__"),
);
const rows = anyRows(word, 8);

describe("the neighbour table's format", () => {
  it("gives back the words, their neighbours and the digest", () => {
    const table = tableOf({
      delete: [
        ["remove", 0.8],
        ["erase", 0.6],
      ],
      datei: [["file", 1]],
    });
    expect(table.words).toEqual(["datei", "delete", "erase", "file", "remove"]);
    expect(rowOf(table, "delete")).toEqual([
      ["remove", 202],
      ["erase", 154],
    ]);
    expect(rowOf(table, "datei")).toEqual([["file", 255]]);
    expect(rowOf(table, "file")).toEqual([]);
    expect(table.digest).toEqual(DIGEST);
  });

  it("gives back any words and likenesses of 6 bits, in code point order", () => {
    fc.assert(
      fc.property(rows, (rows) => {
        const table = tableOf(rows);
        for (const [key, list] of Object.entries(rows)) {
          const expected = list.map(([name, likeness]) => [name, Math.round(likeness * 255)] as const);
          expect(new Map(rowOf(table, key))).toEqual(new Map(expected));
        }
        const codes = table.words.map((word) => Buffer.from(word, "utf8").toString("hex"));
        expect(codes).toEqual([...codes].sort());
      }),
    );
  });

  it("gives the same bytes whatever order the rows are in", () => {
    fc.assert(
      fc.property(rows, (rows) => {
        const reversed = Object.fromEntries(
          Object.entries(rows)
            .toReversed()
            .map(([key, list]) => [key, [...list].toReversed()]),
        );
        expect(encodeRows(reversed)).toEqual(encodeRows(rows));
      }),
    );
  });

  it("reads a table that stands in the middle of a buffer", () => {
    const bytes = encodeRows({ delete: [["remove", 1]] });
    const buffer = new Uint8Array(bytes.length + 7);
    buffer.set(bytes, 3);
    const table = openNeighbours(buffer.subarray(3, 3 + bytes.length));
    expect(table.ok && table.value.words).toEqual(["delete", "remove"]);
  });
});

describe("bytes that are no neighbour table", () => {
  const whole = encodeRows({ delete: [["remove", 1]], datei: [["file", 0.9]] });
  const changed = (at: number, value: number) => {
    const bytes = whole.slice();
    bytes[at] = value;
    return openNeighbours(bytes);
  };

  it("are told apart: another file, another version, too large, cut short", () => {
    expect(openNeighbours(new Uint8Array(0))).toEqual({ ok: false, reason: { kind: "NOT_A_TABLE" } });
    expect(changed(0, 0)).toEqual({ ok: false, reason: { kind: "NOT_A_TABLE" } });
    expect(changed(4, 2)).toEqual({ ok: false, reason: { kind: "OTHER_VERSION", version: 2 } });
    expect(openNeighbours(new Uint8Array(ROUTING_NEIGHBOURS_MAX_BYTES + 1))).toMatchObject({
      reason: { kind: "TOO_LARGE" },
    });
    for (let length = 52; length < whole.length; length += 1) {
      expect(openNeighbours(whole.subarray(0, length))).toEqual({
        ok: false,
        reason: { kind: "DAMAGED", part: "size" },
      });
    }
  });

  it("are refused where a neighbour, a count or a word is impossible", () => {
    // Four words: 12 bytes of lengths and counts after the header, then the neighbours.
    expect(changed(64 + 1, 0xff)).toEqual({ ok: false, reason: { kind: "DAMAGED", part: "neighbours" } });
    expect(changed(64, 0)).toEqual({ ok: false, reason: { kind: "DAMAGED", part: "neighbours" } });
    expect(changed(60, 9)).toEqual({ ok: false, reason: { kind: "DAMAGED", part: "neighbours" } });
    expect(changed(52, 9)).toEqual({ ok: false, reason: { kind: "DAMAGED", part: "words" } });
    expect(changed(56, 9)).toEqual({ ok: false, reason: { kind: "DAMAGED", part: "words" } });
    expect(changed(whole.length - 1, 0xff)).toEqual({ ok: false, reason: { kind: "DAMAGED", part: "text" } });
  });

  it("never throw, and what opens is within bounds, whichever bytes are damaged", () => {
    const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(damage, (changes) => {
        const bytes = whole.slice();
        for (const [at, value] of changes) bytes[at] = value;
        const table = openNeighbours(bytes);
        if (!table.ok) return;
        const { words, starts, neighbours, likeness } = table.value;
        expect(starts).toHaveLength(words.length + 1);
        expect(starts.at(-1)).toBe(neighbours.length);
        expect([...neighbours].every((index) => index < words.length)).toBe(true);
        expect([...likeness].every((value) => value > 0)).toBe(true);
      }),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(openNeighbours(bytes).ok).toBe(false);
      }),
    );
  });
});
