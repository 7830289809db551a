import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase64, encodeBase64 } from "../../../src/firewall/result/base64.ts";
import { messageOf } from "../../../src/upstream/event-splitter.ts";
import { Base64Stream } from "../../../src/upstream/large/base64-stream.ts";
import { EventData } from "../../../src/upstream/large/event-data.ts";
import { TextBuffer } from "../../../src/upstream/large/text-buffer.ts";
import { tokenDigest, TokenDigest } from "../../../src/upstream/large/token-digest.ts";
import { Utf8Text } from "../../../src/upstream/large/utf8-text.ts";
import { pieces } from "./pieces.ts";

const anyCuts = fc.array(fc.nat(500), { maxLength: 20 });
const MAX_DEPTH = 32;

describe("UTF-8 in pieces", () => {
  const bytes = fc
    .array(
      fc.oneof(
        fc.uint8Array({ maxLength: 6 }),
        fc.string({ unit: "binary", maxLength: 4 }).map((text) => new TextEncoder().encode(text)),
        fc
          .constantFrom(
            [0xef, 0xbb, 0xbf],
            [0xf0, 0x9f, 0x98],
            [0xf0, 0x9f, 0x98, 0x80],
            [0xed, 0xa0, 0x80],
            [0xc0, 0x80],
            [0xf5],
          )
          .map((each) => Uint8Array.from(each)),
      ),
      { maxLength: 12 },
    )
    .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));

  it("is what the engine's decoder makes of the whole, wherever it is cut", () => {
    fc.assert(
      fc.property(bytes, anyCuts, (whole, cuts) => {
        const text = new Utf8Text();
        const parts = pieces(whole, cuts).map((piece) => text.push(piece));
        expect(parts.some((part) => /[\uD800-\uDBFF]$/.test(part))).toBe(false);
        expect([...parts, text.end()].join("")).toBe(new TextDecoder().decode(whole));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("an event's data in pieces", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "data",
      "data:",
      "data: ",
      "data:  two",
      "event: message",
      "event:",
      "event: ping",
      ": data: no",
      "",
      "id: 7",
      "datum: 1",
      "dataa: 1",
      "event",
    ),
    fc.string().map((text) => `data: ${text}`),
    fc.string({ maxLength: 20 }),
  );
  const event = fc
    .array(fc.tuple(line, fc.constantFrom("\n", "\r", "\r\n")))
    .map((lines) => lines.flat().join(""));

  it("is what is read from the whole event, wherever it is cut", () => {
    fc.assert(
      fc.property(event, anyCuts, (text, cuts) => {
        let data = "";
        const reader = new EventData((part) => {
          data += part;
        });
        for (const piece of pieces(text, cuts)) reader.push(piece);
        const isMessage = reader.end();
        const whole = messageOf(text, (read) => ({ read }));
        expect(isMessage ? { read: data } : undefined).toEqual(whole);
      }),
      { numRuns: 2_000 },
    );
  });

  it("looks at a line without a colon no further than a name may be long", () => {
    let data = "";
    const reader = new EventData((part) => {
      data += part;
    });
    for (let nth = 0; nth < 50; nth += 1) reader.push("x\n".repeat(20_000));
    reader.push("data: 1");
    expect([reader.end(), data]).toEqual([true, "1"]);
  });
});

describe("base64 in pieces", () => {
  const decoded = (text: string, cuts: readonly number[]) => {
    const stream = new Base64Stream();
    const bytes: number[] = [];
    let rest: string | undefined;
    for (const piece of pieces(text, cuts)) {
      bytes.push(...stream.push(piece));
      if (stream.rest !== undefined) rest = (rest ?? "") + stream.rest;
    }
    const wasLegal = rest === undefined;
    bytes.push(...stream.end());
    if (wasLegal) rest = stream.rest;
    return { bytes: Uint8Array.from(bytes), rest };
  };
  const spaced = (text: string, spaces: readonly number[]) => pieces(text, spaces).join(" \n");

  it("has the bytes that the whole has, in either alphabet, with white space and without padding", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.boolean(),
        fc.boolean(),
        anyCuts,
        anyCuts,
        (bytes, url, padded, spaces, cuts) => {
          const text = encodeBase64(bytes).replace(/=+$/, (pads) => (padded ? pads : ""));
          const written = spaced(url ? text.replaceAll("+", "-").replaceAll("/", "_") : text, spaces);
          expect(decoded(written, cuts)).toEqual({ bytes, rest: undefined });
        },
      ),
    );
  });

  it("is legal where the whole is, and else loses no character", () => {
    const text = fc
      .array(fc.constantFrom(...Array.from("AZaz09+/-_=  \n!é\u00a0")))
      .map((letters) => letters.join(""));
    fc.assert(
      fc.property(text, anyCuts, (text, cuts) => {
        const { bytes, rest } = decoded(text, cuts);
        const whole = decodeBase64(text);
        expect(rest === undefined).toBe(whole.ok);
        const standard = (each: string) =>
          each.replace(/[ \n]/g, "").replaceAll("-", "+").replaceAll("_", "/");
        const known = encodeBase64(bytes) + standard(rest ?? "");
        expect(whole.ok ? bytes : known).toEqual(whole.ok ? whole.value : standard(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a digest of tokens", () => {
  const value = fc.oneof(
    fc.array(fc.jsonValue({ stringUnit: "binary" })),
    fc.dictionary(fc.string(), fc.jsonValue({ stringUnit: "binary" })),
  );
  const escaped = (text: string) =>
    text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const inPieces = (text: string, cuts: readonly number[]) => {
    const digest = new TokenDigest(MAX_DEPTH);
    for (const piece of pieces(text, cuts)) digest.push(piece);
    return digest.end();
  };

  it("is the same for one value with other white space, other escapes and other cuts", () => {
    fc.assert(
      fc.property(value, anyCuts, (item, cuts) => {
        const text = JSON.stringify(item);
        const digest = tokenDigest(text, MAX_DEPTH);
        expect(digest).toBeDefined();
        expect(tokenDigest(JSON.stringify(item, undefined, 2), MAX_DEPTH)).toBe(digest);
        expect(tokenDigest(escaped(text).replaceAll("/", String.raw`\/`), MAX_DEPTH)).toBe(digest);
        expect(inPieces(escaped(text), cuts)).toBe(digest);
      }),
    );
  });

  it("is another one for another value", () => {
    const texts = [
      "[]",
      "{}",
      "[1]",
      "[1.0]",
      "[10]",
      "[1,0]",
      '["1"]',
      '["1,0"]',
      '["",""]',
      '["1","0"]',
      String.raw`["\"", ""]`,
      String.raw`["\",\""]`,
      String.raw`["\\"]`,
      String.raw`["\ud800"]`,
      String.raw`["\ud801"]`,
      String.raw`["\ufffd"]`,
      '[""]',
      "[[]]",
      '{"a":1}',
      '{"a":1,"b":2}',
      '{"b":2,"a":1}',
      "[null]",
      '["null"]',
      "[true]",
      String.raw`["\u0000"]`,
      String.raw`["\u0000\u0000"]`,
    ];
    const digests = texts.map((text) => tokenDigest(text, MAX_DEPTH));
    expect(digests).not.toContain(undefined);
    expect(new Set(digests).size).toBe(texts.length);
    fc.assert(
      fc.property(value, value, (one, other) => {
        const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
        expect(tokenDigest(left, MAX_DEPTH) === tokenDigest(right, MAX_DEPTH)).toBe(left === right);
      }),
    );
  });

  it("does not exist for what is no JSON object or array", () => {
    for (const text of [
      "",
      "1",
      '"[]"',
      "null",
      "[",
      "[] []",
      "[]\n{}",
      "[1",
      '{"a"}',
      "hello",
      "[".repeat(40),
    ]) {
      expect(tokenDigest(text, MAX_DEPTH)).toBeUndefined();
    }
  });
});

describe("a text buffer", () => {
  it("takes texts whole or not at all, within its bytes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", maxLength: 12 })),
        fc.integer({ min: 0, max: 40 }),
        (texts, maxBytes) => {
          const buffer = new TextBuffer(maxBytes);
          let held = "";
          for (const text of texts) {
            const fits = Buffer.byteLength(held + text) <= maxBytes;
            expect(buffer.put(text)).toBe(fits);
            if (fits) held += text;
            expect([buffer.text(), buffer.length]).toEqual([
              Buffer.from(held).toString(),
              Buffer.byteLength(held),
            ]);
          }
        },
      ),
    );
  });
});
