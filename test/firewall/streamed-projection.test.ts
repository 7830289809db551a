import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { projectKept } from "../../src/firewall/projection.ts";
import { inlineBounds } from "../../src/firewall/result/inline-bounds.ts";
import { sortResult } from "../../src/firewall/result/keepsakes.ts";
import { readToolResult } from "../../src/firewall/result/tool-result.ts";
import { openProjection } from "../../src/firewall/streamed-projection.ts";
import { PROJECTED_LARGE_MAX_CHARS } from "../../src/limits.ts";

function streamed(pieces: readonly string[], paths: readonly string[]): string | undefined {
  const projection = openProjection(paths);
  for (const piece of pieces) projection?.push(piece);
  return projection?.finish().selected;
}

/** What the same rule selects of the same text where it is held. */
function held(text: string, paths: readonly string[]): string | undefined {
  const result = readToolResult({ content: [{ type: "text", text }] });
  if (!result.ok) throw new Error("no result");
  const bounds = inlineBounds(0, 0);
  const projected = projectKept(sortResult(result.value, bounds), paths, bounds);
  return projected?.keepsake?.text ?? projected?.text;
}

const name = fc.constantFrom("a", "b", "items", 'q"uote', "back\\slash", "né", "__proto__");
const scalar = fc.constantFrom<unknown>(1, -1.5, "x", "", 'a "b" ], }', "\\", "two\nlines", true, null);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(name, tie("tree"), { maxKeys: 4 }),
  ),
}));
const document = fc.oneof(fc.array(tree, { maxLength: 5 }), fc.dictionary(name, tree, { maxKeys: 5 }));
const segment = fc.oneof(
  name.map((each) => `[${JSON.stringify(each)}]`),
  fc.constantFrom("[*]", ".*", "[0]", "[2]", "[1:]", "[:2]", "[::2]", "[0,'a']", ".items"),
);
const paths = fc.array(
  fc.array(segment, { maxLength: 4 }).map((segments) => `$${segments.join("")}`),
  { minLength: 1, maxLength: 3 },
);

describe("what is selected of a text that goes by", () => {
  it("is what is selected of one that is held, however it is written and cut", () => {
    const indent = fc.constantFrom(undefined, 2, "\t");
    fc.assert(
      fc.property(
        document,
        paths,
        indent,
        fc.array(fc.nat(200), { maxLength: 8 }),
        (value, rules, space, cuts) => {
          const text = `${JSON.stringify(value, null, space)}\n`;
          const places = [
            ...new Set([0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length]),
          ].sort((left, right) => left - right);
          const pieces = places.slice(1).map((to, at) => text.slice(places[at], to));
          expect(streamed(pieces, rules)).toBe(held(text, rules));
        },
      ),
      { numRuns: 400 },
    );
  });

  it.each([
    [["$[1].b", "$[0,2].a"], '[{"a":1,"b":2},{"a":3,"b":4},{"a":5}]', '[{"a":1},{"b":4},{"a":5}]'],
    [["$.n"], '{"n":12345678901234567890.10,"m":1}', '{"n":12345678901234567890.10}'],
    [["$.a"], '\uFEFF {"a" : [ 1 , "x y" ] }', '{"a":[1,"x y"]}'],
    [["$..a", "$[0]"], "[1,2]", "[1]"],
  ])("by %j of %j is %j", (rules, text, selected) => {
    expect(streamed(Array.from(text), rules)).toBe(selected);
  });

  it.each([
    "",
    "text",
    '"a"',
    '{"a":1',
    '{"a":1}}',
    '{"a":1} {"a":2}',
    '{"a" 1}',
    "{a:1}",
    '{"a":tru',
    "[1}",
    '{"b":1}',
  ])("is nothing of %j", (text) => {
    expect(streamed([text], ["$.a"])).toBeUndefined();
  });

  it("is nothing where paths cannot be followed, and where it is too much, and then says why", () => {
    const selection = (text: string, rules: readonly string[]) => {
      const projection = openProjection(rules);
      projection?.push(text);
      return projection?.finish();
    };
    for (const path of ["$..a", "$[-1]", "$[?@.a]", "$[-2:]", "$[::-1]"]) {
      expect(selection('{"a":1}', [path])).toEqual({ unselected: "not_followed" });
      expect(selection('{"a":1}', [path, "$.a"])).toEqual({
        selected: '{"a":1}',
        unselected: "not_followed",
      });
      // Of what is no JSON no rule would select anything.
      for (const text of ["text", '{"a":1', '"a"', ""]) expect(selection(text, [path, "$.a"])).toEqual({});
    }
    const value = `{"a":["${"x".repeat(PROJECTED_LARGE_MAX_CHARS)}"],"b":1}`;
    expect(selection(value, ["$.a"])).toEqual({ unselected: "too_much" });
    expect(selection(value, ["$.a", "$..b"])).toEqual({ unselected: "too_much" });
    expect(selection(value, ["$.b"])).toEqual({ selected: '{"b":1}' });
    expect(openProjection([])).toBeUndefined();
  });
});
