import { SUMMARY_OUTLINE_ENTRY_MAX_CHARS, SUMMARY_RECORD_KEYS_MAX_COUNT } from "../../../limits.ts";
import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { counted, grouped, owned } from "../cut.ts";
import { fit, listed } from "../fit.ts";
import { seen } from "../neutral.ts";
import { LineSplitter } from "./line-splitter.ts";

/** How the blocks of a text begin, and how their lines name what they hold. */
export type BlocksForm = "expanded" | "starred" | "described";

const STARTS: Readonly<Record<Exclude<BlocksForm, "described">, RegExp>> = {
  expanded: /^[-─]\[ RECORD \d{1,12} \]/,
  starred: /^\*{8,} {1,4}\d{1,12}\. row \*{8,}$/,
};
const PAIRS: Readonly<Record<BlocksForm, RegExp>> = {
  expanded: /^(\S.{0,62}?)\s*[|│] ?(.*)$/,
  starred: /^ {0,64}(\S[^:]{0,62}): ?(.*)$/,
  described: /^([A-Za-z][\w ./()-]{0,62}):(?:[ \t]+(\S.*))?$/,
};
const LINES_MIN_COUNT = 4;
const LINES_COUNT = 60;
const ENTRY_POINTS = 90;

/** The form of a text of blocks; of one that describes things, values stand below one another, and details are indented. */
export function blocksForm(lines: readonly string[]): BlocksForm | undefined {
  const first = lines.find((line) => line.trim() !== "") ?? "";
  if (STARTS.expanded.test(first)) return "expanded";
  if (STARTS.starred.test(first)) return "starred";
  const outer = lines.filter((line) => /^\S/.test(line));
  const pairs = outer.map((line) => PAIRS.described.exec(line));
  const valued = pairs.filter((pair) => pair?.[2] !== undefined);
  const places = new Set(valued.map((pair) => (pair?.[0].length ?? 0) - (pair?.[2]?.length ?? 0)));
  const isAligned = places.size === 1 && /:[ \t]{2}/.test(valued[0]?.[0] ?? "");
  return pairs.every((pair) => pair !== null) && valued.length >= LINES_MIN_COUNT && isAligned
    ? "described"
    : undefined;
}

/** Blocks of names and values, as `describe`, `\G` and `\x` print them: how many, and the first. */
export class BlocksAnalyser implements Analyser {
  readonly #form: BlocksForm;
  readonly #splitter = new LineSplitter((head, _, line) => this.#line(head, line));
  readonly #first: { readonly name: string; readonly value: string }[] = [];
  #blocks = 0;
  #names = 0;
  #lastStart = 0;
  #isFaulty = false;

  constructor(form: BlocksForm) {
    this.#form = form;
  }

  push(piece: string): void {
    this.#splitter.push(piece);
  }

  get retainedChars(): number {
    const held = this.#first.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
    return held + this.#splitter.retainedChars;
  }

  finish(): Summary | undefined {
    const lines = this.#splitter.finish();
    if (this.#isFaulty || this.#first.length === 0) return undefined;
    return { kind: "blocks", text: fit((room) => this.#compose(room, lines)), views: this.#views(lines) };
  }

  #line(head: string, line: number): void {
    if (this.#form !== "described" && STARTS[this.#form].test(head)) {
      this.#begin(line);
      return;
    }
    const [, name, value = ""] = PAIRS[this.#form].exec(head) ?? [];
    if (name === undefined) {
      // What describes a thing has nothing else at the beginning of a line.
      if (this.#form === "described" && /^\S/.test(head)) this.#isFaulty = true;
      return;
    }
    if (this.#form === "described" && (this.#blocks === 0 || name === this.#first[0]?.name))
      this.#begin(line);
    if (this.#blocks !== 1) return;
    this.#names += 1;
    if (this.#first.length < SUMMARY_RECORD_KEYS_MAX_COUNT)
      this.#first.push({ name: owned(name), value: owned(value.slice(0, SUMMARY_OUTLINE_ENTRY_MAX_CHARS)) });
  }

  #begin(line: number): void {
    this.#blocks += 1;
    this.#lastStart = line;
  }

  #compose(room: number, lines: number): string[] {
    const entries = this.#first.map(({ name, value }) => `${seen(name, 48)}: ${seen(value, ENTRY_POINTS)}`);
    const last = this.#blocks > 1 ? `; the last begins in line ${grouped(this.#lastStart)}` : "";
    return [
      `${counted(this.#blocks, "block")} of names and values in ${counted(lines, "line")}, numbered from 0${last}`,
      this.#blocks > 1 ? "the first:" : "",
      ...listed(entries, room - 160, { separator: "\n", total: this.#names }).split("\n"),
    ];
  }

  #views(lines: number): ProposedView[] {
    return [
      { selector: { type: "lines", start: 0, end: Math.min(lines, LINES_COUNT) }, label: "the first block" },
      { selector: { type: "lines", start: -Math.min(lines, LINES_COUNT) }, label: "the end" },
    ];
  }
}
