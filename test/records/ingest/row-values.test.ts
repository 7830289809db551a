import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { jsonChunks } from "../../../src/records/ingest/chunks.ts";
import { columnValue, rowScalars } from "../../../src/records/ingest/row-values.ts";
import { slotText } from "../../../src/records/manifest/slots.ts";
import { utf8Length } from "../../../src/schema/utf8-length.ts";
import { notesStream } from "./stream.ts";

const KINDS = ["text", "integer", "number", "boolean", "time", "date", "other"] as const;

/** A text as UTF-8 can say it. */
function whole(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

describe("the values of columns", () => {
  it("are null where the type is not the declared one", () => {
    const takenBy = (value: unknown) => KINDS.filter((kind) => columnValue(kind, value) !== null);
    expect(takenBy("2026-01-01")).toEqual(["text", "time", "date"]);
    expect(takenBy("tomorrow")).toEqual(["text"]);
    expect(takenBy(7)).toEqual(["integer", "number"]);
    expect(takenBy(new ExactNumber("7.0"))).toEqual(["integer", "number"]);
    expect(takenBy(new ExactNumber("12345678901234567890.5"))).toEqual(["number"]);
    expect(takenBy(7.5)).toEqual(["number"]);
    expect(takenBy(true)).toEqual(["boolean"]);
    for (const value of [
      null,
      undefined,
      {},
      [],
      new ExactNumber("1e999"),
      new ExactNumber(`1${"0".repeat(500)}`),
    ])
      expect(takenBy(value)).toEqual([]);
  });

  it("hold a whole number of 64 bits to its last digit, however it is written", () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const form = fc.constantFrom(".0", ".000", "e0", "e-0");
    fc.assert(
      fc.property(int64, form, fc.constantFrom("integer", "number"), (number, end, kind) => {
        expect(columnValue(kind, new ExactNumber(`${number}${end}`))).toEqual(new ExactNumber(`${number}`));
      }),
    );
    const beyond = new ExactNumber("9223372036854775808.0");
    expect(columnValue("integer", beyond)).toBe(beyond);
  });

  it("keep texts apart that differ only far behind, and hold no half of a pair", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (one, other) => {
        const long = "ä".repeat(2_000);
        const [left, right] = [slotText(long + one), slotText(long + other)];
        expect(left === right).toBe(whole(one) === whole(other));
        expect(left.length).toBeLessThanOrEqual(1_024);
        expect(slotText(one)).toBe(whole(one));
        expect(whole(left)).toBe(left);
      }),
    );
  });

  it("of a body in the bucket are the scalars without a column, within bounds", () => {
    const stream = notesStream();
    const data = {
      id: "a",
      title: "t".repeat(70_000),
      size: new ExactNumber("1.0"),
      done: false,
      tags: ["x"],
      at: 7,
      other: 1,
    };
    // What is too long to be asked for hides nothing behind it.
    expect(rowScalars([{ stream, slots: new Map() }], data)).toBe('{"id":"a","size":1.0,"done":false}');
    expect(rowScalars([{ stream, slots: new Map() }], { ...data, title: "t" })).toBe(
      '{"id":"a","title":"t","size":1.0,"done":false}',
    );
    const slots = new Map([["size", "n1"]] as const);
    expect(rowScalars([{ stream, slots }], data)).toBe('{"id":"a","done":false}');
    // What has no column in one of the forms is looked for by that one.
    expect(
      rowScalars(
        [
          { stream, slots },
          { stream, slots: new Map() },
        ],
        data,
      ),
    ).toBe('{"id":"a","done":false,"size":1.0}');
  });
});

describe("parameters in bulk", () => {
  it("hold all items in their order, each parameter within its bound or of one item", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(400_000), fc.constantFrom("a", "ä", '"', "\ud800"))), (sizes) => {
        const items = sizes.map(([size, unit]) => unit.repeat(size));
        const chunks = jsonChunks(items);
        const parsed = chunks.map((chunk): unknown => JSON.parse(chunk));
        expect(parsed.flat()).toEqual(items);
        for (const [index, chunk] of chunks.entries()) {
          const held = parsed[index];
          expect(utf8Length(chunk) <= 786_434 || (Array.isArray(held) && held.length === 1)).toBe(true);
        }
      }),
      { numRuns: 20 },
    );
    expect(jsonChunks([])).toEqual([]);
  });
});
