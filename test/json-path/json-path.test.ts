import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../src/exact-json/parse.ts";
import { exactJsonText } from "../../src/exact-json/write.ts";
import { normalizedPath } from "../../src/json-path/node.ts";
import { parseJsonPath } from "../../src/json-path/parse.ts";
import { queryJson } from "../../src/json-path/query-json.ts";

/** What a query selects, as paths and as JSON. */
function select(path: string, json: string): { paths: string[]; values: string[] } {
  const root = parseExactJson(json, { duplicates: "last" });
  if (!root.ok) throw new Error("no JSON");
  const found = queryJson(path, root.value);
  if (!found.ok) throw new Error(JSON.stringify(found.reason));
  return {
    paths: found.value.map(({ location }) => normalizedPath(location)),
    values: found.value.map(({ value }) => exactJsonText(value)),
  };
}
const values = (path: string, json: string) => select(path, json).values;
const problem = (path: string) => {
  const parsed = parseJsonPath(path);
  return parsed.ok ? undefined : parsed.reason;
};

/** The bookstore of RFC 9535 §1.5. */
const STORE = JSON.stringify({
  store: {
    book: [
      { category: "reference", author: "Nigel Rees", title: "Sayings of the Century", price: 8.95 },
      { category: "fiction", author: "Evelyn Waugh", title: "Sword of Honour", price: 12.99 },
      {
        category: "fiction",
        author: "Herman Melville",
        title: "Moby Dick",
        isbn: "0-553-21311-3",
        price: 8.99,
      },
      {
        category: "fiction",
        author: "J. R. R. Tolkien",
        title: "The Lord of the Rings",
        isbn: "0-395-19395-8",
        price: 22.99,
      },
    ],
    bicycle: { color: "red", price: 399 },
  },
});

/** The document of RFC 9535 §2.3.5.3. */
const FILTERED = {
  a: [3, 5, 1, 2, 4, 6, { b: "j" }, { b: "k" }, { b: {} }, { b: "kilo" }],
  o: { p: 1, q: 2, r: 3, s: 5, t: { u: 6 } },
  e: "f",
};
const FILTERS = JSON.stringify(FILTERED);

describe("the examples of RFC 9535", () => {
  it.each([
    ["$.store.book[*].author", 4],
    ["$..author", 4],
    ["$.store.*", 2],
    ["$.store..price", 5],
    ["$..book[2]", 1],
    ["$..book[2].author", 1],
    ["$..book[2].publisher", 0],
    ["$..book[-1]", 1],
    ["$..book[0,1]", 2],
    ["$..book[:2]", 2],
    ["$..book[?@.isbn]", 2],
    ["$..book[?@.price<10]", 2],
    ["$..*", 27],
  ])("of the bookstore: %s selects %i", (path, count) => {
    expect(values(path, STORE).length).toBe(count);
  });

  it.each([
    ["$.a[?@.b == 'kilo']", ['{"b":"kilo"}']],
    ["$.a[?(@.b == 'kilo')]", ['{"b":"kilo"}']],
    ["$.a[?@>3.5]", ["5", "4", "6"]],
    ["$.a[?@.b]", ['{"b":"j"}', '{"b":"k"}', '{"b":{}}', '{"b":"kilo"}']],
    ["$[?@.*]", [JSON.stringify(FILTERED.a), JSON.stringify(FILTERED.o)]],
    ["$[?@[?@.b]]", [JSON.stringify(FILTERED.a)]],
    ["$.o[?@<3, ?@<3]", ["1", "2", "1", "2"]],
    ['$.a[?@<2 || @.b == "k"]', ["1", '{"b":"k"}']],
    ['$.a[?match(@.b, "[jk]")]', ['{"b":"j"}', '{"b":"k"}']],
    ['$.a[?search(@.b, "[jk]")]', ['{"b":"j"}', '{"b":"k"}', '{"b":"kilo"}']],
    ["$.o[?@>1 && @<4]", ["2", "3"]],
    ["$.o[?@.u || @.x]", ['{"u":6}']],
    ["$.a[?@.b == $.x]", ["3", "5", "1", "2", "4", "6"]],
    ["$.a[?@ == @]", FILTERED.a.map((each) => JSON.stringify(each))],
  ])("of filters: %s", (path, expected) => {
    expect(values(path, FILTERS)).toEqual(expected);
  });

  it.each([
    ["$[1:3]", ["1", "2"]],
    ["$[5:]", ["5", "6"]],
    ["$[1:5:2]", ["1", "3"]],
    ["$[5:1:-2]", ["5", "3"]],
    ["$[::-1]", ["6", "5", "4", "3", "2", "1", "0"]],
    ["$[:]", ["0", "1", "2", "3", "4", "5", "6"]],
    ["$[0:7:0]", []],
    ["$[-2:]", ["5", "6"]],
    ["$[-9007199254740991:9007199254740991]", ["0", "1", "2", "3", "4", "5", "6"]],
    ["$[7]", []],
    ["$[-8]", []],
    ["$[-7]", ["0"]],
    ["$[2,0]", ["2", "0"]],
  ])("of slices and indexes: %s", (path, expected) => {
    expect(values(path, "[0,1,2,3,4,5,6]")).toEqual(expected);
  });

  it("tell normalized paths that find the same nodes again", () => {
    for (const path of ["$..*", "$.store.book[?@.price<10]", "$..book[-1:]"]) {
      const { paths, values: all } = select(path, STORE);
      expect(paths.map((each) => values(each, STORE))).toEqual(all.map((value) => [value]));
    }
  });
});

