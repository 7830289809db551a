import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fail, ok } from "../../../src/result.ts";
import { readLocalPath } from "../../../src/spine/normalise/local-path.ts";
import { hostileText } from "../render/json-values.ts";

describe("a local path", () => {
  it.each([
    ["/a/b.ts", "/a/b.ts"],
    ["a/b.ts", "/repo/a/b.ts"],
    ["./a", "/repo/./a"],
    ["../a", "/repo/../a"],
    ["/a b/ü", "/a b/ü"],
    ["/a%20b", "/a%20b"],
    ["files:x", "/repo/files:x"],
    ["file:///a/b.ts", "/a/b.ts"],
    ["FILE:///a", "/a"],
    ["file://localhost/a", "/a"],
    ["file://LOCALHOST/a", "/a"],
    ["file:/a", "/a"],
    ["file:///", "/"],
    ["file:///a%20b/%C3%BC", "/a b/ü"],
    ["file:///a b", "/a b"],
    ["file:///a%20", "/a "],
    ["file:///%252F", "/%2F"],
    ["file:///a%23b%3Fc", "/a#b?c"],
    ["file:///C:/x", "/C:/x"],
    ["file:///a/../b", "/a/../b"],
  ])("is read from %j", (raw, path) => {
    expect(readLocalPath(raw, "/repo")).toEqual(ok(path));
    expect(readLocalPath(raw, "/repo/")).toEqual(ok(path));
  });

  it.each<[unknown, string]>([
    ["", "empty"],
    [" ", "surrounding_whitespace"],
    [" /a", "surrounding_whitespace"],
    ["/a\n", "surrounding_whitespace"],
    ["file:///a ", "surrounding_whitespace"],
    ["\u0085a", "surrounding_whitespace"],
    ["/a\u0000b", "nul"],
    ["file:///a%00b", "nul"],
    ["file://", "invalid_file_uri"],
    ["file:", "invalid_file_uri"],
    ["file:a/b", "invalid_file_uri"],
    ["file://localhost", "invalid_file_uri"],
    ["file:///a%2", "invalid_file_uri"],
    ["file:///a%zz", "invalid_file_uri"],
    ["file:///%ff", "invalid_file_uri"],
    ["file:///%c0%af", "invalid_file_uri"],
    ["file:///%ed%a0%80", "invalid_file_uri"],
    ["file:///a%2Fb", "invalid_file_uri"],
    ["file:///a%2fb", "invalid_file_uri"],
    ["file:///a?b", "invalid_file_uri"],
    ["file:///a#L1", "invalid_file_uri"],
    ["file://host/a", "non_local_file_uri"],
    ["file://127.0.0.1/a", "non_local_file_uri"],
    ["file://user@localhost/a", "non_local_file_uri"],
    ["file://localhost:80/a", "non_local_file_uri"],
    ["file:////host/share", "non_local_file_uri"],
    ["https://host/a", "unsupported_scheme"],
    ["vscode-remote://ssh/a", "unsupported_scheme"],
    [null, "wrong_type"],
    [7, "wrong_type"],
    [["/a"], "wrong_type"],
  ])("is not read from %j: %s", (raw, problem) => {
    expect(readLocalPath(raw, "/repo")).toEqual(fail(problem));
  });

  it("needs an absolute root only where it is relative itself", () => {
    expect(readLocalPath("a", "work")).toEqual(fail("relative_root"));
    expect(readLocalPath("a", "")).toEqual(fail("relative_root"));
    expect(readLocalPath("a", "/w\u0000")).toEqual(fail("nul"));
    expect(readLocalPath("/a", "work")).toEqual(ok("/a"));
    expect(readLocalPath("a", "/")).toEqual(ok("/a"));
  });

  it("goes to a file URI and back", () => {
    const name = fc
      .oneof(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.constantFrom("..", "a b", "%", "#?", "__proto__", "ü"),
      )
      .filter((name) => !/[/\0]|\p{Surrogate}/u.test(name));
    fc.assert(
      fc.property(fc.array(name), (names) => {
        const uri = `file:///${names.map((name) => encodeURIComponent(name)).join("/")}`;
        expect(readLocalPath(uri, "/repo")).toEqual(ok(`/${names.join("/")}`));
      }),
    );
  });

  it("is absolute and without NUL, or a problem, whatever comes", () => {
    const uri = fc
      .tuple(fc.constantFrom("file:", "file:/", "file://", "file:///", "FILE://localhost/", ""), hostileText)
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(uri, fc.anything()), fc.constantFrom("/", "/repo"), (raw, root) => {
        const read = readLocalPath(raw, root);
        expect(!read.ok || /^\/[^\0]*$/su.test(read.value)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});
