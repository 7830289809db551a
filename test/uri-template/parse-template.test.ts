import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  URI_TEMPLATE_EXPRESSIONS_MAX_COUNT,
  URI_TEMPLATE_MAX_CHARS,
  URI_TEMPLATE_VARIABLES_MAX_COUNT,
} from "../../src/limits.ts";
import { isOptional, parseTemplate, variableNames } from "../../src/uri-template/parse-template.ts";
import { anyTemplate, template } from "./templates.ts";

describe("a URI template", () => {
  it("names its variables in order, with what is said of each", () => {
    const { variables, parts } = template("repo://{owner}/{+path*}{?ref:7,q}");
    expect(variables).toStrictEqual([
      { name: "owner", operator: "", exploded: false },
      { name: "path", operator: "+", exploded: true },
      { name: "ref", operator: "?", exploded: false, prefixChars: 7 },
      { name: "q", operator: "?", exploded: false },
    ]);
    expect(parts.map((part) => ("literal" in part ? part.literal : part.operator))).toStrictEqual([
      "repo://",
      "",
      "/",
      "+",
      "?",
    ]);
  });

  it("names a variable that stands there twice once among the names", () => {
    expect(variableNames(template("{a}{b}{?a}{__proto__}"))).toStrictEqual(["a", "b", "__proto__"]);
  });

  it("may leave out variables of named operators and of labels", () => {
    const { variables } = template("{a}{+b}{#c}{/d}{.e}{;f}{?g}{&h}");
    expect(variables.filter(isOptional).map(({ name }) => name)).toStrictEqual(["e", "f", "g", "h"]);
  });

  it.each([
    ["{", "unbalanced_braces"],
    ["}", "unbalanced_braces"],
    ["a}b{c}", "unbalanced_braces"],
    ["{a}}", "unbalanced_braces"],
    ["{a{b}}", "bad_variable"],
    ["{}", "empty_expression"],
    ["{?}", "empty_expression"],
    ["{,}", "bad_variable"],
    ["{a,}", "bad_variable"],
    ["{ a}", "bad_variable"],
    ["{a b}", "bad_variable"],
    ["{??a}", "bad_variable"],
    ["{!a}", "bad_variable"],
    ["{=path}", "bad_variable"],
    ["{|var*}", "bad_variable"],
    ["{*keys?}", "bad_variable"],
    ["{?empty=default,var}", "bad_variable"],
    ["{-prefix|/-/|var}", "bad_variable"],
    ["{default-graph-uri}", "bad_variable"],
    ["{a:0}", "bad_variable"],
    ["{a:10000}", "bad_variable"],
    ["{a:x}", "bad_variable"],
    ["{a:1*}", "bad_variable"],
    ["{a**}", "bad_variable"],
    ["{.}", "empty_expression"],
    ["{a..b}", "bad_variable"],
    ["{a.}", "bad_variable"],
    ["{%4}", "bad_variable"],
    ["{é}", "bad_variable"],
    ["{a\0}", "bad_variable"],
    ["\ud800", "ill_formed_text"],
    ["x".repeat(URI_TEMPLATE_MAX_CHARS + 1), "too_long"],
    ["{a}".repeat(URI_TEMPLATE_EXPRESSIONS_MAX_COUNT + 1), "too_many_expressions"],
    [`{${"a,".repeat(URI_TEMPLATE_VARIABLES_MAX_COUNT)}a}`, "too_many_variables"],
  ])("is refused where it breaks a rule: %j", (text, reason) => {
    expect(parseTemplate(text)).toStrictEqual({ ok: false, reason });
  });

  it("is read at its bounds", () => {
    expect(parseTemplate("x".repeat(URI_TEMPLATE_MAX_CHARS)).ok).toBe(true);
    expect(parseTemplate("{a}".repeat(URI_TEMPLATE_EXPRESSIONS_MAX_COUNT)).ok).toBe(true);
    expect(parseTemplate(`{${"a,".repeat(URI_TEMPLATE_VARIABLES_MAX_COUNT - 1)}a}`).ok).toBe(true);
  });

  it("is made of its parts again", () => {
    fc.assert(
      fc.property(anyTemplate, (text) => {
        const written = template(text).parts.map((part) => {
          if ("literal" in part) return part.literal;
          const variables = part.variables.map(({ name, exploded, prefixChars }) => {
            return name + (exploded ? "*" : "") + (prefixChars === undefined ? "" : `:${prefixChars}`);
          });
          return `{${part.operator}${variables.join(",")}}`;
        });
        expect(written.join("")).toBe(text);
      }),
    );
  });

  it("is read or refused, and nothing throws, whatever the text", () => {
    const braces = fc.string({
      unit: fc.constantFrom("{", "}", "a", ",", ":", "*", "+", "\ud800", "%", "1"),
    });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), braces), (text) => {
        const read = parseTemplate(text);
        expect(read.ok ? read.value.text : text).toBe(text);
      }),
    );
  });
});
