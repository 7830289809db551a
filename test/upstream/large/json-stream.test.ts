import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { decodedPart, JsonStream, type JsonTokens } from "../../../src/upstream/large/json-stream.ts";
import { pieces } from "./pieces.ts";

const MAX_DEPTH = 64;

/** Rebuilds a value from its tokens, and the text without white space from the offsets. */
class Rebuild implements JsonTokens {
  readonly events: string[] = [];
  raw = "";
  #text = "";
  #from = 0;
  #string = "";
  #scalar = -1;

  piece(text: string): void {
    this.#text = text;
    this.#from = 0;
  }
  gap(from: number, to: number): void {
    this.#flush(from);
    this.#from = to;
  }
  open(_at: number, isObject: boolean): void {
    this.events.push(isObject ? "{" : "[");
  }
  close(): void {
    this.events.push("end");
  }
  stringStart(): void {
    this.#string = "";
  }
  stringPart(from: number, to: number, escaped: boolean): void {
    const part = decodedPart(this.#text, from, to, escaped);
    if (!escaped && part !== this.#text.slice(from, to)) throw new Error("not the text's own characters");
    if (/[\uD800-\uDBFF]$/.test(this.#string) && /^[\uDC00-\uDFFF]/.test(part))
      throw new Error("a pair was cut");
    this.#string += part;
  }
  stringEnd(_at: number, isKey: boolean): void {
    this.events.push(`${isKey ? "key" : "string"} ${JSON.stringify(this.#string)}`);
  }
  scalarStart(at: number): void {
    this.#flush(at);
    this.#scalar = this.raw.length;
  }
  scalarEnd(at: number): void {
    this.#flush(at);
    this.events.push(this.raw.slice(this.#scalar));
  }
  pieceEnd(to: number): void {
    this.#flush(to);
    this.#from = 0;
  }
  #flush(to: number): void {
    this.raw += this.#text.slice(this.#from, to);
    this.#from = to;
  }
}

function read(text: string, cuts: readonly number[] = []) {
  const tokens = new Rebuild();
  const stream = new JsonStream(tokens, MAX_DEPTH);
  // By code points: what was UTF-8 has no halves of a pair at its ends.
  for (const piece of pieces(Array.from(text), cuts)) stream.push(piece.join(""));
  stream.end();
  return { problem: stream.problem, events: tokens.events, raw: tokens.raw };
}

/** The events that a parsed value has. */
function eventsOf(value: unknown): string[] {
  if (Array.isArray(value)) return ["[", ...value.flatMap((item: unknown) => eventsOf(item)), "end"];
  if (typeof value === "object" && value !== null && !("text" in value && "toJSON" in value)) {
    const members = Object.entries(value).flatMap(([key, item]) =>
      [`key ${JSON.stringify(key)}`].concat(eventsOf(item)),
    );
    return ["{", ...members, "end"];
  }
  if (typeof value === "string") return [`string ${JSON.stringify(value)}`];
  if (typeof value === "object" && value !== null && "text" in value) return [String(value.text)];
  return [JSON.stringify(value)];
}

const anyCuts = fc.array(fc.nat(2_000), { maxLength: 30 });
const strange = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "__proto__",
    "\ud83d\ude00",
    "\ud83d",
    "\ude00\ud83d",
    'a"b\\c/\u0000\u2028',
    "<|endoftext|>",
  ),
);
const value = fc.jsonValue({ stringUnit: "binary", maxDepth: 6 });
/** Members named by no digits alone, whose order is the text's own. */
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    strange,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, 0, -1, 1e21),
    fc.array(tie("node"), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(strange, tie("node")), { selector: ([key]) => `k${key}`, maxLength: 4 })
      .map((members) => Object.fromEntries(members.map(([key, item]) => [`k${key}`, item]))),
  ),
})).node;
const spaced = fc
  .tuple(tree, fc.constantFrom(undefined, 1, "\t", "\r\n  "))
  .map(([item, space]) =>
    JSON.stringify(item, undefined, typeof space === "string" && space.includes("\r") ? 2 : space),
  );

/** Every escape that a character may have, so that cuts fall into all of them. */
const escapedEverywhere = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

