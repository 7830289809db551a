import {
  SUMMARY_MAX_CODE_POINTS,
  SUMMARY_TEXT_HEAD_CHARS,
  SUMMARY_TEXT_MAX_TOKENS,
  VIEW_LINES_PROPOSED_COUNT,
} from "../../../limits.ts";
import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { estimateTokens } from "../../result/token-estimate.ts";
import { cutWithin, firstPoints, grouped, owned, unitsWithin } from "../cut.ts";
import { plainText } from "../neutral.ts";
import { LineSplitter } from "./line-splitter.ts";

const BLANK_LINE = /\n[ \t]*\n/;
/** A sentence ends with its mark and a space after it; the marks of CJK need none. */
const SENTENCE_END = /[.!?](?=\s)|[。！？]/gu;
const BASE64_ONLY = /^[A-Za-z0-9+/=_\r\n-]*$/;
/** Shorter is a word or a key. */
const BASE64_MIN_CHARS = 256;
const BASE64_SHOWN_CHARS = 40;

/**
 * Plain text: its first paragraph, if need be cut to its last whole sentence that fits, else inside a word. At most
 * `SUMMARY_MAX_CODE_POINTS`, the mark of a cut included. What it does not show is told by the line of the artifact.
 */
export class TextAnalyser implements Analyser {
  readonly #lines = new LineSplitter(() => {});
  #head = "";
  #begun = false;
  /** Units from the first sign that is no white space. */
  #units = 0;
  #base64 = true;
  #base64Chars = 0;

  push(piece: string): void {
    this.#lines.push(piece);
    let start = 0;
    if (!this.#begun) {
      start = piece.search(/\S/);
      if (start < 0) return;
      this.#begun = true;
    }
    this.#units += piece.length - start;
    if (this.#base64) this.#countBase64(piece, start);
    const room = SUMMARY_TEXT_HEAD_CHARS - this.#head.length;
    if (room > 0) this.#head = owned(this.#head + piece.slice(start, start + room));
  }

  get retainedChars(): number {
    return this.#head.length + this.#lines.retainedChars;
  }

  finish(): Summary {
    return { kind: "text", text: this.#text(), views: this.#views(this.#lines.finish()) };
  }

  #text(): string {
    if (this.#base64 && this.#base64Chars >= BASE64_MIN_CHARS && looksEncoded(this.#head)) {
      return `base64 text, ${grouped(this.#base64Chars)} characters: ${this.#head.slice(0, BASE64_SHOWN_CHARS)}…`;
    }
    return withinTokens(firstParagraph(this.#head, this.#head.length === this.#units));
  }

  #views(lines: number): ProposedView[] {
    if (lines <= 1) return [{ selector: { type: "head", chars: 4_000 }, label: "the beginning" }];
    return [
      { selector: { type: "lines", start: 0, end: VIEW_LINES_PROPOSED_COUNT }, label: "the beginning" },
      { selector: { type: "lines", start: -Math.min(lines, 50) }, label: "the end" },
    ];
  }

  #countBase64(piece: string, start: number): void {
    const rest = start === 0 ? piece : piece.slice(start);
    this.#base64 = BASE64_ONLY.test(rest);
    if (!this.#base64) return;
    for (let index = 0; index < rest.length; index += 1) {
      const unit = rest.charCodeAt(index);
      if (unit !== 0x0a && unit !== 0x0d) this.#base64Chars += 1;
    }
  }
}

/** `whole`: whether nothing follows what is given. */
function firstParagraph(head: string, whole: boolean): string {
  const text = plainText(whole ? head : unitsWithin(head, head.length));
  const blank = BLANK_LINE.exec(text);
  const paragraph = (blank === null ? text : text.slice(0, blank.index)).trimEnd();
  const ended = blank !== null || whole;
  const points = Array.from(paragraph);
  if (ended && points.length <= SUMMARY_MAX_CODE_POINTS) return paragraph;
  const fitting = points.slice(0, SUMMARY_MAX_CODE_POINTS).join("");
  let end = 0;
  for (const match of fitting.matchAll(SENTENCE_END)) end = match.index + match[0].length;
  return end > 0 ? fitting.slice(0, end) : firstPoints(points, SUMMARY_MAX_CODE_POINTS);
}

/** Signs that cost several tokens each are fewer. */
function withinTokens(text: string): string {
  let shown = text;
  for (let points = SUMMARY_MAX_CODE_POINTS; estimateTokens(shown) > SUMMARY_TEXT_MAX_TOKENS;) {
    points = Math.floor(points * 0.85);
    shown = cutWithin(text, points);
  }
  return shown;
}

/** Words and keys have no such mixture, and base64 of any length has. */
function looksEncoded(head: string): boolean {
  return /[a-z]/.test(head) && /[A-Z]/.test(head) && /[0-9]/.test(head) && !/\n[\r\n]*\n/.test(head);
}
