import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cardLine } from "../../../src/catalog/cards/card-line.ts";
import { callSchema } from "../../../src/catalog/primitives/call-schema.ts";
import { argumentLabels, primitiveCard } from "../../../src/catalog/primitives/primitive-card.ts";
import { CARD_LINE_HARD_TOKENS, CARD_LINE_TARGET_TOKENS } from "../../../src/limits.ts";
import { committedCounter } from "../../../scripts/committed-ranks.ts";

const counter = committedCounter();
const ID = "prompt::docs:summarize#aea9ce2a";

function lineOf(description: string, names: readonly string[], id = ID) {
  const definition = {
    name: "summarize",
    description,
    arguments: names.map((name, at) => ({ name, required: at === 0 })),
  };
  const schema = callSchema("prompt", definition);
  const input = {
    kind: "prompt",
    id,
    namespace: "docs",
    upstreamName: "summarize",
    definition,
    schema,
  } as const;
  const labels = argumentLabels(schema);
  const line = cardLine(primitiveCard(input), counter, labels);
  if (!line.ok) throw new Error(line.reason.reason);
  return line.value;
}

describe("the line of what takes arguments", () => {
  it("names them behind the description, those that may be left out with ?", () => {
    expect(lineOf("Sums up.", ["text", "style"]).line).toBe(`${ID} — Sums up. (args: text, style?)`);
  });

  it("cuts the description first, and keeps all arguments that leave it some room", () => {
    const { line, tokens } = lineOf("Sums up what a text says and ".repeat(30), ["text", "style"]);
    expect(line).toMatch(/^prompt::docs:summarize#aea9ce2a — Sums up .*… \(args: text, style\?\)$/);
    expect(tokens).toBeLessThanOrEqual(CARD_LINE_TARGET_TOKENS);
  });

  it("shows as many as there is room for, and that there are more", () => {
    const { line } = lineOf(
      "Sums up a text.",
      Array.from({ length: 200 }, (_, at) => `argument_${at}`),
    );
    expect(line).toMatch(/ — Sums up a text\. \(args: argument_0, .*argument_\d+\?, …\)$/);
  });

  it("has no mark in a name that could end the list", () => {
    const { line } = lineOf("Sums up.", ["a) — (args: b", "c,d", "e?\n"]);
    expect(line).toBe(`${ID} — Sums up. (args: a — args: b, c d?, e?)`);
  });

  it("stays within its bounds, and its card gives the same line again", () => {
    const names = fc.array(fc.string({ unit: "binary", maxLength: 40 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), names, (description, all) => {
        const { card, line, tokens } = lineOf(description, all);
        expect(tokens).toBeLessThanOrEqual(CARD_LINE_HARD_TOKENS);
        expect(line.includes("\n")).toBe(false);
        const again = cardLine(card, counter);
        expect(again.ok && again.value.line).toBe(line);
      }),
      { numRuns: 100 },
    );
  });
});
