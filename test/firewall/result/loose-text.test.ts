import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { blobPass } from "../../../src/firewall/artifacts/text-pass.ts";
import {
  beginsAsText,
  LooseDecoder,
  looseBytes,
  looseText,
} from "../../../src/firewall/result/loose-text.ts";
import { redactorFor } from "../../../src/scrub/redactor.ts";
import { piecesOf } from "../../support/sink-rig.ts";

const someBytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc.string({ unit: "binary", maxLength: 4 }).map((text) => new Uint8Array(Buffer.from(text))),
      fc
        .constantFrom([0xe0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf0, 0x9f], [0xc3])
        .map((odd) => Uint8Array.from(odd)),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => new Uint8Array(Buffer.concat(pieces)));
const fewCuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

describe("bytes that are said to be a text", () => {
  it("are found again in it, each one, however they came", () => {
    fc.assert(
      fc.property(someBytes, fewCuts, (bytes, cuts) => {
        const decoder = new LooseDecoder();
        const text =
          piecesOf(bytes, cuts)
            .map((piece) => decoder.push(piece))
            .join("") + decoder.end();
        expect(text).toBe(looseText(bytes));
        expect([...looseBytes(text)]).toEqual([...bytes]);
        // The platform's own decoder judges the same.
        const plain = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
        expect(decoder.isUtf8).toBe(Buffer.from(plain).equals(bytes));
        expect(text === plain).toBe(decoder.isUtf8);
      }),
    );
  });

  it("are read at a few calls, however many of them are odd", () => {
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const encode = vi.spyOn(TextEncoder.prototype, "encodeInto");
    // "Отчёт, 2026\n" in CP1251.
    const line = Buffer.from("ced2f7b8f22c20323032360a", "hex");
    const bytes = new Uint8Array(Buffer.concat(Array.from({ length: 20_000 }, () => line)));
    const text = looseText(bytes);
    expect(decode.mock.calls.length).toBeLessThan(10);
    expect(Buffer.from(looseBytes(text)).equals(bytes)).toBe(true);
    expect(encode.mock.calls.length).toBeLessThanOrEqual(20_000);
    vi.restoreAllMocks();
  });

  it("begin as one where their first characters are UTF-8, the last of them cut or not", () => {
    for (const isSaid of [true, false]) {
      expect(beginsAsText(Buffer.from(`${"a".repeat(1_023)}é\n`), isSaid)).toBe(true);
      expect(beginsAsText(Buffer.from("plain"), isSaid)).toBe(true);
      expect(beginsAsText(Buffer.alloc(2_000), isSaid)).toBe(isSaid);
      expect(beginsAsText(Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), isSaid)).toBe(false);
      expect(beginsAsText(Buffer.from("Größe\t\u001b[1m", "latin1"), isSaid)).toBe(isSaid);
    }
  });
});

describe("secrets in a blob that comes in pieces", () => {
  const redactor = redactorFor(true, undefined);
  if (redactor === undefined) throw new Error("redaction is on");
  const odd = Buffer.of(0xe9);
  const record = (n: number) => [
    Buffer.from(`{"id":${n},"password":"hunter-${n}-hunter","name":"caf`),
    odd,
    Buffer.from(`"}\nAuthorization: Bearer abcdef0123456789abcdef${n}\nplain `),
    odd,
    Buffer.from("\n"),
  ];

  it.each([true, false])("are those of the whole (its type is known: %s)", (isSaid) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 5 }),
        (count, isOdd, cuts) => {
          const head = isOdd ? Buffer.alloc(0) : Buffer.from("# a list\n".repeat(150));
          const bytes = new Uint8Array(
            Buffer.concat([head, ...Array.from({ length: count }, (_, n) => record(n)).flat()]),
          );
          const filter = redactor.stream();
          const pass = blobPass(filter, isSaid);
          const kept = [...piecesOf(bytes, cuts).map((piece) => pass.push(piece)), pass.end()];
          const isText = beginsAsText(bytes, isSaid);
          const whole = redactor.text(looseText(bytes));
          expect(Buffer.concat(kept.map((piece) => piece.bytes)).toString("latin1")).toBe(
            Buffer.from(isText ? looseBytes(whole.text) : bytes).toString("latin1"),
          );
          expect(filter.count()).toBe(isText ? whole.count : 0);
          expect(pass.isText()).toBe(false);
        },
      ),
    );
  });
});