describe("filters", () => {
  it.each([
    [
      "$[?@ == 12345678901234567890]",
      "[12345678901234567890,12345678901234567891]",
      ["12345678901234567890"],
    ],
    ["$[?@ > 12345678901234567890]", "[12345678901234567890,12345678901234567891]", ["12345678901234567891"]],
    ["$[?@ < 0.5]", "[0.25,0.75,1e-1]", ["0.25", "1e-1"]],
    ["$[?@ == 1]", '[1,1.0,10e-1,"1",true]', ["1", "1.0", "10e-1"]],
    ["$[?@ == -0]", "[0,-0,1]", ["0", "-0"]],
    ["$[?@ < 1e999]", "[1e998,1e1000]", ["1e998"]],
    [
      "$[?@.a == $[0].a]",
      '[{"a":{"x":[1,{}]}},{"a":{"x":[1.0,{}]}},{"a":{"x":[1]}}]',
      ['{"a":{"x":[1,{}]}}', '{"a":{"x":[1.0,{}]}}'],
    ],
    ["$[?@ < 'b']", '["a","b",1,null]', ['"a"']],
    ["$[?@ <= 'b']", '["a","b","c"]', ['"a"', '"b"']],
    ["$[?@ < '\\uD83D\\uDE00']", '["\\uFFFD","\\uD83D\\uDE01"]', ['"\uFFFD"']],
    ["$[?@ >= null]", "[null,0,false]", ["null"]],
    ["$[?length(@) == 1]", '["\\uD83D\\uDE00","ab",[7],{"k":1},5]', ['"\u{1F600}"', "[7]", '{"k":1}']],
    ["$[?count(@.*) == 2]", '[[1,2],[1],{"a":1,"b":2}]', ["[1,2]", '{"a":1,"b":2}']],
    ["$[?value(@..x) == 1]", '[{"x":1},{"x":1,"y":{"x":1}}]', ['{"x":1}']],
    ["$[?!@.a]", '[{"a":null},{"b":1}]', ['{"b":1}']],
    ["$[?!(@.a == 1)]", '[{"a":1},{"a":2}]', ['{"a":2}']],
    ["$[?!(@.a || @.b)]", '[{"a":1},{"c":2}]', ['{"c":2}']],
    ["$[?@.a == 1 || @.b == 2 && @.c == 3]", '[{"a":1},{"b":2},{"b":2,"c":3}]', ['{"a":1}', '{"b":2,"c":3}']],
    ["$[?@.x == @.y]", '[{},{"x":1},{"x":1,"y":1}]', ["{}", '{"x":1,"y":1}']],
    ["$[?match(@, 'a.c')]", '["abc","a\\nc","a\\rc","xabc"]', ['"abc"']],
    ["$[?search(@, '[.]c')]", '["a.c","abc"]', ['"a.c"']],
    ["$[?search(@, '(')]", '["("]', []],
    ["$[?search(@.a, @.b)]", '[{"a":"abc","b":"b."},{"a":"abc","b":1}]', ['{"a":"abc","b":"b."}']],
  ])("%s on %s", (path, json, expected) => {
    expect(values(path, json)).toEqual(expected);
  });

  it("search in time that does not explode, whatever the pattern and the text", () => {
    const text = JSON.stringify([`${"a".repeat(30_000)}!`]);
    expect(values("$[?search(@, '^(a+)+$')]", text)).toEqual([]);
  });
});

describe("names", () => {
  it("may be those of an object's prototype, and are found only where they are", () => {
    const json = '{"__proto__":1,"constructor":{"prototype":2},"a":{}}';
    expect(values("$.__proto__", json)).toEqual(["1"]);
    expect(values("$.constructor.prototype", json)).toEqual(["2"]);
    expect(values("$.a.constructor", json)).toEqual([]);
    expect(values("$.a['hasOwnProperty','__proto__']", json)).toEqual([]);
    expect(values("$['length']", "[1,2]")).toEqual([]);
  });

  it("are read with every escape", () => {
    expect(values("$['\\u0061\\n\\'\"\\\\']", '{"a\\n\'\\"\\\\":1}')).toEqual(["1"]);
    expect(values('$["\\uD83D\\uDE00"]', '{"😀":1}')).toEqual(["1"]);
    expect(values("$.☺", '{"☺":1}')).toEqual(["1"]);
  });
});

