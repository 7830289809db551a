import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSections, packSections, sectionsOf } from "../../src/packed/sections.ts";

const FORM = { magic: 0x54_53_45_54, version: 3, sections: 3 };
const three = fc.tuple(
  fc.uint8Array({ maxLength: 40 }),
  fc.uint8Array({ maxLength: 40 }),
  fc.uint8Array({ maxLength: 40 }),
);

describe("sections", () => {
  it("come back as they were, each where an array of numbers may begin, wherever the whole stands", () => {
    fc.assert(
      fc.property(three, fc.integer({ min: 0, max: 9 }), (sections, offset) => {
        const packed = packSections(FORM, sections);
        const elsewhere = new Uint8Array(packed.length + offset);
        elsewhere.set(packed, offset);
        const opened = openSections(FORM, elsewhere.subarray(offset));
        if (!opened.ok) throw new Error(opened.reason.reason);
        expect(opened.value.map((section) => [...section])).toEqual(sections.map((section) => [...section]));
        for (const { byteOffset } of opened.value) expect(byteOffset % 8).toBe(0);
      }),
    );
  });

  it("inside others have the bytes that they have alone", () => {
    fc.assert(
      fc.property(three, three, (inner, [first, last]) => {
        const packed = packSections(FORM, [first, sectionsOf(FORM, inner), last]);
        expect(packed).toEqual(packSections(FORM, [first, packSections(FORM, inner), last]));
      }),
    );
  });

  it("are views: nothing is copied", () => {
    const packed = packSections(FORM, [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]);
    const opened = openSections(FORM, packed);
    if (!opened.ok) throw new Error(opened.reason.reason);
    for (const { buffer } of opened.value) expect(buffer).toBe(packed.buffer);
  });

  it("of another form, and on a host of the other byte order, are refused with the reason", () => {
    const packed = packSections(FORM, [Uint8Array.of(1), new Uint8Array(), new Uint8Array()]);
    expect(openSections(FORM, packed, false)).toEqual({ ok: false, reason: { reason: "big_endian" } });
    expect(openSections({ ...FORM, version: 4 }, packed)).toEqual({
      ok: false,
      reason: { reason: "other_format" },
    });
    expect(openSections({ ...FORM, magic: 1 }, packed)).toEqual({
      ok: false,
      reason: { reason: "other_format" },
    });
    expect(openSections({ ...FORM, sections: 4 }, packed)).toMatchObject({ reason: { reason: "damaged" } });
  });

  it("cut short or lengthened are refused, at every length", () => {
    const packed = packSections(FORM, [Uint8Array.of(1, 2, 3), Uint8Array.of(4), Uint8Array.of(5)]);
    for (let length = 0; length < packed.length; length += 1) {
      expect(openSections(FORM, packed.slice(0, length)).ok).toBe(false);
    }
    expect(openSections(FORM, Uint8Array.of(...packed, 0)).ok).toBe(false);
  });

  it("of any bytes at all are sections inside them, or a reason", () => {
    const packed = packSections(FORM, [Uint8Array.of(1, 2, 3), Uint8Array.of(4), Uint8Array.of(5)]);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(packed.length - 1), fc.nat(255)), { maxLength: 4 }), (flips) => {
        const bytes = packed.slice();
        for (const [at, value] of flips) bytes[at] = value;
        const opened = openSections(FORM, bytes);
        if (!opened.ok) return;
        expect(opened.value).toHaveLength(3);
        for (const section of opened.value) {
          expect(section.byteOffset + section.length).toBeLessThanOrEqual(bytes.byteOffset + bytes.length);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
