import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BenchTool, byServer, textsOf } from "../../../scripts/bench/tools/bench-tool.ts";
import { growCatalog, likenessOf } from "../../../scripts/bench/tools/grow.ts";
import { seededRandom, shuffled } from "../../../scripts/bench/tools/random.ts";
import { replaceInTool } from "../../../scripts/bench/tools/replace-in-tool.ts";
import { growingWords } from "../../../scripts/bench/tools/sources.ts";
import { heapsWords } from "../../../scripts/bench/tools/vocabulary.ts";
import { replaceWords, singularOf, wordsOf } from "../../../scripts/bench/tools/words.ts";
import { memberOf } from "../../../src/json.ts";

const WORDS = growingWords();

function tool(server: string, name: string, description: string, ...parameters: string[]): BenchTool {
  const properties = parameters.map((key) => [key, { type: "string", description: `The ${key}.` }] as const);
  const inputSchema = { type: "object", properties: new Map(properties), required: parameters };
  return {
    server,
    definition: {
      name,
      description,
      inputSchema: { ...inputSchema, properties: Object.fromEntries(properties) },
    },
  };
}

const REAL = [
  tool("files", "read_file", "Reads a file from the folder.", "path", "encoding"),
  tool("files", "listFolders", "Lists all folders below a path.", "path"),
  tool("letters", "send-letter", "Sends a letter to somebody.", "letter", "recipient"),
  tool("letters", "log", "Log."),
  tool("maps", "find_route", "Finds the shortest route between two places.", "origin", "destination"),
];
const names = fc.array(fc.constantFrom("file", "files", "letter", "userName", "__proto__", "x", "PATH"));

describe("a grown catalog", () => {
  const large = growCatalog(REAL, 600, WORDS);

  it("has as many tools as were asked for, and is the same each time", () => {
    expect(large).toHaveLength(600);
    expect(growCatalog(REAL, 600, WORDS)).toEqual(large);
  });

  it("begins with the smaller ones, and those with the real tools", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 600 }), (count) => {
        expect(growCatalog(REAL, count, WORDS)).toEqual(large.slice(0, count));
      }),
      { numRuns: 10 },
    );
    expect(new Set(large.slice(0, REAL.length))).toEqual(new Set(REAL));
  });

  it("has no two tools alike, and none under two servers' names", () => {
    expect(new Set(large.map(likenessOf)).size).toBe(large.length);
    for (const [, tools] of byServer(large)) {
      const places = tools.map((each) => large.indexOf(each));
      expect(Math.max(...places) - Math.min(...places)).toBe(tools.length - 1);
    }
  });

  it("keeps each schema as it is built: what is required is a property", () => {
    for (const { definition } of large) {
      const schema = definition["inputSchema"];
      const properties = Object.keys(memberOf(schema, "properties") ?? {});
      expect(memberOf(schema, "required")).toEqual(properties);
    }
  });

  it("has about as many different words as Heaps' law gives", () => {
    const many = growCatalog(REAL, 3000, WORDS).flatMap((each) => textsOf(each).flatMap(wordsOf));
    const different = new Set(many).size;
    expect(different).toBeGreaterThan(0.7 * heapsWords(many.length));
    expect(different).toBeLessThan(1.3 * heapsWords(many.length));
  });

  it("of nothing is empty", () => {
    expect(growCatalog([], 10, WORDS)).toEqual([]);
  });
});

describe("words in the place of others", () => {
  const others = new Map([
    ["file", "ledger"],
    ["letter", "parcel"],
  ]);

  it("keep case, plural and the style of an identifier", () => {
    expect(replaceWords("readFiles read_file READ-FILE File 2files", others)).toBe(
      "readLedgers read_ledger READ-LEDGER Ledger 2ledgers",
    );
  });

  it("are all that changes", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(replaceWords(text, new Map())).toBe(text);
        const rest = (of: string): string => of.replace(/[A-Za-z]+/g, "");
        expect(rest(replaceWords(text, others))).toBe(rest(text));
      }),
    );
  });

  it("never make one property of two", () => {
    fc.assert(
      fc.property(names, (keys) => {
        const members = [...new Set([...keys, "ledger"])];
        const properties = Object.fromEntries(members.map((key) => [key, { type: "string" }]));
        const definition = { name: "x", inputSchema: { properties, required: members } };
        const schema = replaceInTool(definition, others)["inputSchema"];
        const made = Object.keys(memberOf(schema, "properties") ?? {});
        expect(made).toHaveLength(members.length);
        expect(memberOf(schema, "required")).toEqual(made);
      }),
    );
  });

  it("leave alone what a schema means literally", () => {
    const inputSchema = { properties: { kind: { enum: ["file"], default: "file", pattern: "^file" } } };
    expect(replaceInTool({ name: "open", inputSchema }, others)).toEqual({ name: "open", inputSchema });
  });

  it("are found by their singular", () => {
    expect(["files", "class", "gas", "news"].map(singularOf)).toEqual(["file", "class", "gas", "news"]);
  });
});

describe("chance from a seed", () => {
  it("is the same for the same seed, and within its bounds", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 1000 }), (seed, count) => {
        const [left, right] = [seededRandom(seed), seededRandom(seed)];
        for (let draw = 0; draw < 20; draw += 1) {
          const value = left.below(count);
          expect(value).toBe(right.below(count));
          expect(value >= 0 && value < count).toBe(true);
        }
      }),
    );
  });

  it("puts things in another order and loses none", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), (items, seed) => {
        const mixed = shuffled(items, seededRandom(seed));
        const sort = (list: readonly number[]) => [...list].sort((left, right) => left - right);
        expect(sort(mixed)).toEqual(sort(items));
      }),
    );
  });
});
