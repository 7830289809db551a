import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonScanner } from "../../../src/firewall/summary/json/scanner.ts";
import { JsonShaper } from "../../../src/firewall/summary/json/shaper.ts";
import { summarise } from "../../../src/firewall/summary/summariser.ts";
import { SUMMARY_JSON_MAX_DEPTH } from "../../../src/limits.ts";
import { untrue } from "./untrue.ts";

function shaped(text: string): { readonly shaper: JsonShaper; readonly scanner: JsonScanner } {
  const shaper = new JsonShaper();
  const scanner = new JsonScanner(shaper);
  scanner.push(text);
  scanner.finish();
  return { shaper, scanner };
}

const leaf = fc.oneof(
  fc.integer(),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.constantFrom("open", "closed", "", "x".repeat(70), "😀".repeat(50), "2026-01-02", "__proto__"),
  fc.string({ unit: "binary" }),
  fc.constantFrom(null, true, false),
);
const key = fc.oneof(
  fc.constantFrom("id", "name", "items", "__proto__", "constructor", "k".repeat(80)),
  fc.string({ maxLength: 6 }),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("tree"), { maxLength: 8 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 40, noNullPrototype: false }),
    fc.array(fc.dictionary(key, tie("tree"), { maxKeys: 6 }), { maxLength: 30 }),
  ),
}));

