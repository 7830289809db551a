import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveKeyRings } from "../../src/access/keys.ts";
import { artifactHandle, isHandle } from "../../src/firewall/artifacts/artifact.ts";
import { base64Bytes, decodeBase64, encodeBase64 } from "../../src/firewall/result/base64.ts";
import { equalJson } from "../../src/spine/normalise/equal-json.ts";
import { cleanMediaType } from "../../src/firewall/result/media-type.ts";
import { estimateTokens } from "../../src/firewall/result/token-estimate.ts";
import { INLINE_MAX_TOKENS_DEFAULT } from "../../src/limits.ts";
import { utf8Bytes } from "../../src/firewall/result/utf8.ts";
import { committedCounter } from "../../scripts/committed-ranks.ts";

const ring = async (key: string, previous?: string) => {
  const rings = await deriveKeyRings({ LOOMGATE_KEY: key, LOOMGATE_KEY_PREVIOUS: previous });
  if (!rings.ok) throw new Error(rings.reason.reason);
  return rings.value.artifact;
};
const KEY = "k".repeat(32);
const bytes = (text: string) => new TextEncoder().encode(text);

describe("the token estimate", () => {
  const counter = committedCounter();
  it.each([
    ["prose", "The quick brown fox jumps over the lazy dog, and nobody minds. ".repeat(40)],
    ["json", JSON.stringify(Array.from({ length: 80 }, (_, id) => ({ id, name: `item ${id}`, ok: true })))],
    ["code", "export function add(left: number, right: number) {\n  return left + right;\n}\n".repeat(30)],
    ["digits", "1234567890 ".repeat(200)],
    ["single digits", "1 2 3 4 ".repeat(300)],
    ["log", "2026-11-27T12:00:00Z INFO server[42]: accepted 10.0.0.1:443\n".repeat(40)],
    ["Chinese", "人人生而自由，在尊严和权利上一律平等。".repeat(40)],
    ["Russian", "Все люди рождаются свободными и равными в своём достоинстве. ".repeat(30)],
    ["emoji", "😀🎉".repeat(200)],
  ])("of %s is within a factor of two", (_, text) => {
    const ratio = estimateTokens(text) / counter.count(text);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });

  const range = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => String.fromCodePoint(from + index));
  const SMALL = range(0x61, 0x7b);
  const CAPITALS = range(0x41, 0x5b);
  const DIGITS = range(0x30, 0x3a);
  const MARKS = range(0x21, 0x7f).filter((unit) => !/[a-z0-9]/i.test(unit));
  const SPACES = ["\n", "\t", " ", "\r"];
  const alphabets: readonly [string, readonly string[]][] = [
    ["white space", SPACES],
    ["all white space", [...SPACES, "\v", "\f"]],
    ["line ends", ["\r", "\n", "\r\n"]],
    ["runs of white space", ["  ", "    ", "\n", "\t\t", "\n\n"]],
    ["small letters", SMALL],
    ["capitals", CAPITALS],
    ["letters", [...SMALL, ...CAPITALS]],
    ["short random words", [...SMALL, " "]],
    ["letters and lines", [...SMALL, ...CAPITALS, ...SPACES]],
    ["letters and marks", [...SMALL, ...MARKS]],
    ["consonants", Array.from("bcdfghjklmnpqrstvwxz")],
    ["rare letters", Array.from("qzxjvkw")],
    ["digits", DIGITS],
    ["digits and spaces", [...DIGITS, ...SPACES]],
    ["digits and marks", [...DIGITS, ...MARKS]],
    ["marks", MARKS],
    ["marks and spaces", [...MARKS, ...SPACES]],
    ["rules", Array.from("-=*#_.~/ \n")],
    ["ASCII", range(0, 0x80)],
    ["base64", [...SMALL, ...CAPITALS, ...DIGITS, "+", "/"]],
    ["hex", Array.from("0123456789abcdef")],
    ["Latin with accents", range(0xc0, 0x250)],
    ["Greek", range(0x391, 0x3ca)],
    ["Greek words", [...range(0x391, 0x3ca), " ", " "]],
    ["Cyrillic", range(0x410, 0x450)],
    ["Cyrillic words", [...range(0x410, 0x450), " ", "\n"]],
    ["all of Cyrillic", range(0x400, 0x530)],
    ["Hebrew", range(0x5d0, 0x5eb)],
    ["Arabic", range(0x621, 0x64b)],
    ["Devanagari", range(0x900, 0x980)],
    ["Thai", range(0xe01, 0xe5b)],
    ["Chinese", range(0x4e00, 0x9fff)],
    ["Japanese", range(0x3041, 0x30ff)],
    ["Korean", range(0xac00, 0xd7a4)],
    ["symbols", range(0x2000, 0x2c00)],
    ["private use", range(0xe000, 0xf900)],
    ["emoji", range(0x1f300, 0x1f700)],
    ["beyond the first plane", range(0x20000, 0x20800)],
    ["everything", range(0, 0xd800)],
  ];
  it.each(alphabets)("of random %s is at least half of what there is", (_, alphabet) => {
    const text = fc.array(fc.constantFrom(...alphabet), { minLength: 300, maxLength: 500, size: "max" });
    fc.assert(
      fc.property(text, (signs) => {
        const whole = signs.join("");
        expect(counter.count(whole)).toBeLessThanOrEqual(2 * estimateTokens(whole));
      }),
      { numRuns: 8 },
    );
  });

  it("of one character, however often, is at least half of what there is", () => {
    for (const unit of [...range(0, 0x80), ...range(0x391, 0x450)]) {
      for (const count of [1, 2, 3, 7, 80]) {
        const whole = unit.repeat(count);
        expect([unit, counter.count(whole) <= 2 * estimateTokens(whole)]).toEqual([unit, true]);
      }
    }
  });

  it("of a flood of mixed white space is over the bound of what is shown", () => {
    const flood = "\n\t \r".repeat(15_000);
    expect(counter.count(flood)).toBeLessThanOrEqual(2 * estimateTokens(flood));
    expect(estimateTokens(flood)).toBeGreaterThan(INLINE_MAX_TOKENS_DEFAULT);
  });

  it("of nothing is nothing", () => {
    expect(estimateTokens("")).toBe(0);
  });
});

