import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { DEFAULT_FRAME_LIMIT, type FrameLimit } from "../../../src/spine/frame/frame-limit.ts";
import {
  createFrameLineReader,
  type FrameLine,
  writeFrameLine,
} from "../../../src/spine/frame/frame-lines.ts";
import { parseFrame } from "../../../src/spine/frame/frame.ts";
import { jsonText } from "../../exact-json/json-texts.ts";
import { limitOf } from "./limit-of.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function readAll(chunks: readonly Uint8Array[], limit: FrameLimit = DEFAULT_FRAME_LIMIT): FrameLine[] {
  const reader = createFrameLineReader(limit);
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

/** The bytes cut at the given places, each taken modulo the length; empty chunks among them. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return cuts.slice(1).map((end, at) => bytes.slice(cuts[at], end));
}

const OVER_5: FrameLine = { ok: false, reason: { reason: "over_limit", limit_bytes: 5 } };
const NOT_UTF8: FrameLine = { ok: false, reason: { reason: "not_utf8" } };
const line = (value: string): FrameLine => ({ ok: true, value });

describe("lines", () => {
  it.each([
    ["a\nb\n", ["a", "b"]],
    ["a\r\nb", ["a", "b"]],
    ["a\r", ["a"]],
    ["a\r\r\n", ["a\r"]],
    ["a\rb\n", ["a\rb"]],
    ["\n\r\n \t\n\n", []],
    ["", []],
    ["\r", []],
    ["  a \n", ["  a "]],
    ["\uFEFFa\n", ["\uFEFFa"]],
    ["a\u0000\u2028b\n", ["a\u0000\u2028b"]],
  ])("of %j", (text, lines) => {
    expect(readAll([encode(text)])).toEqual(lines.map((value) => line(value)));
  });

  it("are the same however the bytes are cut, also inside of characters and line ends", () => {
    const piece = fc.constantFrom("a", "€", "😀", "\n", "\r", "\r\n", " ", "aaaa");
    const bytes = fc.oneof(
      fc.array(piece, { maxLength: 30 }).map((pieces) => encode(pieces.join(""))),
      fc
        .array(fc.constantFrom(0x0a, 0x0d, 0x61, 0xe2, 0x82, 0xac, 0xff), { maxLength: 30 })
        .map((all) => Uint8Array.from(all)),
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.nat()), fc.integer({ min: 1, max: 8 }), (bytes, places, limit) => {
        const whole = readAll([bytes], limitOf(limit));
        expect(readAll(cutAt(bytes, places), limitOf(limit))).toEqual(whole);
        expect(
          readAll(
            [...bytes].map((byte) => Uint8Array.of(byte)),
            limitOf(limit),
          ),
        ).toEqual(whole);
      }),
      { numRuns: 1_000 },
    );
  });

  it("are those that splitting the whole would give", () => {
    const text = fc
      .array(fc.constantFrom("a", "€", "😀", "\n", "\r", " "), { maxLength: 40 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, (text) => {
        const expected = text
          .split("\n")
          .map((raw) => raw.replace(/\r$/, ""))
          .filter((raw) => raw.trim() !== "")
          .map((raw) => (encode(raw).length > 5 ? OVER_5 : line(raw)));
        const blankIsOver = text
          .split("\n")
          .some((raw) => raw.trim() === "" && raw.replace(/\r$/, "").length > 5);
        fc.pre(!blankIsOver);
        expect(readAll([encode(text)], limitOf(5))).toEqual(expected);
      }),
    );
  });

  it("make the same frames however the bytes are cut", () => {
    const message = jsonText.map((params) => `{"jsonrpc":"2.0","id":1.0,"method":"m","params":[${params}]}`);
    const text = fc.array(
      message.filter((text) => writeFrameLine(text, DEFAULT_FRAME_LIMIT).ok),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (texts, places) => {
        const bytes = encode(texts.join("\n"));
        const frames = readAll(cutAt(bytes, places)).map((read) =>
          read.ok ? parseFrame(read.value, DEFAULT_FRAME_LIMIT) : read,
        );
        expect(frames).toEqual(texts.map((text) => parseFrame(text, DEFAULT_FRAME_LIMIT)));
      }),
    );
  });

  it("too long by one byte are refused with that byte, once, and the next one is read", () => {
    const reader = createFrameLineReader(limitOf(5));
    expect(reader.push(encode("12345"))).toEqual([]);
    expect(reader.push(encode("6"))).toEqual([OVER_5]);
    expect(reader.push(encode("7".repeat(100)))).toEqual([]);
    expect(reader.push(encode("\r8\nnext\nlonger"))).toEqual([line("next"), OVER_5]);
    expect(reader.push(encode("\n12345\r\n"))).toEqual([line("12345")]);
    expect(reader.end()).toEqual([]);
  });

  it("of exactly the limit may end with CRLF; a CR that ends nothing counts", () => {
    expect(readAll([encode("12345\r\n")], limitOf(5))).toEqual([line("12345")]);
    expect(readAll([encode("12345\r")], limitOf(5))).toEqual([line("12345")]);
    expect(readAll([encode("12345\r\r\n")], limitOf(5))).toEqual([OVER_5]);
    expect(readAll([encode("1234\r5\n")], limitOf(5))).toEqual([OVER_5]);
    expect(readAll([encode("€€\n")], limitOf(5))).toEqual([OVER_5]);
  });

  it("that never end hold no more than the limit", () => {
    const allocated: unknown[] = [];
    const counting = new Proxy(Uint8Array, {
      construct: (target, args: readonly unknown[]) => {
        allocated.push(args[0]);
        return new target(Number(args[0]));
      },
    });
    const limit = limitOf(100_000);
    const chunk = encode("x".repeat(777));
    vi.stubGlobal("Uint8Array", counting);
    const reader = createFrameLineReader(limit);
    const refusals = Array.from({ length: 1_000 }, () => reader.push(chunk)).flat();
    vi.unstubAllGlobals();
    expect(refusals).toEqual([{ ok: false, reason: { reason: "over_limit", limit_bytes: limit } }]);
    expect(Math.max(...allocated.map(Number))).toBe(limit);
    // Doubling, and nothing once the line is refused.
    expect(allocated.length).toBeLessThan(12);
    expect(allocated.at(-1)).toBe(0);
  });

  it("that are no UTF-8 are refused, and the next one is read", () => {
    for (const bytes of [[0xff], [0xe2, 0x82], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0x61, 0x80]])
      expect(readAll([Uint8Array.from([...bytes, 0x0a, 0x61, 0x0a])])).toEqual([NOT_UTF8, line("a")]);
  });

  it("do not change when the caller uses the chunk again", () => {
    const reader = createFrameLineReader(DEFAULT_FRAME_LIMIT);
    const chunk = encode("ab");
    reader.push(chunk);
    chunk.fill(0x7a);
    expect(reader.push(encode("\n"))).toEqual([line("ab")]);
  });
});

describe("a written line", () => {
  it("is read as the text that was written, or was refused; alone and between others", () => {
    const text = fc.oneof(
      jsonText,
      fc.string({ unit: "binary" }),
      fc.constantFrom("", " ", "\r", "a\r", "a\nb", "\ud800"),
    );
    fc.assert(
      fc.property(
        fc.array(text),
        fc.array(fc.nat()),
        fc.integer({ min: 1, max: 60 }),
        (texts, places, bytes) => {
          const limit = limitOf(bytes);
          const written = texts.flatMap((text) => {
            const line = writeFrameLine(text, limit);
            return line.ok ? [{ text, bytes: line.value }] : [];
          });
          const all = Uint8Array.from(written.flatMap((line) => [...line.bytes]));
          expect(readAll(cutAt(all, places), limit)).toEqual(written.map(({ text }) => line(text)));
        },
      ),
    );
  });

  it.each([
    ["", "empty"],
    [" \t\r\n", "empty"],
    ["a\nb", "embedded_newline"],
    ["a\n", "embedded_newline"],
    ["a\r", "trailing_carriage_return"],
    ['"\ud83d"', "lone_surrogate"],
    ["\ude00\ud83d", "lone_surrogate"],
  ])("%j is refused: %s", (text, reason) => {
    expect(writeFrameLine(text, DEFAULT_FRAME_LIMIT)).toEqual({ ok: false, reason: { reason } });
  });

  it("has the limit's bytes at most, its end not counted", () => {
    expect(writeFrameLine("€12", limitOf(5))).toEqual({ ok: true, value: encode("€12\n") });
    expect(writeFrameLine("€123", limitOf(5))).toEqual(OVER_5);
    expect(writeFrameLine("😀", limitOf(4)).ok).toBe(true);
  });
});
