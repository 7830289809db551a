import { SUMMARY_SNIFF_CHARS } from "../../limits.ts";
import type { Analyser, Summary, SummaryHint } from "./analyser.ts";
import { analyserFor } from "./kind.ts";
import { TextAnalyser } from "./lines/text-analyser.ts";

export type { Summary, SummaryHint } from "./analyser.ts";

/** Summarises a text that comes in pieces. */
export interface Summariser {
  push(text: string): void;
  /** What it holds of the text, in UTF-16 units; two bytes each are at most `SUMMARY_STATE_MAX_BYTES`. */
  readonly retainedChars: number;
  /** Once, after the last piece. */
  finish(): Summary;
}

/**
 * Opens a summariser. A plain text's summary has at most `SUMMARY_MAX_CODE_POINTS`, any other at most
 * `SUMMARY_STRUCTURED_MAX_CODE_POINTS` and, as `estimateTokens` counts, `SUMMARY_STRUCTURED_MAX_TOKENS`. Every number in it
 * is true of the whole text, or says of which part it is true. The state is bounded by `SUMMARY_STATE_MAX_BYTES`. The same
 * text gives the same summary, however it is cut into pieces. No line of a summary begins like one of the gateway's own.
 */
export function openSummariser(hint: SummaryHint = {}): Summariser {
  return new SniffingSummariser(hint);
}

/** The summary of a text that is at hand. */
export function summarise(text: string, hint: SummaryHint = {}): Summary {
  const summariser = openSummariser(hint);
  summariser.push(text);
  return summariser.finish();
}

class SniffingSummariser implements Summariser {
  readonly #hint: SummaryHint;
  /** Until the kind is decided. */
  #held = "";
  /** Always reads along, in case the text is not what it seemed. */
  readonly #text = new TextAnalyser();
  #analyser: Analyser | undefined;
  #decided = false;

  constructor(hint: SummaryHint) {
    this.#hint = hint;
  }

  push(text: string): void {
    let rest = text;
    if (!this.#decided) {
      const room = SUMMARY_SNIFF_CHARS - this.#held.length;
      this.#held += rest.slice(0, room);
      rest = rest.slice(room);
      if (this.#held.length < SUMMARY_SNIFF_CHARS) return;
      this.#decide(false);
    }
    this.#pass(rest);
  }

  get retainedChars(): number {
    return this.#held.length + this.#text.retainedChars + (this.#analyser?.retainedChars ?? 0);
  }

  finish(): Summary {
    if (!this.#decided) this.#decide(true);
    return this.#analyser?.finish() ?? this.#text.finish();
  }

  #decide(whole: boolean): void {
    this.#decided = true;
    this.#analyser = analyserFor(this.#held, whole, this.#hint);
    this.#pass(this.#held);
    this.#held = "";
  }

  #pass(piece: string): void {
    if (piece === "") return;
    this.#text.push(piece);
    this.#analyser?.push(piece);
  }
}