describe("a JSON text in pieces", () => {
  it("has the tokens of the whole, wherever it is cut", () => {
    fc.assert(
      fc.property(spaced, fc.boolean(), anyCuts, (text, escape, cuts) => {
        const source = escape ? escapedEverywhere(text) : text;
        const parsed = parseExactJson(source, { duplicates: "last" });
        if (!parsed.ok) throw new Error("not JSON");
        const found = read(source, cuts);
        expect(found).toEqual({
          problem: undefined,
          events: eventsOf(parsed.value),
          raw: source.replace(/"(?:[^"\\]|\\.)*"|[ \t\r\n]+/g, (each) => (each.startsWith('"') ? each : "")),
        });
      }),
    );
  });

  it("has the same tokens at every single cut", () => {
    const text =
      ' {"a\\u0062":[1.50e-7,-0,"\\ud83d\\ude00\\ud83d\\n\\"/","é✓😀",true ,false,null,{}, []]}\r\n';
    const whole = read(text);
    expect(whole.problem).toBeUndefined();
    for (let cut = 0; cut <= text.length; cut += 1) expect(read(text, [cut])).toEqual(whole);
    expect(
      read(
        text,
        Array.from(text, (_, at) => at),
      ),
    ).toEqual(whole);
  });

  it("is JSON where the engine says so, for texts that are nearly JSON", () => {
    const mutation = fc.record({
      at: fc.nat(300),
      cut: fc.nat(2),
      put: fc.constantFrom(...Array.from('{}[]",:\\u0019-+.eEtfn/ \n\u0000\u00a0\ufeffx')),
    });
    const near = fc
      .tuple(
        fc.oneof(
          spaced,
          value.map((item) => JSON.stringify(item)),
        ),
        fc.array(mutation, { maxLength: 3 }),
      )
      .map(([text, mutations]) =>
        mutations.reduce((changed, { at, cut, put }) => {
          const place = at % (changed.length + 1);
          return changed.slice(0, place) + put + changed.slice(place + cut);
        }, text),
      );
    fc.assert(
      fc.property(near, anyCuts, (text, cuts) => {
        const parsed = parseExactJson(text, { duplicates: "last" });
        expect(read(text, cuts).problem).toBe(parsed.ok ? undefined : "syntax");
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    "",
    " ",
    "1",
    "-",
    "01",
    "1.",
    ".5",
    "1e",
    "1e+",
    "-0",
    "-01",
    "+1",
    "1 2",
    "tru",
    "truex",
    "nul",
    "[1,]",
    "[,1]",
    "[1 2]",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    "{,}",
    "{1:2}",
    "[}",
    "{]",
    "]",
    '"',
    '"\\',
    '"\\u',
    '"\\u12',
    '"\\x"',
    '"\\ud83d',
    '"\\ud83d"',
    '"\\ud83d\\',
    '"\\ud83d\\u',
    '"\\ud83d\\n"',
    '"\\ud83d\\uzz"',
    '"\t"',
    '"\u007f"',
    "\ufeff1",
    "NaN",
    "'a'",
    "/**/1",
    "1\u00a0",
    "[[[]]]",
    '{"a":{"a":[]}}',
    '"a" "b"',
    "{} ,",
    "1e5",
    "0e0",
    "1.0E-1",
  ])("%j is what the engine says, whole and in single characters", (text) => {
    const parsed = parseExactJson(text, { duplicates: "last" });
    const expected = parsed.ok ? undefined : "syntax";
    expect(read(text).problem).toBe(expected);
    expect(
      read(
        text,
        Array.from({ length: text.length }, (_, at) => at),
      ).problem,
    ).toBe(expected);
  });

  it("is refused one level past the depth, not at it", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(read(nested(MAX_DEPTH)).problem).toBeUndefined();
    expect(read(nested(MAX_DEPTH + 1)).problem).toBe("too_deep");
    expect(read('{"a":'.repeat(MAX_DEPTH + 1)).problem).toBe("too_deep");
  });

  it("gives a number of any length, in pieces, as it stands", () => {
    const digits = `-${"123456789".repeat(20_000)}.${"0".repeat(20_000)}e+${"7".repeat(100)}`;
    const cuts = Array.from({ length: 200 }, (_, index) => index * 997);
    expect(read(`[${digits}]`, cuts)).toMatchObject({ problem: undefined, events: ["[", digits, "end"] });
  });
});
