import {
  CARD_DESCRIPTION_ROOM_TOKENS,
  CARD_LINE_HARD_TOKENS,
  CARD_LINE_TARGET_TOKENS,
} from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import { fitsTokens, type TokenCounter } from "../../tokens/token-counter.ts";
import { CACHE_BREAKPOINT_CARD, type Card, orderedCard } from "./card.ts";
import { displayText } from "./display-text.ts";
import { lineTags } from "./tags.ts";
import { truncateToTokens } from "./truncate.ts";

/** A card as it is shown: the description cut to the line's budget, the line, and what the line costs. */
export interface CardLine {
  readonly card: Card;
  readonly line: string;
  /** cl100k tokens of the line, without the line end. */
  readonly tokens: number;
}

/** Why a card has no line: its tool is skipped, and the rest of the catalog stays. */
export type CardLineReason =
  | { readonly reason: "id_not_one_word"; readonly id: string }
  | { readonly reason: "line_too_long"; readonly id: string; readonly maxTokens: number };

const SAFETY_WORDS = { destructive: " destructive", read_only: " read-only" };

function safetyWord(card: Card): string {
  if (card.safety !== "") return SAFETY_WORDS[card.safety];
  return card.side_effects ? " side effects" : "";
}

/**
 * `<id> — <description>[ [tag, tag]][ destructive| read-only| side effects][ cost 0.50]`. What a description imitates of
 * this stands in front of the real thing: a tool's line always ends with the words that we put there.
 */
function renderLine(card: Card, description: string): string {
  if (card.id === CACHE_BREAKPOINT_CARD.id) return card.id;
  const tags = lineTags(card.tags);
  return [
    `${card.id} — ${description}`,
    tags.length === 0 ? "" : ` [${tags.join(", ")}]`,
    safetyWord(card),
    card.cost_hint > 0 ? ` cost ${card.cost_hint.toFixed(2)}` : "",
  ].join("");
}

/**
 * The description in full if its line is within the target, else cut to what the rest of the line leaves (seed §2.3). What
 * stands behind it stays.
 */
function fittedDescription(card: Card, behind: string, counter: TokenCounter): string {
  const whole = displayText(card.description);
  if (fitsTokens(renderLine(card, whole + behind), CARD_LINE_TARGET_TOKENS, counter)) return whole + behind;
  const frame = counter.count(renderLine(card, behind), CARD_LINE_TARGET_TOKENS);
  return truncateToTokens(whole, Math.max(CARD_LINE_TARGET_TOKENS - frame, 1), counter) + behind;
}

/**
 * ` (args: a, b?)`: as many arguments as leave the description some room, and `…` where that is not all of them; where there
 * is room for none, nothing.
 */
function argumentsNote(card: Card, labels: readonly string[], counter: TokenCounter): string {
  const most = CARD_LINE_TARGET_TOKENS - CARD_DESCRIPTION_ROOM_TOKENS;
  const noteOf = (count: number): string => {
    const shown = labels.slice(0, count);
    return ` (args: ${(count < labels.length ? [...shown, "…"] : shown).join(", ")})`;
  };
  let note = "";
  for (let count = 1; count <= labels.length; count += 1) {
    const longer = noteOf(count);
    if (!fitsTokens(renderLine(card, longer), most, counter)) break;
    note = longer;
  }
  return note;
}

/**
 * The line of a card and the card that goes with it, or why there is none. At most `CARD_LINE_HARD_TOKENS`, mostly within
 * the target; only the description is ever cut, and what it takes (`labels`), which stands behind it. The cut card gives the
 * same line again.
 */
export function cardLine(
  card: Card,
  counter: TokenCounter,
  labels: readonly string[] = [],
): Result<CardLine, CardLineReason> {
  // An id with a space or a line end in it could be read as another card's line.
  if (/\s/.test(card.id) || displayText(card.id) !== card.id || card.id === "") {
    return fail({ reason: "id_not_one_word", id: card.id });
  }
  const description = fittedDescription(card, argumentsNote(card, labels, counter), counter);
  const line = renderLine(card, description);
  if (!fitsTokens(line, CARD_LINE_HARD_TOKENS, counter)) {
    return fail({ reason: "line_too_long", id: card.id, maxTokens: CARD_LINE_HARD_TOKENS });
  }
  return ok({ card: orderedCard({ ...card, description }), line, tokens: counter.count(line) });
}

/**
 * What lines cost as one text, at most, from their stored counts and without a tokenizer. A line ends in one of our own
 * words, which the tokenizer never joins with a line end or with what follows it: each line end is one token more.
 */
export function browseTokenBound(lineTokens: readonly number[]): number {
  return lineTokens.reduce((sum, tokens) => sum + tokens, Math.max(lineTokens.length - 1, 0));
}
