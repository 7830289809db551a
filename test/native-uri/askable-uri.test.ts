import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAskableUri } from "../../src/native-uri/askable-uri.ts";

describe("what a server may be asked for though nobody lists it", () => {
  it.each([
    "demo://resource/session/README.md.gz",
    "demo://Resource/Ünïcode/a file.gz",
    "urn:isbn:0451450523",
    "repo://owner%2Frepo/file%20name?q=%C3%BC#part",
    "file:///a/..b/c../.hidden/...",
    `x:${"y".repeat(8_190)}`,
  ])("is a URI: %j", (uri) => {
    expect(isAskableUri(uri)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["no scheme", "readme.md"],
    ["no scheme, but a path", "/etc/passwd"],
    ["a scheme that begins with a digit", "7z:/x"],
    ["a scheme in capitals", "FILE:///x"],
    ["ours", "loomgate://docs/x:/y"],
    ["a lone surrogate", "x:/\ud800"],
    ["8,193 characters", `x:${"y".repeat(8_191)}`],
    ["NUL", "x:/\u0000"],
    ["a line break, which readers take out", "file:///sec\nret"],
    ["a backslash, which readers take for a slash", "file:\\\\\\secret"],
    ["a space at its end", "x:/y "],
    ["a letter as an escape", "file:///%73ecret"],
    ["a dot as an escape", "file:///a/%2E%2e/b"],
    ["a way up", "file:///a/../b"],
    ["a way up at its end", "file:///a/.."],
    ["a way up behind an escaped slash", "file:///a%2f..%2Fb"],
    ["a way nowhere", "file:///a/./b"],
  ])("is not %s", (_, uri) => {
    expect(isAskableUri(uri)).toBe(false);
  });

  it("never throws, and takes nothing longer than a listed URI may be", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 9_000 }), (text) => {
        const uri = `x:${text}`;
        expect(isAskableUri(uri) && (uri.length > 8_192 || /\p{Cs}/u.test(uri))).toBe(false);
      }),
    );
  });
});
