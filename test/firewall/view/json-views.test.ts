import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRecord } from "../../../src/json.ts";
import type { Selector } from "../../../src/firewall/view/selector.ts";
import { VIEW_MAX_BYTES } from "../../../src/limits.ts";
import { planView } from "../../../src/firewall/view/view.ts";
import { follow, look, refused, textArtifact, textsOf, tryJson, tryLook } from "./look.ts";

const json = (text: string) => textArtifact(text, "application/json");
const path = (text: string, more: object = {}): Selector => ({ type: "json_path", path: text, ...more });
const keys = (...names: string[]): Selector => ({ type: "json_keys", keys: names });

describe("json_keys", () => {
  it("shows members with their values as written, in the document's order, without white space", () => {
    const artifact = json(
      '{ "b": 12345678901234567890,\n "2": [1.0, 1e3],\n "1" : "a  b",\n "c": {"x" : null} }',
    );
    expect(look(artifact, keys("c", "1", "2", "b"))).toEqual({
      text: '{"b":12345678901234567890,"2":[1.0,1e3],"1":"a  b","c":{"x":null}}',
      media_type: "application/json",
      selector: keys("c", "1", "2", "b"),
      total: { bytes: artifact.bytes.length, lines: 4 },
    });
  });

  it("names what is not there in a second line, and what is there where none is", () => {
    const artifact = json('{"a":1,"b":2}');
    expect(look(artifact, keys("a", "x", "y")).text).toBe('{"a":1}\nnot there: ["x","y"]');
    expect(refused(artifact, keys("x"))).toMatchObject({ have: ["a", "b"], try: ["json_keys"] });
    expect(refused(json("{}"), keys("x"))).toMatchObject({ have: [] });
  });

  it("tells at most twenty names, none of them long", () => {
    const members = Array.from({ length: 50 }, (_, index) => [`${index}${"k".repeat(10_000)}`, index]);
    const { have } = refused(json(JSON.stringify(Object.fromEntries(members))), keys("x"));
    expect(have?.length).toBe(21);
    expect(have?.at(-1)).toBe("… 30 more");
    for (const name of have ?? []) expect(name.length).toBeLessThanOrEqual(64);
  });

  it("finds keys that escapes spell, and those of prototypes only where they are", () => {
    const artifact = json('{"\\u0061":1,"__proto__":{"x":2},"\\ud83d\\ude00":3}');
    expect(look(artifact, keys("a", "__proto__", "😀")).text).toBe('{"a":1,"__proto__":{"x":2},"😀":3}');
    expect(refused(artifact, keys("constructor")).problem).toContain("none of these keys");
  });

  it.each(['[{"a":1}]', "1", "not json", "", '{"a":1}\n{"a":2}', '{"a":', '{"a" 1}', "{a:1}"])(
    "does not take %j for an object",
    (text) => {
      expect(refused(json(text), keys("a")).try).toContain("json_path");
    },
  );

  it("goes on with the keys that had no room, an object an answer", () => {
    const members = Array.from({ length: 12 }, (_, index) => [`k${index}`, "x".repeat(4000)] as const);
    const artifact = json(JSON.stringify(Object.fromEntries(members)));
    const views = follow(artifact, keys(...members.map(([name]) => name).toReversed()));
    const parts = textsOf(views).map((text): unknown => JSON.parse(text));
    expect(Object.assign({}, ...parts)).toEqual(Object.fromEntries(members));
    expect(views.length).toBe(3);
  });

  it("goes on inside a value that is too long, byte after byte", () => {
    const big = `"\\漢😀${"é\n".repeat(20_000)}`;
    const artifact = json(JSON.stringify({ a: 1, big, c: [2] }));
    const views = follow(artifact, keys("a", "big", "c"));
    const [first = "", ...rest] = textsOf(views);
    expect(first).toBe('{"a":1}');
    expect(JSON.parse(rest.join(""))).toEqual({ big, c: [2] });
  });

  it("of any document shows every value whole, by following next", () => {
    const value = fc.jsonValue({ maxDepth: 3, stringUnit: "binary" });
    const long = fc
      .tuple(value, fc.integer({ min: 0, max: 700 }))
      .map(([each, times]) => Array.from({ length: times % 7 === 0 ? times : 1 }, () => each));
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), long, { maxKeys: 6 }),
        fc.nat(2),
        (object, spaces) => {
          const names = Object.keys(object);
          if (names.length === 0) return;
          const views = follow(json(JSON.stringify(object, null, spaces)), {
            type: "json_keys",
            keys: names,
          });
          // An answer that is not cut is an object of its own; one that is goes on in the next.
          const objects: unknown[] = [];
          let open = "";
          for (const text of textsOf(views)) {
            open += text;
            const parsed = tryJson(open);
            if (parsed === undefined) continue;
            objects.push(parsed);
            open = "";
          }
          expect(open).toBe("");
          // Not by assigning, which would take a member called __proto__ for something else.
          const shown = new Map(objects.flatMap((each) => (isRecord(each) ? Object.entries(each) : [])));
          const whole: unknown = JSON.parse(JSON.stringify(object));
          expect(shown).toEqual(new Map(isRecord(whole) ? Object.entries(whole) : []));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("scans a document of any size eight megabytes at a time, and says how to go on", () => {
    const text = `{"first":1,"huge":[${'{"id":1234567,"name":"\\"quoted\\" and {braced}"},'.repeat(400_000)}0],"last":{"x":true}}`;
    const artifact = json(text);
    expect(artifact.bytes.length).toBeGreaterThan(16 * 1_048_576);
    const views = follow(artifact, keys("last", "none", "first"), 10);
    expect(views.map(({ next }) => next !== undefined)).toEqual([true, true, false]);
    expect(textsOf(views)).toEqual(['{"first":1}', "{}", '{"last":{"x":true}}\nnot there: ["none"]']);
  });
});

describe("json_path", () => {
  it("shows one compact value a line, as written", () => {
    const artifact = json('{"items": [ {"id": 1.0, "t": "a"}, {"id": 2e400, "t": "b"} ]}');
    expect(look(artifact, path("$.items[*].id")).text).toBe("1.0\n2e400");
    expect(look(artifact, path("$.items[1]")).text).toBe('{"id":2e400,"t":"b"}');
    expect(look(artifact, path("$.items[?@.id > 1e300].t")).text).toBe('"b"');
    expect(look(artifact, path("$"))).toEqual({
      text: '{"items":[{"id":1.0,"t":"a"},{"id":2e400,"t":"b"}]}',
      media_type: "application/json",
      selector: path("$"),
      total: { bytes: artifact.bytes.length, lines: 1 },
    });
  });

  it("counts the last of two members with one name, as parsers do", () => {
    expect(look(json('{"a":{"b":1},"a":{"b":2}}'), path("$.a.b")).text).toBe("2");
  });

  it("says how far a path that finds nothing came, and what is there", () => {
    const artifact = json('{"a":{"items":[{"id":1}]}}');
    expect(refused(artifact, path("$.a.rows[0]"))).toMatchObject({
      problem: "nothing matches behind $.a",
      have: ["items"],
      try: [path("$.a")],
    });
    expect(refused(artifact, path("$.a.items[5]")).problem).toContain("an array of 1");
    expect(refused(artifact, path("$.a.items[0].id.x"))).toMatchObject({ try: [path("$.a.items[0].id")] });
  });

  it("says what is wrong with a path, and where", () => {
    expect(refused(json("{}"), path("$.a["))).toMatchObject({ try: [path("$"), path("$['name'][0:10]")] });
    expect(refused(json("{}"), path("$.a[")).problem).toContain("at character 4");
  });

  it.each(["", "no json", '{"a":1}\n{"a":2}', "[1,"])("does not take %j for a document", (text) => {
    expect(refused(json(text), path("$")).problem).toContain("no JSON document");
  });

  it("does not recurse over documents that are too deep", () => {
    expect(refused(json(`${"[".repeat(100_000)}${"]".repeat(100_000)}`), path("$..*")).problem).toContain(
      "deeper",
    );
  });

  it("goes on with the next match, or inside one that is too long", () => {
    const items = [
      1,
      "x".repeat(40_000),
      ...Array.from({ length: 5000 }, (_, index) => ({ index })),
      "漢".repeat(9000),
    ];
    const artifact = json(JSON.stringify(items));
    const views = follow(artifact, path("$[*]"));
    const lines: unknown[] = [];
    let open = "";
    for (const { text, next } of views) {
      open += text;
      if (next?.type === "json_path" && next.offset !== undefined) continue;
      lines.push(...open.split("\n").map((line): unknown => JSON.parse(line)));
      open = "";
    }
    expect(lines).toEqual(items);
  });

  it("begins with any match, from either end", () => {
    const artifact = json("[10,11,12]");
    expect(look(artifact, path("$[*]", { start: 1 })).text).toBe("11\n12");
    expect(look(artifact, path("$[*]", { start: -1 })).text).toBe("12");
    expect(refused(artifact, path("$[*]", { start: 3 })).problem).toContain("selects 3 values");
  });
});

describe("json_path in a document that is too large to hold", () => {
  const row = (index: number) => `{"id":${index},"tags":["a","b\\"]"],"body":"${"x".repeat(80)}"}`;
  const rows = Array.from({ length: 160_000 }, (_, index) => row(index));
  const artifact = json(`{ "meta" : {"n": 160000}, "items": [\n${rows.join(",\n")}\n], "end": "here" }`);

  it("follows names, indexes and wildcards to every match, eight megabytes at a time", () => {
    expect(artifact.bytes.length).toBeGreaterThan(16 * 1_048_576);
    const ids = follow(artifact, path("$.items[*].id"), 200).flatMap(({ text }) => (text ?? "").split("\n"));
    expect(ids).toEqual(rows.map((_, index) => String(index)));
    expect(textsOf(follow(artifact, path("$['items'][150000].tags[1]"), 10)).at(-1)).toBe('"b\\"]"');
    expect(textsOf(follow(artifact, path("$.end"), 10)).at(-1)).toBe('"here"');
    expect(look(artifact, path("$.meta")).text).toBe('{"n":160000}');
    expect(look(artifact, path("$.meta")).next).toBeUndefined();
  });

  it("shows a match of any length whole, without its white space", () => {
    const small = json(
      `{"a":[${" ".repeat(3_000_000)}1,  "${"é\\n".repeat(10_000)}",${" ".repeat(3_000_000)}2],"b":3}`,
    );
    const shown = textsOf(follow(small, path("$.a"), 100)).join("");
    expect(JSON.parse(shown)).toEqual([1, "é\n".repeat(10_000), 2]);
  });

  it("says so where there is no match, and what is possible", () => {
    const texts = textsOf(follow(artifact, path("$.none[*].x"), 10));
    for (const text of texts) expect(text).toMatch(/^no match in bytes \d+ to \d+$/);
    expect(refused(artifact, path("$..id"))).toMatchObject({ try: [path("$"), "json_keys", "rows", "grep"] });
    expect(refused(artifact, path("$.items[-1]"))).toMatchObject({
      try: [path("$.items"), "json_keys", "rows", "grep"],
    });
    expect(refused(artifact, path("$.items[*]", { start: 5 })).problem).toContain("come from next");
  });

  it("takes no made-up resume for more than it is", () => {
    for (const resume of ["nonsense", "o1!", "x1", "a1.b2", `${"a1.".repeat(200)}a1`, "!9999999999"]) {
      expect(refused(artifact, path("$.items", { offset: 10, resume })).problem).toContain("come from next");
    }
    for (const resume of ["a0", "o0.a5", "~7", "!3s", "a1.a1.a1.a1"]) {
      const shown = tryLook(artifact, path("$.items[*].id", { offset: 12_345, resume }));
      expect(shown.ok ? shown.value.text : shown.reason.problem).toBeDefined();
    }
  });

  it("never answers with more than an answer holds, nor reads much for it once a value is cut", () => {
    let selector: Selector | undefined = path("$.items");
    for (let step = 0; step < 4; step += 1) {
      const shown = look(artifact, selector ?? path("$"));
      expect(shown.text?.length).toBeGreaterThan(VIEW_MAX_BYTES - 8);
      selector = shown.next;
      const plan = planView(artifact.shape, selector ?? path("$"));
      expect(plan.ok && plan.value.length).toBe(262_144);
    }
  });
});

describe("a byte order mark before JSON", () => {
  const marked = textArtifact('\uFEFF {"a":[1,"漢",3],"b":2}', "application/json");
  const plain = textArtifact(' {"a":[1,"漢",3],"b":2}', "application/json");

  it.each([
    { type: "json_keys", keys: ["b"] },
    { type: "json_path", path: "$.a[1:]" },
    { type: "json_path", path: "$" },
    { type: "json_path", path: "$..[?@>1]" },
  ] as const)("changes nothing for %j", (selector) => {
    expect(look(marked, selector).text).toBe(look(plain, selector).text);
  });

  it("changes nothing of what is too large to be held", () => {
    const large = textArtifact(`\uFEFF{"x":"${"y".repeat(4_200_000)}","a":[1,"漢"]}`, "application/json");
    expect(look(large, { type: "json_path", path: "$.a[1]" }).text).toBe('"漢"');
    expect(look(large, { type: "json_keys", keys: ["a"] }).text).toBe('{"a":[1,"漢"]}');
  });
});
