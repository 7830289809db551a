import { UriTemplate as SdkTemplate } from "@modelcontextprotocol/sdk/shared/uriTemplate.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTemplate as oracleOf } from "url-template";
import { bareObject } from "../../src/json.ts";
import { TEMPLATED_URI_MAX_CHARS } from "../../src/limits.ts";
import { escapedUri } from "../../src/uri-template/encode.ts";
import { expandTemplate } from "../../src/uri-template/expand-template.ts";
import { variableNames } from "../../src/uri-template/parse-template.ts";
import { RFC_EXPANSIONS, RFC_VALUES } from "./rfc-6570.ts";
import { anyTemplate, template, value } from "./templates.ts";

function expand(text: string, values: Readonly<Record<string, unknown>>): string {
  const uri = expandTemplate(template(text), values);
  if (!uri.ok) throw new Error(JSON.stringify(uri.reason));
  return uri.value;
}

describe("an expansion", () => {
  it.each(RFC_EXPANSIONS)("is what RFC 6570 says: %s", (text, uri) => {
    expect(expand(text, RFC_VALUES)).toBe(uri);
  });

  it.each([
    // A `%` before one hex digit only is no escape, and leaves nothing else of the value unescaped.
    ["{+a}", { a: "%4 <é>" }, "%254%20%3C%C3%A9%3E"],
    ["{+a}", { a: "%41%4g" }, "%41%254g"],
    // A prefix counts characters, and never cuts one in two.
    ["{a:1}", { a: "😀😀" }, "%F0%9F%98%80"],
    // A list of nothing has no value under any operator.
    ["x{?a}", { a: [] }, "x"],
    ["x{?a}", { a: {} }, "x"],
    ["x{;a*}", { a: ["", "b"] }, "x;a;a=b"],
    ["x y{a}", { a: "é" }, "x y%C3%A9"],
    ["%41%4{a}", { a: "1" }, "%41%2541"],
  ])("escapes what is to be escaped: %s", (text, values, uri) => {
    expect(expand(text, values)).toBe(uri);
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "takes a variable for what it was given, also one called %s",
    (name) => {
      expect(expand(`x{${name}}{?${name}}`, {})).toBe("x");
      expect(expand(`x{${name}}`, Object.fromEntries([[name, "y"]]))).toBe("xy");
    },
  );

  it.each([[5], [true], ["\ud800"], [["a", 5]], [["\udc00"]], [{ a: 5 }], [{ "\ud800": "a" }], [[["a"]]]])(
    "of %j is refused, by the name of the variable",
    (bad) => {
      expect(expandTemplate(template("{x}{a}"), { x: "1", a: bad })).toStrictEqual({
        ok: false,
        reason: { reason: "bad_value", variable: "a" },
      });
    },
  );

  it("that would be too long is refused", () => {
    const most = "a".repeat(TEMPLATED_URI_MAX_CHARS);
    expect(expand("{a}", { a: most })).toBe(most);
    expect(expandTemplate(template("{a}b"), { a: most })).toStrictEqual({
      ok: false,
      reason: { reason: "too_long" },
    });
  });

  it("is what another implementation says, where values have no escapes and prefixes cut no character", () => {
    const simple = fc.string({
      unit: fc.constantFrom("a", "/", ",", "é", " ", "!", "?", "'", "["),
      minLength: 1,
      maxLength: 8,
    });
    const values = fc.oneof(simple, fc.array(simple, { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(anyTemplate, fc.array(values, { minLength: 1 }), (text, drawn) => {
        const given = new Map<string, string | string[]>();
        for (const [index, name] of variableNames(template(text)).entries()) {
          const one = drawn[index % drawn.length];
          if (one !== undefined) given.set(name, one);
        }
        const record = bareObject<string | string[]>();
        for (const [name, one] of given) record[name] = one;
        // Names with escapes in them are escaped once more by the other.
        fc.pre(!text.includes("a%20b"));
        fc.pre(!/%[0-9A-F](?![0-9A-F])/i.test(text.replace(/\{[^}]*\}/g, "|")));
        const uri = expandTemplate(template(text), record);
        // The other one gives a list where a prefix of one value is asked for.
        fc.pre(uri.ok);
        // Nor does it leave literals as they are.
        expect(uri.ok && escapedUri(uri.value)).toBe(escapedUri(oracleOf(text).expand(record)));
      }),
    );
  });

  it("is found by the official SDK's servers, which know their templates by the literals that they wrote", () => {
    for (const text of ["raw://ünï/{id}", "raw://x y/{id}", "raw://%C3%BC/{id}", "raw://%c3%bc/{id}"]) {
      const uri = expand(text, { id: "ü 7" });
      expect(uri).toBe(text.replace("{id}", "%C3%BC%207"));
      expect(new SdkTemplate(text).match(uri)).toEqual({ id: "%C3%BC%207" });
    }
  });

  it("is a URI in ASCII but for its literals, or refused, and nothing throws, whatever the values", () => {
    fc.assert(
      fc.property(anyTemplate, fc.array(fc.oneof(value, fc.anything()), { minLength: 1 }), (text, drawn) => {
        const read = template(text);
        const record = bareObject<unknown>();
        for (const [index, name] of variableNames(read).entries()) record[name] = drawn[index % drawn.length];
        const uri = expandTemplate(read, record);
        expect(uri.ok ? escapedUri(uri.value) : "").toMatch(
          /^(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=])*$/,
        );
      }),
    );
  });
});