describe("the shape of a JSON document", () => {
  it("is what the document says, in every count and every range that is told", () => {
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, 1), (value, indent) => {
        // `JSON.parse` makes own members of `__proto__` too.
        const text = JSON.stringify(value, null, indent);
        const { shaper, scanner } = shaped(text);
        expect(scanner.fault).toBeUndefined();
        const parsed: unknown = JSON.parse(text);
        expect(untrue(shaper.shape, [parsed])).toEqual([]);
        shaper.finish();
        expect(untrue(shaper.shape, [parsed])).toEqual([]);
      }),
      { numRuns: 300, endOnFailure: true },
    );
  });

  it("stays exact where there are more places than are told apart", () => {
    const wide = fc.integer({ min: 1, max: 60 });
    fc.assert(
      fc.property(wide, wide, fc.integer({ min: 1, max: 12 }), (records, keys, inner) => {
        const value = Object.fromEntries(
          Array.from({ length: records }, (_, record) => [
            `r${record}`,
            Object.fromEntries(
              Array.from({ length: keys }, (_, index) => [
                `k${(index * 7 + record * 3) % (keys + 5)}`,
                index % 3 === 0
                  ? index
                  : Object.fromEntries(
                      Array.from({ length: inner }, (_, at) => [`i${at + (record % 4)}`, at]),
                    ),
              ]),
            ),
          ]),
        );
        const { shaper } = shaped(JSON.stringify(value));
        shaper.finish();
        expect(untrue(shaper.shape, [value])).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it("is read exactly as far as the text is JSON", () => {
    const sign = fc.constantFrom(
      ...Array.from('{}[],:"\\ \n0123-+.eEtrufalsn/😀'),
      "\ud83d",
      "\u0000",
      "\u00a0",
    );
    const texts = fc.tuple(fc.json(), fc.nat(), fc.nat({ max: 3 }), fc.array(sign, { maxLength: 4 }));
    fc.assert(
      fc.property(texts, ([text, at, cut, signs]) => {
        const place = at % (text.length + 1);
        const broken = text.slice(0, place) + signs.join("") + text.slice(place + cut);
        const { shaper, scanner } = shaped(broken);
        let valid = true;
        try {
          JSON.parse(broken);
        } catch {
          valid = false;
        }
        const single = scanner.fault === undefined && shaper.shape.count === 1;
        expect(single).toBe(valid);
      }),
      { numRuns: 2_000 },
    );
  });

  it("does not depend on recursion: nesting beyond the bound is told, and before it is none of its business", () => {
    const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(shaped(deep(SUMMARY_JSON_MAX_DEPTH)).scanner.fault).toBeUndefined();
    expect(shaped(deep(SUMMARY_JSON_MAX_DEPTH + 1)).scanner.fault?.reason).toBe("depth");
    expect(summarise(deep(SUMMARY_JSON_MAX_DEPTH + 1)).text).toContain("nested too deep");
  });
});

describe("the summary of a JSON array", () => {
  it("tells how many there are, and the least and the greatest of each field as they are written", () => {
    const big = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n });
    fc.assert(
      fc.property(fc.uniqueArray(big, { minLength: 5, maxLength: 50 }), (ids) => {
        const text = `[${ids.map((id, index) => `{"id":${id},"at":"2026-01-${String(1 + (index % 28)).padStart(2, "0")}","s":"${index % 2 === 0 ? "on" : "off"}"}`).join(",")}]`;
        const sorted = [...ids].sort((left, right) => (left < right ? -1 : left > right ? 1 : 0));
        const on = Math.ceil(ids.length / 2);
        const summary = summarise(text);
        expect(summary.kind).toBe("json");
        expect(summary.text).toContain(`JSON array of ${ids.length} objects`);
        expect(summary.text).toContain(`id: ${sorted[0]}–${sorted.at(-1)}`);
        expect(summary.text).toContain(
          `at: 2026-01-01–2026-01-${String(Math.min(28, ids.length)).padStart(2, "0")}`,
        );
        expect(summary.text).toContain(`"on"×${on}`);
        expect(summary.text).toContain(`"off"×${ids.length - on}`);
      }),
      { numRuns: 40 },
    );
  });

  it("shows the first and the last element, cut at the ends of values", () => {
    const rows = Array.from({ length: 40 }, (_, id) => ({ id, body: `Word ${id} `.repeat(400), end: true }));
    const { text } = summarise(JSON.stringify(rows));
    const length = rows[0]?.body.length.toLocaleString("en");
    expect(text).toContain(
      `$[0]: {id:0,body:"Word 0 Word 0 Word 0 Word 0 Word 0 Word…"(${length} chars),end:true}`,
    );
    expect(text).toContain("$[39]: {id:39,body:");
  });

  it("tells in how many a field is, and of which types it is", () => {
    const { text } = summarise('[{"a":1},{"a":"x","b":null},{"b":null},{"a":[1,2]}]');
    expect(text).toContain('a (in 3 of 4): [2 numbers: 1–2]×1 | 1×1 | "x"×1');
    expect(text).toContain("b (in 2 of 4)");
  });

  it("tells of what is not an object", () => {
    expect(summarise(JSON.stringify(Array.from({ length: 3_000 }, (_, index) => index / 2))).text).toContain(
      "JSON array of 3,000 numbers\neach: 0–1499.5",
    );
    expect(summarise("[]").text).toBe("JSON array of 0 values");
    expect(summarise("[[1],[2,3]]").text).toContain("JSON array of 2 arrays\neach: [1–2 numbers: 1–3]");
  });
});

describe("the summary of a JSON object", () => {
  it.each(["items", "data.rows", "data.search.edges"])(
    "looks through its wrappers to the array in %s",
    (path) => {
      const rows: unknown = Array.from({ length: 25 }, (_, id) => ({ id, name: `n${id}` }));
      const value = path.split(".").reduceRight((inner, name) => ({ [name]: inner, note: "x" }), rows);
      const { text, views } = summarise(JSON.stringify(value));
      expect(text).toContain(`$.${path}[*]: 25, each {id: 0–24; strings: name}`);
      expect(text).toContain(`$.${path}[0]: {id:0,name:"n0"}`);
      expect(text).toContain(`$.${path}[24]: {id:24,name:"n24"}`);
      expect(views.map(({ selector }) => selector)).toEqual([
        { type: "json_path", path: `$.${path}[0:10]` },
        { type: "json_path", path: `$.${path}[*].name` },
        { type: "json_keys", keys: ["note"] },
      ]);
    },
  );

  it("takes an object of many alike for a map", () => {
    const packages = Object.fromEntries(
      Array.from({ length: 400 }, (_, id) => [
        `node_modules/p${id}`,
        { version: `1.0.${id}`, dev: id % 4 === 0, engines: { node: ">=1" } },
      ]),
    );
    const { text } = summarise(JSON.stringify({ lockfileVersion: 3, packages }));
    expect(text).toContain("JSON object with 2 members\n{lockfileVersion: 3, packages: {400 keys}}");
    expect(text).toContain(
      "$.packages.*: 400 (node_modules/p0, node_modules/p1, node_modules/p2, …), each {",
    );
    expect(text).toContain("dev: true×100 | false×300");
    expect(text).toContain('$.packages["node_modules/p0"]: {version:"1.0.0",dev:true,engines:{node:">=1"}}');
  });

  it("shows small values as they are", () => {
    const { text } = summarise(
      '{"status":"ok","count":1.50,"big":12345678901234567890,"none":null,"list":[],"in":{"a":true}}',
    );
    expect(text).toBe(
      'JSON object with 6 members\n{status: "ok", count: 1.50, big: 12345678901234567890, none: null, list: [], in: {a: true}}',
    );
  });

  it("shows hostile keys on one line, escaped and cut", () => {
    const { text } = summarise(
      `{"__proto__":1,"a\\nb":2,"\\u202eevil":3,"${"k".repeat(10_000)}":4,"constructor":5}`,
    );
    expect(text).toContain('{__proto__: 1, "a\\nb": 2, "\\u202eevil": 3, constructor: 5; 1 more member}');
  });
});

describe("a text that only begins as JSON", () => {
  it("is told to be cut off, and nothing is said of what is not there", () => {
    const { kind, text } = summarise(`{"total":900,"items":[${'{"id":1,"name":"a"},'.repeat(50)}{"id":7`);
    expect(kind).toBe("json");
    expect(text).toContain("JSON object with at least 2 members, cut off at its end");
    expect(text).toContain("$.items[*]: at least 51, each");
  });

  it("is told where it is no JSON any more", () => {
    const { text } = summarise(`[\n${'{"id":1},\n'.repeat(20)}oops]`);
    expect(text).toContain(
      "JSON array of at least 20 objects, no JSON from line 21, character 202 (from 0) on",
    );
  });

  it("is no JSON where it breaks at once", () => {
    expect(summarise("[12:30] Meeting notes. We met.").kind).toBe("text");
    expect(summarise("{placeholder} is not set.").kind).toBe("text");
    expect(summarise("[INFO] a\n[WARN] b\n[ERROR] c\n[INFO] d\n").kind).toBe("log");
  });
});

describe("JSON texts one behind the other", () => {
  it("are counted, a line each", () => {
    const lines = Array.from({ length: 500 }, (_, id) =>
      JSON.stringify({ id, kind: id % 5 === 0 ? "a" : "b" }),
    );
    const { kind, text, views } = summarise(lines.join("\n"));
    expect(kind).toBe("ndjson");
    expect(text).toContain('NDJSON: 500 objects, one a line\neach: {id: 0–499, kind: "b"×400 "a"×100}');
    expect(text).toContain('value 499: {id:499,kind:"b"}');
    expect(views.map(({ selector }) => selector)).toEqual([
      { type: "rows", start: 0, end: 20 },
      { type: "lines", start: -20 },
    ]);
  });

  it("are not said to have a line each where they have not", () => {
    expect(summarise('{"a":1}{"a":2}\n{"a":3}').text).toContain("JSON texts one behind the other: 3 objects");
    expect(summarise('{"a":\n1}\n{"a":2}').text).toContain("JSON texts one behind the other: 2 objects");
  });
});
