import { SUMMARY_LINE_JUDGED_CHARS, SUMMARY_OUTLINE_MAX_COUNT } from "../../../limits.ts";
import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { counted, owned } from "../cut.ts";
import { fit } from "../fit.ts";
import { LineSplitter } from "../lines/line-splitter.ts";
import { seen } from "../neutral.ts";
import type { Language } from "./languages.ts";

interface Definition {
  readonly line: number;
  readonly text: string;
}

const KEPT_CHARS = 100;
const NAME_POINTS = 60;
const COMMENT = /^\s*(?:#|\/\/|\/?\*|--|<!--|"""|''')/;
const DEFINITIONS_PROPOSED_COUNT = 2;
const DEFINITION_MAX_LINES = 200;

/** Program text: what is defined in it, and where. */
export class CodeAnalyser implements Analyser {
  readonly #splitter = new LineSplitter(
    (head, units, line) => this.#line(head, units > head.length, line),
    SUMMARY_LINE_JUDGED_CHARS,
  );
  readonly #language: Language;
  readonly #definitions: Definition[] = [];
  #count = 0;
  #blank = 0;
  #comment = "";
  /** The three quotes that end the string of several lines at hand, of Python. */
  #quotes: string | undefined;

  constructor(language: Language) {
    this.#language = language;
  }

  push(piece: string): void {
    this.#splitter.push(piece);
  }

  finish(): Summary {
    const lines = this.#splitter.finish();
    return { kind: "code", text: fit((room) => this.#compose(room, lines)), views: this.#views(lines) };
  }

  get retainedChars(): number {
    return this.#definitions.reduce(
      (sum, { text }) => sum + text.length,
      this.#comment.length + this.#splitter.retainedChars,
    );
  }

  #line(head: string, cut: boolean, line: number): void {
    if (head.trim() === "") {
      this.#blank += 1;
      return;
    }
    if (this.#comment === "" && this.#count === 0 && COMMENT.test(head) && /[A-Za-z]{3}/.test(head)) {
      if (!head.startsWith("#!")) this.#comment = owned(head.slice(0, 2 * KEPT_CHARS));
    }
    const within = this.#quotes !== undefined;
    // Of a line that long nobody knows what it opens, and a string that does not end would hide all that follows.
    if (this.#language.name === "Python") this.#quotes = cut ? undefined : quotesAfter(head, this.#quotes);
    const found = within ? null : this.#language.definition.exec(head);
    if (found === null) return;
    this.#count += 1;
    if (this.#definitions.length >= SUMMARY_OUTLINE_MAX_COUNT) return;
    const indent = /^ */.exec(head)?.[0] ?? "";
    const text = `${indent}${found[1] ?? ""} ${found[2] ?? ""}`.trimEnd();
    this.#definitions.push({ line, text: owned(text.slice(0, KEPT_CHARS)) });
  }

  #compose(room: number, lines: number): string[] {
    const blank = this.#blank > 0 ? `, ${counted(this.#blank, "empty one", "empty ones")} among them` : "";
    const head = [
      `${this.#language.name} of ${counted(lines, "line")}, numbered from 0${blank}`,
      this.#comment === "" ? "" : `first comment: ${seen(this.#comment, 160)}`,
    ];
    if (this.#count === 0) return head;
    const shown: string[] = [];
    let used = head.join("").length + 60;
    // Where not all have room, those at the margin come first.
    const all = this.#definitions;
    const outer = all.filter(({ text }) => !text.startsWith(" "));
    const size = (each: readonly Definition[]): number =>
      each.reduce((sum, { text }) => sum + text.length + 7, 0);
    const chosen = size(all) <= room - used || outer.length === 0 ? all : outer;
    for (const { line, text } of chosen) {
      const item = `${line} ${seen(text, NAME_POINTS)}`;
      if (shown.length > 0 && used + item.length + 2 > room) break;
      shown.push(item);
      used += item.length + 2;
    }
    const hidden = this.#count - shown.length;
    return [
      ...head,
      `${counted(this.#count, "definition")}, with their lines: ${shown.join(", ")}${hidden > 0 ? `, …${hidden} more` : ""}`,
    ];
  }

  #views(lines: number): ProposedView[] {
    const views = this.#definitions
      .slice(0, DEFINITIONS_PROPOSED_COUNT)
      .map(({ line, text }, index): ProposedView => {
        const next = this.#definitions[index + 1]?.line ?? lines;
        const end = Math.min(lines, next, line + DEFINITION_MAX_LINES);
        return {
          selector: { type: "lines", start: line, end: Math.max(line + 1, end) },
          label: seen(text, NAME_POINTS),
        };
      });
    return [
      { selector: { type: "lines", start: 0, end: Math.min(lines, 100) }, label: "the beginning" },
      ...views,
    ];
  }
}

const QUOTES = /"""|'''|\\.|#|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

/** Which triple quotes are open behind a line of Python, given those before it. */
function quotesAfter(line: string, before: string | undefined): string | undefined {
  let open = before;
  if (open === undefined && !line.includes('"""') && !line.includes("'''")) return undefined;
  let at = 0;
  while (at < line.length) {
    if (open !== undefined) {
      const end = line.indexOf(open, at);
      if (end < 0) return open;
      at = end + 3;
      // An escaped quote ends nothing.
      if (isEscaped(line, end)) at = end + 1;
      else open = undefined;
      continue;
    }
    QUOTES.lastIndex = at;
    const found = QUOTES.exec(line);
    if (found === null || found[0] === "#") return undefined;
    at = QUOTES.lastIndex;
    if (found[0] === '"""' || found[0] === "'''") open = found[0];
  }
  return open;
}

function isEscaped(line: string, at: number): boolean {
  let from = at;
  while (from > 0 && line[from - 1] === "\\") from -= 1;
  return (at - from) % 2 === 1;
}
