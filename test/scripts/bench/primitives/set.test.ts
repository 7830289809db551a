import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  argumentsOf,
  type BenchEntry,
  isTemplate,
  keyOf,
  KINDS,
  placeOf,
  textOf,
} from "../../../../scripts/bench/primitives/bench-entry.ts";
import { growEntries } from "../../../../scripts/bench/primitives/grow-entries.ts";
import { nativeListTokens } from "../../../../scripts/bench/primitives/native-lists.ts";
import { readAsked, readEntries, readSet } from "../../../../scripts/bench/primitives/read-set.ts";
import { growingWords } from "../../../../scripts/bench/tools/sources.ts";
import { plainWords } from "../../../../scripts/eval/methods/plain-words.ts";
import { committedCounter } from "../../../../scripts/committed-ranks.ts";

const WORDS = growingWords();
const row = (value: unknown) => ({ file: "set.jsonl", line: 7, value });
const entry = (server: string, definition: Record<string, unknown>): BenchEntry => ({ server, definition });

describe.each(KINDS)("the set of %ss", (kind) => {
  const { entries, queries } = readSet(kind);

  it("has what its README says", () => {
    const without = (member: "name" | "description") => entries.filter((each) => textOf(each, member) === "");
    const counts = {
      entries: entries.length,
      servers: new Set(entries.map(({ server }) => server)).size,
      undescribed: without("description").length,
      unnamed: without("name").length,
      queries: queries.length,
      unanswerable: queries.filter(({ gold }) => gold.length === 0).length,
    };
    expect(counts).toEqual(
      kind === "resource"
        ? { entries: 213, servers: 6, undescribed: 44, unnamed: 6, queries: 120, unanswerable: 12 }
        : { entries: 80, servers: 5, undescribed: 16, unnamed: 0, queries: 80, unanswerable: 8 },
    );
  });

  it("asks in other words in at least half, with slips and in other languages in a tenth each", () => {
    const share = (how: RegExp) => queries.filter((query) => how.test(query.how)).length / queries.length;
    expect(share(/^other words$/)).toBeGreaterThanOrEqual(0.5);
    expect(share(/^slip$/)).toBe(0.1);
    expect(share(/^language: /)).toBe(0.1);
    expect(share(/^nothing is right$/)).toBe(0.1);
    expect(new Set(queries.map(({ id }) => id)).size).toBe(queries.length);
    expect(queries.every(({ gold }) => gold.length <= 3)).toBe(true);
  });

  it("calls other words what shares few with the name of what is right", () => {
    const names = new Map(
      entries.map((each) => [
        placeOf(each.server, keyOf(each)),
        new Set(plainWords([keyOf(each), textOf(each, "name"), textOf(each, "title")].join(" "))),
      ]),
    );
    const asked = queries.filter(({ how }) => how === "other words");
    const shares = asked.map(({ query, gold }) => {
      const words = plainWords(query);
      const known = names.get(gold[0]?.tool ?? "") ?? new Set();
      return words.filter((word) => known.has(word)).length / words.length;
    });
    expect(shares.reduce((sum, each) => sum + each, 0) / shares.length).toBeLessThan(0.15);
  });

  it("grows: itself first, no place twice, each size the beginning of the next", () => {
    const large = growEntries(kind, entries, 900, WORDS);
    expect(large).toHaveLength(900);
    expect(new Set(large.slice(0, entries.length))).toEqual(new Set(entries));
    expect(new Set(large.map((each) => placeOf(each.server, keyOf(each)))).size).toBe(900);
    expect(growEntries(kind, entries, 300, WORDS)).toEqual(large.slice(0, 300));
  });

  it("grows entries that are built as its own are", () => {
    const members = (each: BenchEntry) => Object.keys(each.definition).toSorted().join();
    const known = new Set(entries.map(members));
    const grown = growEntries(kind, entries, 900, WORDS).slice(entries.length);
    for (const each of grown) {
      expect(known).toContain(members(each));
      for (const argument of argumentsOf(each)) expect(argument["name"]).toMatch(/^[a-z_]+$/);
    }
    for (const each of grown.filter(isTemplate)) {
      expect(keyOf(each)).toMatch(/^([^{}]|\{[+?]?[a-z,]+\})*$/);
    }
  });
});

describe("a set's entries", () => {
  it("have a server and a URI, a template or a name, each once", () => {
    const list = [
      { server: "a", definition: { uri: "x://1", name: "one" } },
      { server: "a", definition: { uriTemplate: "x://{id}" } },
      { server: "b", definition: { uri: "x://1" } },
      { server: "b", definition: { name: "one" } },
    ];
    expect(readEntries(list.map(row)).map(keyOf)).toEqual(["x://1", "x://{id}", "x://1", "one"]);
    expect(() => readEntries([row(list[0]), row(list[0])])).toThrow("set.jsonl:7: x://1 comes twice");
  });

  it("are refused with their place, whatever they are", () => {
    for (const value of [null, [], { server: "a" }, { server: "a", definition: {} }]) {
      expect(() => readEntries([row(value)])).toThrow(/^set\.jsonl:7: an entry has a /);
    }
  });
});

describe("a set's queries", () => {
  const entries = [entry("a", { uri: "x://1" }), entry("a", { uri: "x://2" }), entry("b", { uri: "x://2" })];
  const query = { id: "q", query: "one", how: "plain", right: ["x://1"] };

  it("have as gold the place of each entry that answers them", () => {
    const gold = [{ tool: placeOf("a", "x://1"), anyOf: [placeOf("a", "x://1")], relevance: 1 }];
    expect(readAsked([row(query)], entries)).toEqual([{ id: "q", query: "one", how: "plain", gold }]);
    expect(readAsked([row({ ...query, right: [] })], entries)).toMatchObject([{ gold: [] }]);
  });

  it.each([["x://2"], ["x://3"], [3]])("are refused where %s is no one entry", (right) => {
    expect(() => readAsked([row({ ...query, right: [right] })], entries)).toThrow(`${right} is no one entry`);
  });

  it("are refused where they are none", () => {
    for (const value of [3, { ...query, id: 1 }, { ...query, how: undefined }, { ...query, right: "x" }]) {
      expect(() => readAsked([row(value)], entries)).toThrow(/^set\.jsonl:7: /);
    }
  });
});

describe("the tokens of MCP's own lists", () => {
  const counter = committedCounter();

  it("are those of every entry, templates in a list of their own", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (uris, templates) => {
        const definitions = uris.map((uri) => ({ uri }));
        const uriTemplates = templates.map((uriTemplate) => ({ uriTemplate }));
        const entries = [...definitions, ...uriTemplates].map((definition) => entry("a", definition));
        expect(nativeListTokens("resource", entries, counter)).toBe(
          counter.count(JSON.stringify({ resources: definitions })) +
            counter.count(JSON.stringify({ resourceTemplates: uriTemplates })),
        );
      }),
    );
    const prompts = [{ name: "p", arguments: [{ name: "a" }] }];
    expect(
      nativeListTokens(
        "prompt",
        prompts.map((prompt) => entry("a", prompt)),
        counter,
      ),
    ).toBe(counter.count(JSON.stringify({ prompts })));
  });
});
