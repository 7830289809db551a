import type { TokenCounter } from "../../../../src/tokens/token-counter.ts";
import { outcomeOf } from "../../../../test/firewall/corpus/outcome.ts";
import type { Question, ResultCase } from "../../../../test/fixtures/results/kit/result-case.ts";
import { isAnswered, says } from "../../../../test/support/result-corpus.ts";
import { COUNTED_WHOLE_MAX_CHARS, countTokens } from "./count.ts";
import { firstChars, firstTokens } from "./cut.ts";
import { modelText, wholeText } from "./model-text.ts";

/** Where a model's view is a beginning: short enough for many calls, and what a gateway in use has as its default. */
const SHORT_CUT_CHARS = 2_000;
const LONG_CUT_CHARS = 20_000;

/** What a model has before it: cl100k tokens, and how many of the questions can be answered from it. */
export interface Reading {
  readonly tokens: number;
  readonly answered: number;
}

/** What one result, or all of a kind, costs and tells. */
export interface ReadingFigures {
  readonly results: number;
  /** UTF-8 bytes of what the results say. */
  readonly bytes: number;
  /** Results whose tokens are counted in samples. */
  readonly sampled: number;
  readonly questions: number;
  /** Everything is passed through. */
  readonly passed: Reading;
  readonly first_2000: Reading;
  readonly first_20000: Reading;
  /** The beginning that has as many tokens as the firewall shows. */
  readonly first_as_many: Reading;
  /** Answered at sight. */
  readonly firewall: Reading;
  /** Answered with at most three views more; the tokens are those of all views that the questions took, calls included. */
  readonly views: Reading & { readonly looks: number };
}

/** Runs one case through the whole gateway, asks its questions, and asks them of what others would show. */
export async function caseFigures(each: ResultCase, counter: TokenCounter): Promise<ReadingFigures> {
  const whole = wholeText(each.result());
  const outcome = await outcomeOf(each);
  const shown = modelText(outcome.content);
  const shownTokens = countTokens(shown, counter);
  const questions = each.questions ?? [];
  const reading = (text: string): Reading => ({
    tokens: countTokens(text, counter),
    answered: questions.filter(({ answer }) => says(text, answer)).length,
  });
  const views = { tokens: 0, looks: 0, answered: 0 };
  const look = async ({ kept, selector }: Question["looks"][number]): Promise<string | undefined> => {
    const handle = outcome.kept[kept]?.handle;
    if (handle === undefined) return undefined;
    const { refused, text, next } = await outcome.view(handle, selector);
    const call = JSON.stringify({ name: "tool_view", input: { handle, selector } });
    const more = next === undefined ? "" : `\nnext: ${JSON.stringify(next)}`;
    views.looks += 1;
    views.tokens += counter.count(call) + countTokens(text + more, counter);
    return refused ? undefined : text;
  };
  for (const question of questions) {
    if (await isAnswered(question, shown, look)) views.answered += 1;
  }
  return {
    results: 1,
    bytes: Buffer.byteLength(whole),
    sampled: whole.length > COUNTED_WHOLE_MAX_CHARS ? 1 : 0,
    questions: questions.length,
    passed: reading(whole),
    first_2000: reading(firstChars(whole, SHORT_CUT_CHARS)),
    first_20000: reading(firstChars(whole, LONG_CUT_CHARS)),
    first_as_many: reading(firstTokens(whole, shownTokens, counter)),
    firewall: { tokens: shownTokens, answered: reading(shown).answered },
    views,
  };
}