describe("a handle", () => {
  it("has 27 decimal digits and is the same for the same content of the same tool and principal", async () => {
    const keys = await ring(KEY);
    const handle = await artifactHandle(keys, "ada", "a:b#00000000", "text/plain", bytes("x"));
    expect(isHandle(handle)).toBe(true);
    expect(await artifactHandle(keys, "ada", "a:b#00000000", "text/plain", bytes("x"))).toBe(handle);
    const others = await Promise.all([
      artifactHandle(keys, "eve", "a:b#00000000", "text/plain", bytes("x")),
      artifactHandle(keys, "ada", "a:c#00000000", "text/plain", bytes("x")),
      artifactHandle(keys, "ada", "a:b#00000000", "image/png", bytes("x")),
      artifactHandle(keys, "ada", "a:b#00000000", "text/plain", bytes("y")),
      artifactHandle(await ring("j".repeat(32)), "ada", "a:b#00000000", "text/plain", bytes("x")),
      artifactHandle(await ring("j".repeat(32), KEY), "ada", "a:b#00000000", "text/plain", bytes("x")),
    ]);
    expect(new Set([handle, ...others]).size).toBe(6);
  });

  it.each([
    "",
    "1",
    "1".repeat(26),
    "1".repeat(28),
    `${"1".repeat(26)}a`,
    `${"1".repeat(27)}\n`,
    "١".repeat(27),
  ])("is not %j", (text) => {
    expect(isHandle(text)).toBe(false);
  });
});

describe("a media type", () => {
  it.each([
    ["Text/Markdown; charset=utf-8", "text/markdown"],
    ["image/svg+xml", "image/svg+xml"],
    ["image/png tool_view", "x/y"],
    ["image/png\nkept", "x/y"],
    ["nonsense", "x/y"],
    [`a/${"b".repeat(300)}`, "x/y"],
    [null, "x/y"],
    [7, "x/y"],
  ])("%j is one clean word", (given, clean) => {
    expect(cleanMediaType(given, "x/y")).toBe(clean);
  });
});

describe("the bytes of a text", () => {
  it("are those that an encoder writes, lone surrogates included", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom("", "\ud800", "\udc00"), (some, lone) => {
        for (const whole of [some + lone, lone + some]) expect(utf8Bytes(whole)).toBe(bytes(whole).length);
      }),
    );
  });
});

describe("base64", () => {
  it("comes back as it went, and its size is known without decoding", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
        const text = encodeBase64(raw);
        expect(text).toBe(Buffer.from(raw).toString("base64"));
        expect(decodeBase64(text)).toEqual({ ok: true, value: Uint8Array.from(raw) });
        const url = Buffer.from(raw).toString("base64url");
        expect(decodeBase64(url)).toEqual({ ok: true, value: Uint8Array.from(raw) });
        expect(base64Bytes(text)).toBe(raw.length);
      }),
    );
  });

  it("that is none is refused", () => {
    for (const text of ["*", "a", "ab=c", "é"]) expect(decodeBase64(text).ok).toBe(false);
  });
});

describe("equal JSON", () => {
  it("does not mind the order of members, and minds everything else", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        expect(equalJson(left, structuredClone(left))).toBe(true);
        const same = JSON.stringify(left) === JSON.stringify(right);
        expect(!same || equalJson(left, right)).toBe(true);
      }),
    );
    expect(equalJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
    expect(equalJson({ a: undefined }, { b: undefined })).toBe(false);
    expect(equalJson([1], { 0: 1 })).toBe(false);
    expect(equalJson(JSON.parse('{"__proto__":1}'), {})).toBe(false);
  });
});
