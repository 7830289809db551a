import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../src/exact-json/parse.ts";
import { PROGRESS_TOKEN_MAX_CHARS } from "../../src/limits.ts";
import { progressTokenOf } from "../../src/mcp/progress-token.ts";
import { requestIdText } from "../../src/spine/frame/request-id.ts";

const tokenIn = (json: string): string | undefined => {
  const parsed = parseExactJson(`{"_meta":{"progressToken":${json}}}`, { duplicates: "refuse" });
  if (!parsed.ok) throw new Error(parsed.reason.reason);
  const token = progressTokenOf(parsed.value);
  return token === undefined ? undefined : requestIdText(token);
};

describe("a progress token", () => {
  it.each([
    "0",
    "-1",
    '""',
    '"a"',
    "1.0",
    "1e3",
    "-0",
    "12345678901234567890",
    '"\\ud83d"',
    '"__proto__"',
    "1e999",
  ])("is taken as it was written: %s", (json) => {
    expect(tokenIn(json)).toBe(json);
  });

  it.each(["1.5", "9007199254740992.5", "1e-1", "null", "true", "{}", "[]", '{"a":1}', "[1]"])(
    "is none where it is neither a string nor a whole number: %s",
    (json) => {
      expect(tokenIn(json)).toBeUndefined();
    },
  );

  it("is none where it is too long to be repeated", () => {
    const fits = "x".repeat(PROGRESS_TOKEN_MAX_CHARS);
    expect(tokenIn(JSON.stringify(fits))).toBe(JSON.stringify(fits));
    expect(tokenIn(JSON.stringify(`${fits}x`))).toBeUndefined();
    expect(tokenIn(`1${"0".repeat(PROGRESS_TOKEN_MAX_CHARS)}`)).toBeUndefined();
    expect(tokenIn(`1e${"9".repeat(100_000)}`)).toBeUndefined();
  });

  it("is read from anything without a throw", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(() => [progressTokenOf(value), progressTokenOf({ _meta: value })]).not.toThrow();
        expect([value, undefined]).toContain(progressTokenOf({ _meta: { progressToken: value } }));
      }),
    );
  });
});
