import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { caseFigures } from "../../../../scripts/bench/firewall/reading/case-figures.ts";
import { COUNTED_WHOLE_MAX_CHARS, countTokens } from "../../../../scripts/bench/firewall/reading/count.ts";
import { firstChars, firstTokens } from "../../../../scripts/bench/firewall/reading/cut.ts";
import {
  measureKinds,
  SMALL_KIND,
  sumOfAll,
} from "../../../../scripts/bench/firewall/reading/kind-figures.ts";
import { modelText, wholeText } from "../../../../scripts/bench/firewall/reading/model-text.ts";
import { committedCounter } from "../../../../scripts/committed-ranks.ts";
import {
  ask,
  grep,
  head,
  lines,
  type ResultCase,
  textResult,
} from "../../../fixtures/results/kit/result-case.ts";

const counter = committedCounter();
const NOTE = "The harbour opens at six.";
const small: ResultCase = {
  name: "note",
  kind: "plain text",
  small: true,
  result: () => textResult(NOTE),
  questions: [ask("When does the harbour open?", "six")],
};
const LINES = Array.from({ length: 6_000 }, (_, line) => {
  const what = line === 2_900 ? "INFO berth=zeelandia is taken" : "INFO all is well";
  return `2026-03-03T04:05:06Z ${what}, line ${line}`;
});
const LOG = LINES.join("\n");
const log = (questions: ResultCase["questions"]): ResultCase => ({
  name: "log",
  kind: "log",
  result: () => textResult(LOG),
  ...(questions === undefined ? {} : { questions }),
});

describe("what a model reads", () => {
  const text = { type: "text", text: "shown" };

  it("is text as it is and the rest as JSON, without the data of images and sound", () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const link = { type: "resource_link", uri: "file:///x", name: "x" };
    expect(modelText([text, image, link])).toBe(
      `shown\n{"type":"image","mimeType":"image/png"}\n${JSON.stringify(link)}`,
    );
  });

  it("has structured content once, whether the text says it or not", () => {
    const structuredContent = { berths: [1, 2] };
    const same = { content: [{ type: "text", text: '{ "berths": [1,\n2] }' }], structuredContent };
    expect(wholeText(same)).toBe('{ "berths": [1,\n2] }');
    expect(wholeText({ content: [text], structuredContent })).toBe('shown\n{"berths":[1,2]}');
    expect(wholeText({ structuredContent })).toBe('{"berths":[1,2]}');
  });
});

describe("a text's tokens", () => {
  it("are counted, and of a long text estimated from samples of all of it", () => {
    expect(countTokens(NOTE, counter)).toBe(counter.count(NOTE));
    expect(LOG.length).toBeGreaterThan(COUNTED_WHOLE_MAX_CHARS);
    const [sampled, exact] = [countTokens(LOG, counter), counter.count(LOG)];
    expect(Math.abs(sampled - exact) / exact).toBeLessThan(0.01);
    // Where only the end costs, the beginning does not speak for it.
    const uneven = " ".repeat(2 * COUNTED_WHOLE_MAX_CHARS) + LOG.slice(0, 2 * COUNTED_WHOLE_MAX_CHARS);
    expect(Math.abs(countTokens(uneven, counter) / counter.count(uneven) - 1)).toBeLessThan(0.1);
  });
});

describe("a cut text", () => {
  it("is a beginning of so many characters at most, and never ends within a pair", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(30), (text, chars) => {
        const cut = firstChars(text, chars);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.length === text.length || cut.length === chars || cut.length === chars - 1).toBe(true);
        // Characters are whole again once they have been bytes.
        expect(Buffer.from(cut).toString()).toBe(cut);
      }),
    );
  });

  it("is a beginning of so many tokens at most, and all of a text that has no more", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(40), (text, tokens) => {
        const cut = firstTokens(text, tokens, counter);
        expect(text.startsWith(cut)).toBe(true);
        expect(counter.count(cut)).toBeLessThanOrEqual(tokens);
        expect(cut === text).toBe(counter.count(text) <= tokens);
      }),
      { numRuns: 50 },
    );
    expect(firstTokens("one two three four", 2, counter)).toBe("one two");
  });
});

describe("one result's figures", () => {
  it("are the same everywhere for a small one", async () => {
    const tokens = counter.count(NOTE);
    const reading = { tokens, answered: 1 };
    expect(await caseFigures(small, counter)).toEqual({
      results: 1,
      bytes: NOTE.length,
      sampled: 0,
      questions: 1,
      passed: reading,
      first_2000: reading,
      first_20000: reading,
      first_as_many: reading,
      firewall: reading,
      views: { tokens: 0, looks: 0, answered: 1 },
    });
  });

  it("tell what is seen at once from what a view shows, and what that view costs", async () => {
    const where = ask("Which berth is taken?", "zeelandia", head(100), grep("berth="));
    const figures = await caseFigures(log([where, ask("How does it begin?", "T04:05:06Z")]), counter);
    expect(figures.passed).toEqual({ tokens: countTokens(LOG, counter), answered: 2 });
    expect(figures.firewall.answered).toBe(1);
    expect(figures.firewall.tokens).toBeLessThan(figures.passed.tokens / 100);
    expect(
      [figures.first_2000, figures.first_20000, figures.first_as_many].map(({ answered }) => answered),
    ).toEqual([1, 1, 1]);
    expect(figures.first_as_many.tokens).toBeLessThanOrEqual(figures.firewall.tokens);
    expect(figures.first_2000.tokens).toBe(counter.count(LOG.slice(0, 2_000)));
    expect(figures.views).toMatchObject({ looks: 2, answered: 2 });
    // Two calls with a handle, a hundred characters, and a line with its number.
    expect(figures.views.tokens).toBeGreaterThan(100);
    expect(figures.views.tokens).toBeLessThan(400);
  });

  it("take no fourth view", async () => {
    const looks = [head(10), lines(1, 2), grep("no such thing"), grep("zeelandia")];
    const { views } = await caseFigures(log([ask("Which berth?", "zeelandia", ...looks)]), counter);
    expect(views).toMatchObject({ looks: 3, answered: 0 });
  });
});

describe("the figures of a kind", () => {
  it("are sums of its results, small ones in a row of their own", async () => {
    const rows = await measureKinds([small, log(undefined), small, log(undefined)], counter);
    const [logs, others] = rows;
    expect(rows.map(({ kind, results }) => [kind, results])).toEqual([
      ["log", 2],
      [SMALL_KIND, 2],
    ]);
    expect(logs).toMatchObject({ bytes: 2 * LOG.length, sampled: 2, questions: 0 });
    expect(others).toMatchObject({ questions: 2, firewall: { answered: 2 } });
    const all = sumOfAll(rows);
    expect(all.results).toBe(4);
    expect(all.passed.tokens).toBe((logs?.passed.tokens ?? 0) + (others?.passed.tokens ?? 0));
  });
});
