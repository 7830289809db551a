import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buildCard,
  CACHE_BREAKPOINT_CARD,
  type Card,
  type CardInput,
  navigationCard,
  orderedCard,
  withScore,
} from "../../../src/catalog/cards/card.ts";

const KEYS = [
  "id",
  "name",
  "description",
  "tags",
  "kind",
  "namespace",
  "has_schema",
  "score",
  "cost_hint",
  "side_effects",
  "safety",
];
const UNSCORED = KEYS.filter((key) => key !== "score");

const input: CardInput = {
  id: "github:create_issue#aea9ce2a",
  namespace: "github",
  upstreamName: "github.create_issue",
  description: "Create an issue.",
};

describe("a tool's card", () => {
  it("gives the golden fields", () => {
    const card = buildCard({
      ...input,
      description: "Create a new issue in a repository. ".repeat(20).trimEnd(),
      tags: ["zeta", "alpha", "beta", "gamma", "read-only", "destructive"],
      inputSchema: { a: 1 },
      annotations: { costHint: 0.5 },
    });
    expect(withScore(card, 0.5842)).toMatchObject({
      id: "github:create_issue#aea9ce2a",
      name: "github.create_issue",
      tags: ["alpha", "beta", "destructive", "gamma", "read-only"],
      kind: "tool",
      namespace: "github",
      has_schema: true,
      cost_hint: 0.5,
      side_effects: true,
      safety: "destructive",
      score: 0.5842,
    });
  });

  it("says what a tool without annotations is: from MCP, with side effects", () => {
    expect(buildCard(input)).toEqual({
      id: "github:create_issue#aea9ce2a",
      name: "github.create_issue",
      description: "Create an issue.",
      tags: ["mcp"],
      kind: "tool",
      namespace: "github",
      has_schema: false,
      cost_hint: 0,
      side_effects: true,
      safety: "",
    });
  });

  it.each([
    [{ readOnlyHint: true }, ["mcp", "read-only"], false, "read_only"],
    [{ readOnlyHint: "false" }, ["mcp"], true, ""],
    [{ destructiveHint: true }, ["destructive", "mcp"], true, "destructive"],
    [
      { readOnlyHint: true, destructiveHint: true },
      ["destructive", "mcp", "read-only"],
      false,
      "destructive",
    ],
  ])("maps the annotations %j", (annotations, tags, sideEffects, safety) => {
    expect(buildCard({ ...input, annotations })).toMatchObject({ tags, side_effects: sideEffects, safety });
  });

  it.each([
    ["Says it.", "Title", undefined, "Says it."],
    [" \n\u200D", "A title", undefined, "A title"],
    [undefined, undefined, { title: "An older title" }, "An older title"],
    [7, null, { title: 7 }, "github.create_issue"],
    ["", "", {}, "github.create_issue"],
  ])("describes %j, %j, %j", (description, title, annotations, expected) => {
    expect(buildCard({ ...input, description, title, annotations }).description).toBe(expected);
  });

  it.each([
    [{ type: "object" }, true],
    [{}, false],
    [[1], false],
    [null, false],
    ["{}", false],
    [undefined, false],
  ])("knows whether %j is a schema with anything in it", (inputSchema, expected) => {
    expect(buildCard({ ...input, inputSchema }).has_schema).toBe(expected);
  });

  it("never carries the schema or an annotation that has no field", () => {
    const text = JSON.stringify(
      buildCard({
        ...input,
        inputSchema: { secretproperty: 1 },
        annotations: { openWorldHint: true, url: "https://x.example" },
      }),
    );
    expect(text).not.toMatch(/secretproperty|openWorld|x\.example/);
  });

  it("cuts a 10 KB name by code points and makes it well-formed", () => {
    expect(buildCard({ ...input, upstreamName: "😀".repeat(5_000) }).name).toBe("😀".repeat(64));
    expect(buildCard({ ...input, upstreamName: "a\u{D800}b" }).name).toBe("a\u{FFFD}b");
  });

  it("answers anything with bounded fields in the contract's order, whose UTF-8 bytes are stable", () => {
    fc.assert(
      fc.property(
        fc.record({
          upstreamName: fc.string({ unit: "binary" }),
          title: fc.anything(),
          description: fc.oneof(fc.anything(), fc.string({ unit: "binary" })),
          annotations: fc.anything(),
          inputSchema: fc.anything(),
          tags: fc.array(fc.string({ unit: "binary" })),
        }),
        (foreign) => {
          const card = buildCard({ id: input.id, namespace: input.namespace, ...foreign });
          expect(Object.keys(card)).toEqual(UNSCORED);
          expect(Array.from(card.name).length).toBeLessThanOrEqual(64);
          expect(card.description).not.toBe("");
          const json = JSON.stringify(card);
          expect(new TextDecoder().decode(new TextEncoder().encode(json))).toBe(json);
          // JSON.stringify writes a lone surrogate as an escape, which would survive UTF-8 and still not be text.
          expect(json).not.toMatch(/\\ud[89a-f]/);
        },
      ),
    );
  });

  it("does not depend on the order of tags", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(["e", "d", "destructive", "c", "read-only", "b"], { minLength: 6 }),
        (tags) => {
          expect(JSON.stringify(buildCard({ ...input, tags }))).toBe(
            JSON.stringify(buildCard({ ...input, tags: [...tags].sort() })),
          );
        },
      ),
    );
  });
});

describe("a card's form", () => {
  it("keeps the key order, whatever order the keys came in", () => {
    const card = withScore(buildCard(input), 1.5);
    const shuffled = Object.fromEntries(Object.entries(card).toReversed());
    expect(Object.keys(shuffled)).not.toEqual(KEYS);
    expect(Object.keys(orderedCard({ ...card, ...shuffled }))).toEqual(KEYS);
    expect(Object.keys(card)).toEqual(KEYS);
  });

  it("replaces a score, and has none where JSON has no number for it", () => {
    const scored: Card = withScore(buildCard(input), 0);
    expect(scored.score).toBe(0);
    expect(withScore(scored, 2).score).toBe(2);
    expect(Object.keys(withScore(scored, Number.NaN))).toEqual(UNSCORED);
  });

  it("counts a navigation card's tools in its description", () => {
    expect(JSON.stringify(navigationCard("/github/issues", 7))).toBe(
      '{"id":"/github/issues","name":"issues","description":"7 tools","tags":[],"kind":"internal","namespace":"github","has_schema":false,"cost_hint":0,"side_effects":false,"safety":""}',
    );
    expect(navigationCard("/github", 1).description).toBe("1 tool");
    expect(navigationCard("/github", 0).description).toBe("0 tools");
  });

  it("gives the breakpoint as the contract spells it", () => {
    expect(JSON.stringify(CACHE_BREAKPOINT_CARD)).toBe(
      '{"id":"__cache_breakpoint__","name":"cache_breakpoint","description":"","tags":[],"kind":"internal","namespace":"","has_schema":false,"cost_hint":0,"side_effects":false,"safety":""}',
    );
  });
});
