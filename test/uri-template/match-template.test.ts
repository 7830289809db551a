import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareObject } from "../../src/json.ts";
import { TEMPLATED_URI_MAX_CHARS, URI_MATCH_STEPS_MAX_COUNT } from "../../src/limits.ts";
import { expandTemplate } from "../../src/uri-template/expand-template.ts";
import { matchTemplate } from "../../src/uri-template/match-template.ts";
import { parseTemplate, variableNames } from "../../src/uri-template/parse-template.ts";
import { RFC_EXPANSIONS } from "./rfc-6570.ts";
import { anyTemplate, clearTemplate, template, value } from "./templates.ts";

function match(text: string, uri: string): Record<string, unknown> | undefined {
  const found = matchTemplate(template(text), uri);
  return found === undefined ? undefined : { ...found };
}

/** Without objects and empty values, which are not read back, and one where a `.` may be in a value or before one. */
const READABLE = RFC_EXPANSIONS.filter(([text]) => !/empty|undef|keys|bar|\.who,who/.test(text));

describe("matching a URI against a template", () => {
  it.each(READABLE)("finds what RFC 6570 expanded, and expands to it again: %s", (text, uri) => {
    const found = matchTemplate(template(text), uri);
    expect(found).toBeDefined();
    expect(expandTemplate(template(text), found ?? {})).toStrictEqual({ ok: true, value: uri });
  });

  it.each([
    ["demo://text/{id}", "demo://text/5", { id: "5" }],
    ["demo://text/{id}", "demo://text/", undefined],
    ["demo://text/{id}", "demo://text/5/6", undefined],
    ["raw://ünï/{id}", "raw://ünï/7", { id: "7" }],
    ["raw://ünï/{id}", "raw://%C3%BCn%C3%AF/7", { id: "7" }],
    ["raw://ünï/{id}", "raw://%c3%bcn%c3%af/%c3%bc", { id: "ü" }],
    ["raw://%c3%bc/{id}", "raw://ü/ü", { id: "ü" }],
    ["raw://x y/{id}", "raw://x%20y/a b", { id: "a b" }],
    ["raw://ünï/{id}", "raw://uni/7", undefined],
    ["raw://ü/{+id}", "raw://ü/\ud800", undefined],
    ["demo://text/{id}", "demo://text/5?x=1", undefined],
    ["demo://text/{id}", "demo://text/5#x", undefined],
    ["demo://text/{id}", "demo://TEXT/5", undefined],
    ["demo://text/{id}", "demo://text/a%2Fb%20c", { id: "a/b c" }],
    ["demo://text/{id}", "demo://text/it's(1)*!", { id: "it's(1)*!" }],
    ["demo://text/{id}", "demo://text/São Paulo", { id: "São Paulo" }],
    ["demo://text/{id}", "demo://text/5%", undefined],
    ["demo://text/{id}", "demo://text/%ff", { id: "%ff" }],
    ["file:///{+path}", "file:///a/b/c.txt?d#e", { path: "a/b/c.txt?d#e" }],
    ["file:///{+path}", "file:///", undefined],
    ["{+path}/{name}.{ext}", "a/b/c.tar.gz", { path: "a/b", name: "c.tar", ext: "gz" }],
    ["x{#at}", "x#a/b", { at: "a/b" }],
    ["x{#at}", "x", undefined],
    ["x{/a,b}", "x/1/2", { a: "1", b: "2" }],
    ["x{/a,b}", "x/1", undefined],
    ["x{/all*}", "x/1/2/3", { all: ["1", "2", "3"] }],
    ["x{/all*}", "x/1//3", undefined],
    ["x{.ext}", "x", {}],
    ["x{.ext}", "x.json", { ext: "json" }],
    ["geo:{lat},{lon}", "geo:1.5,-2", { lat: "1.5", lon: "-2" }],
    ["x{?a,b}", "x", {}],
    ["x{?a,b}", "x?b=2&a=1", { a: "1", b: "2" }],
    ["x{?a,b}", "x?b=2", { b: "2" }],
    ["x{?a,b}", "x?a=", { a: "" }],
    ["x{?a,b}", "x?a=1&a=2", undefined],
    ["x{?a*}", "x?a=1&a=2", { a: ["1", "2"] }],
    ["x{?a,b}", "x?c=1", undefined],
    ["x{?a,b}", "x?a=1&", undefined],
    ["x{?a}", "x?a=http://y/?z", { a: "http://y/?z" }],
    ["x?k=1{&a}", "x?k=1&a=2", { a: "2" }],
    ["x?k=1{&a}", "x?k=1", {}],
    ["x{?a}{&b}{#c}", "x?a=1&b=2#3", { a: "1", b: "2", c: "3" }],
    ["x{;a,b}", "x;b;a=1", { a: "1", b: "" }],
    ["{a}/{a}", "1/1", { a: "1" }],
    ["{a}/{a}", "1/2", undefined],
    ["{a:1}/{a}", "1/12", { a: "12" }],
    ["{a:1}/{a}", "2/12", undefined],
    ["{a:1}", "é", { a: "é" }],
    ["{a:1}", "%C3%A9", { a: "é" }],
    ["{a:1}", "12", undefined],
    ["", "", {}],
    ["plain", "plain", {}],
    ["plain", "plainer", undefined],
  ])("%s and %s", (text, uri, expected) => {
    expect(match(text, uri)).toStrictEqual(expected);
  });

  it("keeps a variable called __proto__ a value, and answers an object without a prototype", () => {
    const found = matchTemplate(template("x/{__proto__}{?constructor}"), "x/1");
    expect(Object.entries(found ?? {})).toStrictEqual([["__proto__", "1"]]);
    expect(found?.["constructor"]).toBeUndefined();
  });

  it("finds whatever was expanded of values that are not empty, lists too", () => {
    const values = fc.array(fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 })), {
      minLength: 1,
    });
    fc.assert(
      fc.property(anyTemplate, values, (text, drawn) => {
        const read = template(text);
        const names = variableNames(read);
        // A name in two places has two values to agree on, which need not be told apart.
        fc.pre(names.length === read.variables.length);
        const given = bareObject<unknown>();
        for (const [index, name] of names.entries()) given[name] = drawn[index % drawn.length];
        const uri = expandTemplate(read, given);
        fc.pre(uri.ok);
        expect(matchTemplate(read, uri.ok ? uri.value : "")).toBeDefined();
      }),
      { numRuns: 1000 },
    );
  });

  it("reads back the values themselves where there is one reading", () => {
    fc.assert(
      fc.property(
        clearTemplate,
        fc.array(value, { minLength: 6, maxLength: 6 }),
        ({ text, names }, drawn) => {
          const read = template(text);
          const given = bareObject<string>();
          for (const [index, name] of names.entries()) given[name] = drawn[index] ?? "x";
          const uri = expandTemplate(read, given);
          const found = uri.ok ? matchTemplate(read, uri.value) : undefined;
          expect(expandTemplate(read, found ?? {})).toStrictEqual(uri);
          // A reserved expansion keeps escapes as they are, so several values give the same text.
          const plain = read.variables.filter(({ operator }) => operator !== "+" && operator !== "#");
          expect(plain.map(({ name }) => found?.[name])).toStrictEqual(plain.map(({ name }) => given[name]));
        },
      ),
    );
  });

  it("whatever matches expands to a URI that matches with the same values", () => {
    const uri = fc.string({
      unit: fc.constantFrom(
        "a",
        "1",
        "%",
        "2",
        "F",
        "/",
        "?",
        "&",
        "=",
        ";",
        ",",
        ".",
        "#",
        "é",
        "\ud800",
        "😀",
      ),
      maxLength: 20,
    });
    fc.assert(
      fc.property(anyTemplate, uri, (text, uri) => {
        const read = template(text);
        const found = matchTemplate(read, uri);
        fc.pre(found !== undefined && read.variables.length === variableNames(read).length);
        const again = expandTemplate(read, found ?? {});
        fc.pre(
          again.ok &&
            !Object.values(found ?? {})
              .flat()
              .includes(""),
        );
        expect(matchTemplate(read, again.ok ? again.value : "")).toBeDefined();
      }),
    );
  });

  it("never throws, whatever the text and the URI", () => {
    fc.assert(
      fc.property(fc.oneof(anyTemplate, fc.string()), fc.string({ unit: "binary" }), (text, uri) => {
        const read = parseTemplate(text);
        const found = read.ok ? matchTemplate(read.value, uri) : undefined;
        const known = new Set(read.ok ? variableNames(read.value) : []);
        expect(Object.keys(found ?? {}).filter((name) => !known.has(name))).toEqual([]);
      }),
    );
  });

  it.each([
    ["{a}".repeat(32), "a".repeat(TEMPLATED_URI_MAX_CHARS)],
    ["{+a}/".repeat(32), "a/".repeat(TEMPLATED_URI_MAX_CHARS / 2)],
    ["{a*}".repeat(32), "a,".repeat(TEMPLATED_URI_MAX_CHARS / 2)],
    ["{&a*}".repeat(32), "&a=1".repeat(TEMPLATED_URI_MAX_CHARS / 4)],
    ["{;a*}x".repeat(32), ";a".repeat(TEMPLATED_URI_MAX_CHARS / 2)],
    ["{?a}".repeat(32), "?a=".repeat(2000)],
    ["{.a}".repeat(32), ".".repeat(TEMPLATED_URI_MAX_CHARS)],
  ])("takes a bounded number of steps: %s", (text, uri) => {
    const steps = { left: URI_MATCH_STEPS_MAX_COUNT };
    matchTemplate(template(text), uri, steps);
    // One chain of pairs may be read to its end before the count is looked at.
    expect(URI_MATCH_STEPS_MAX_COUNT - steps.left).toBeLessThan(
      URI_MATCH_STEPS_MAX_COUNT + 4 * TEMPLATED_URI_MAX_CHARS,
    );
  });

  it("a URI whose ends are another's costs one step", () => {
    const steps = { left: 10 };
    expect(matchTemplate(template("a://{x}/y"), `b://${"x".repeat(1000)}/y`, steps)).toBeUndefined();
    expect(matchTemplate(template("a://{x}/y"), `a://${"x".repeat(1000)}/z`, steps)).toBeUndefined();
    expect(steps.left).toBe(8);
  });
});
