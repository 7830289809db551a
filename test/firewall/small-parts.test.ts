import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveKeyRings } from "../../src/access/keys.ts";
import { artifactHandle, isHandle } from "../../src/firewall/artifact.ts";
import { base64Bytes, decodeBase64, encodeBase64 } from "../../src/firewall/base64.ts";
import { equalJson } from "../../src/firewall/equal-json.ts";
import { cleanMediaType } from "../../src/firewall/media-type.ts";
import { cutPoints, summarise } from "../../src/firewall/summary.ts";
import { estimateTokens } from "../../src/firewall/token-estimate.ts";
import { SUMMARY_MAX_CODE_POINTS } from "../../src/limits.ts";
import { createTokenCounter } from "../../src/tokens/token-counter.ts";

const ring = async (key: string, previous?: string) => {
  const rings = await deriveKeyRings({ LOOMGATE_KEY: key, LOOMGATE_KEY_PREVIOUS: previous });
  if (!rings.ok) throw new Error(rings.reason.reason);
  return rings.value.artifact;
};
const KEY = "k".repeat(32);
const bytes = (text: string) => new TextEncoder().encode(text);
const LONE = /\p{Surrogate}/u;

describe("a summary", () => {
  it.each([
    ["One paragraph.\n\nAnother.", "One paragraph."],
    ["\n\n  Indented first.\nSecond line.\n \t\nRest", "Indented first.\nSecond line."],
    ["", ""],
    [" \n \n", ""],
    ["no end at all", "no end at all"],
    [`${"A sentence. ".repeat(60)}\n\nrest`, "A sentence. ".repeat(41).trimEnd()],
    ["a".repeat(501), `${"a".repeat(499)}…`],
    ["😀".repeat(600), `${"😀".repeat(499)}…`],
    ["漢字。".repeat(200), "漢字。".repeat(166)],
    ["a".repeat(500), "a".repeat(500)],
    [`Version 1.2.3 is out ${"x".repeat(600)}`, `Version 1.2.3 is out ${"x".repeat(478)}…`],
  ])("of %j", (text, summary) => {
    expect(summarise(text)).toBe(summary);
  });

  it("has at most 500 code points, its mark included, and splits no character", () => {
    const words = fc.constantFrom("a", "😀", "\n", "\n\n", ". ", "漢。", " ", "\r\n", "x".repeat(300));
    fc.assert(
      fc.property(fc.array(words, { maxLength: 700 }), (all) => {
        const text = all.join("");
        const summary = summarise(text);
        expect(Array.from(summary).length).toBeLessThanOrEqual(SUMMARY_MAX_CODE_POINTS);
        expect(summary).not.toMatch(LONE);
        expect(text).toContain(summary.replace(/…$/, ""));
      }),
    );
  });
});

describe("a cut text", () => {
  it("is whole where it fits, and marked where it does not", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 40 }),
        fc.integer({ min: 1, max: 30 }),
        (text, count) => {
          const cut = cutPoints(text, count);
          expect(Array.from(cut).length).toBeLessThanOrEqual(count);
          const fits = Array.from(text).length < count;
          expect(fits ? cut === text : cut.endsWith("…")).toBe(true);
        },
      ),
    );
  });
});

describe("the token estimate", () => {
  const counter = createTokenCounter();
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

describe("base64", () => {
  it("comes back as it went, and its size is known without decoding", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (raw) => {
        const text = encodeBase64(raw);
        expect(text).toBe(Buffer.from(raw).toString("base64"));
        expect(decodeBase64(text)).toEqual({ ok: true, value: Uint8Array.from(raw) });
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