describe("a text that is no query", () => {
  it.each([
    ["", 0],
    ["a", 0],
    ["$.", 2],
    ["$..", 3],
    ["$a", 1],
    ["$.1", 2],
    ["$ ", 1],
    ["$[", 2],
    ["$[]", 2],
    ["$[01]", 3],
    ["$[-0]", 2],
    ["$[1.5]", 3],
    ["$[9007199254740992]", 2],
    ["$['a", 2],
    ["$['\\x']", 3],
    ["$['\\uD800']", 2],
    ["$[?]", 3],
    ["$[?1]", 3],
    ["$[?@.a = 1]", 7],
    ["$[?@.a == ]", 10],
    ["$[?@.* == 1]", 3],
    ["$[?length(@)]", 3],
    ["$[?length(@.*) > 1]", 10],
    ["$[?count(1) > 1]", 9],
    ["$[?match(@.a) == 1]", 12],
    ["$[?match(@.a,'a') == true]", 18],
    ["$[?nope(@)]", 3],
    ["$[?@ == [1,2]]", 8],
    ["$[?!@.a == 1]", 4],
    ["$[?@.a && true]", 10],
    ["$[?(@.a]", 7],
    ["$[?@.a == 00]", 11],
    ["$[?@.a == (@.b == 1)]", 10],
    ["$.foo-bar", 5],
    ["$[*", 3],
    ["$[1,]", 4],
    ["$[1:2:3:4]", 7],
    ["$. a", 2],
  ])("%j is told at character %i", (text, at) => {
    expect(problem(text)).toMatchObject({ at });
    expect(queryJson(text, {})).toMatchObject({ ok: false, reason: { reason: "syntax" } });
  });

  it("is refused where it is nested so deeply that reading it could fill the stack", () => {
    expect(problem(`$[?${"(".repeat(500)}@${")".repeat(500)}]`)?.problem).toContain("deep");
    expect(problem(`$${"[?@".repeat(300)}${"]".repeat(300)}`)?.problem).toContain("deep");
    expect(problem(`$[?${"length(".repeat(150)}@${")".repeat(150)} > 1]`)?.problem).toContain("deep");
    expect(problem(`$[?${"!".repeat(900)}@]`)).toBeDefined();
  });

  it("never throws, whatever it is", () => {
    const piece = fc.constantFrom(
      ..."$ . .. [ ] ( ) ? @ * : , ! == < && || 'a' \"b\" a 0 -1 1e5 true null length( count( match( value(".split(
        " ",
      ),
    );
    const text = fc.array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 3 })), { maxLength: 25 });
    const json = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(text, json, (pieces, root) => {
        const found = queryJson(`$${pieces.join("")}`, root);
        expect(typeof found.ok).toBe("boolean");
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a query's work", () => {
  const many = JSON.stringify(Array.from({ length: 300_000 }, () => 1));

  it("is bounded: more matches than an answer could ever page through are refused", () => {
    expect(queryJson("$[*]", JSON.parse(many))).toEqual({ ok: false, reason: { reason: "too_much" } });
    expect(values("$[100:200]", many).length).toBe(100);
    expect(values("$[-1]", many)).toEqual(["1"]);
  });

  it("is bounded: filters that look through everything for everything are refused", () => {
    const root: unknown = JSON.parse(
      `[${Array.from({ length: 4_000 }, (_, index) => `{"a":${index}}`).join(",")}]`,
    );
    for (const path of ["$[?count($..*)>1]", "$[?$[?@.a==1]]", "$..[?value($..a)==1]"]) {
      expect(queryJson(path, root)).toEqual({ ok: false, reason: { reason: "too_much" } });
    }
  });

  it("is bounded: long texts are not compared over and over", () => {
    const root = Array.from({ length: 3000 }, () => "x".repeat(4000));
    expect(queryJson("$[?$[?@ <= $[0]]]", root)).toEqual({ ok: false, reason: { reason: "too_much" } });
    expect(queryJson("$[?search(@, '(?i)[^y]{900}y')]", root)).toEqual({
      ok: false,
      reason: { reason: "too_much" },
    });
  });

  it("does not depend on how deep the document is", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(3000)}7${"]".repeat(3000)}`);
    const found = queryJson("$..[?@ == 7]", deep);
    expect(found.ok && found.value.map(({ location }) => location.length)).toEqual([3000]);
  });
});

describe("a normalized path", () => {
  it("finds any name again, and shows nothing that cannot be seen", () => {
    const unit = fc.oneof(
      fc.constantFrom(
        "\u202e",
        "\u001b",
        "\u2028",
        "\u00a0",
        "\u00ad",
        "\u{e0041}",
        "\u3164",
        "'",
        '"',
        "\\",
        " ",
      ),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }).filter((sign) => !/\p{Cs}/u.test(sign)),
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (name) => {
        const path = normalizedPath([name, 0]);
        expect(path).not.toMatch(/(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u);
        const parsed = parseJsonPath(path);
        expect(parsed).toMatchObject({
          ok: true,
          value: { segments: [{ selectors: [{ kind: "name", name }] }, {}] },
        });
      }),
      { numRuns: 500 },
    );
  });
});
