import { SUMMARY_LINE_HEAD_CHARS, SUMMARY_LINE_JUDGED_CHARS } from "../../../limits.ts";
import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { counted, grouped, owned, SETTLE_CHARS } from "../cut.ts";
import { fit } from "../fit.ts";
import { LineSplitter } from "../lines/line-splitter.ts";
import { seen } from "../neutral.ts";
import { MarkdownTables } from "./markdown-table.ts";
import { Outline } from "./outline.ts";

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const UNDERLINE = /^ {0,3}(?:(=+)|-+)\s*$/;
/** What no underline makes a heading of. */
const NO_PARAGRAPH = /^(?:\s*$| {4}|\t| {0,3}(?:[-*+>|]|[0-9]+[.)]) ?)/;
/** Badges, comments and rules say nothing of what a document is about. */
const NO_WORDS = /^\s*(?:$|\[!\[|!\[|<|[-*_=]{3,}\s*$|\|)/;
const OPENING_POINTS = 200;
const ROW_POINTS = 140;

/** Markdown: its outline with line numbers, how it begins, its largest table, and how many of what is in it. */
export class MarkdownAnalyser implements Analyser {
  readonly #splitter = new LineSplitter(
    (head, units, line) => this.#line(head, units, line),
    SUMMARY_LINE_JUDGED_CHARS,
  );
  readonly #outline = new Outline();
  readonly #tables = new MarkdownTables();
  #fence: string | undefined;
  #frontMatter = false;
  /** Inside of an HTML comment of several lines. */
  #comment = false;
  #codeBlocks = 0;
  #links = 0;
  #linksKnown = true;
  #before = "";
  #opening = "";

  push(piece: string): void {
    this.#splitter.push(piece);
    if (piece.length < SETTLE_CHARS) return;
    this.#tables.settle();
    this.#before = owned(this.#before);
  }

  finish(): Summary | undefined {
    const lines = this.#splitter.finish();
    this.#tables.end();
    if (this.#outline.count === 0 && this.#tables.count === 0 && this.#codeBlocks === 0) return undefined;
    return { kind: "markdown", text: fit((room) => this.#compose(room, lines)), views: this.#views(lines) };
  }

  get retainedChars(): number {
    return (
      this.#splitter.retainedChars +
      this.#outline.retainedChars +
      this.#tables.retainedChars +
      this.#before.length +
      this.#opening.length +
      (this.#fence?.length ?? 0)
    );
  }

  #line(judged: string, units: number, line: number): void {
    const inText = this.#fence === undefined && !this.#frontMatter;
    if (inText && this.#inComment(judged, units > judged.length)) return;
    const head = judged.slice(0, SUMMARY_LINE_HEAD_CHARS);
    if (line === 0 && head.trimEnd() === "---") this.#frontMatter = true;
    else if (this.#frontMatter) {
      if (/^(?:---|\.\.\.)\s*$/.test(head)) this.#frontMatter = false;
    } else if (this.#fence === undefined) this.#outside(head, units, line);
    else if (closes(head, this.#fence)) this.#fence = undefined;
  }

  /** Whether the line belongs to a comment (CommonMark §4.6, kind 2). One that is cut is taken to end with its line. */
  #inComment(line: string, cut: boolean): boolean {
    if (!this.#comment && !/^ {0,3}<!--/.test(line)) return false;
    this.#comment = !cut && !line.includes("-->");
    this.#tables.end();
    this.#before = "";
    return true;
  }

  #outside(head: string, units: number, line: number): void {
    const fence = FENCE.exec(head);
    if (fence?.[1] !== undefined && !(fence[1].startsWith("`") && (fence[2] ?? "").includes("`"))) {
      this.#fence = fence[1];
      this.#codeBlocks += 1;
      this.#tables.end();
      this.#before = "";
      return;
    }
    this.#tables.line(head, line);
    this.#countLinks(head, units);
    const heading = HEADING.exec(head);
    const underline = UNDERLINE.exec(head);
    if (heading?.[1] !== undefined) {
      this.#outline.add(heading[1].length, (heading[2] ?? "").replace(/[ \t]+#+[ \t]*$/, ""), line);
      this.#before = "";
    } else if (underline !== null && !NO_PARAGRAPH.test(this.#before)) {
      this.#outline.add(underline[1] === undefined ? 2 : 1, this.#before, line - 1);
      this.#before = "";
    } else {
      this.#open();
      this.#before = head;
    }
  }

  /** The first line that says something is known to be no heading once the next one has come. */
  #open(): void {
    if (this.#opening === "" && !NO_WORDS.test(this.#before)) this.#opening = owned(this.#before);
  }

  #countLinks(head: string, units: number): void {
    if (units > SUMMARY_LINE_HEAD_CHARS) this.#linksKnown = false;
    for (let at = head.indexOf("]("); at >= 0; at = head.indexOf("](", at + 2)) this.#links += 1;
  }

  #compose(room: number, lines: number): string[] {
    const counts = [
      this.#outline.count > 0 ? counted(this.#outline.count, "heading") : "",
      this.#codeBlocks > 0 ? counted(this.#codeBlocks, "code block") : "",
      this.#tables.count > 0 ? counted(this.#tables.count, "table") : "",
      this.#linksKnown && this.#links > 0 ? `${grouped(this.#links)} links and images` : "",
    ].filter((part) => part !== "");
    const table = this.#tableLines();
    this.#open();
    const opening = this.#opening === "" ? "" : `begins: ${seen(this.#opening, OPENING_POINTS)}`;
    const used = table.join("").length + opening.length + 100;
    const unclosed = this.#fence === undefined ? "" : "; its last code block does not end";
    return [
      `Markdown of ${counted(lines, "line")}, numbered from 0: ${counts.join(", ")}${unclosed}`,
      opening,
      ...(this.#outline.count === 0 ? [] : this.#outline.lines(Math.max(80, room - used))),
      ...table,
    ];
  }

  #tableLines(): string[] {
    const table = this.#tables.largest;
    if (table === undefined) return [];
    const which = this.#tables.count > 1 ? "largest table" : "table";
    return [
      `${which}, line ${table.line}, ${counted(table.rows, "row")}: ${seen(table.header, ROW_POINTS)}`,
      `  first: ${seen(table.first, ROW_POINTS)}`,
      table.rows > 1 ? `  last: ${seen(table.last, ROW_POINTS)}` : "",
    ];
  }

  #views(lines: number): ProposedView[] {
    const views = this.#outline.sections(lines);
    const table = this.#tables.largest;
    if (table !== undefined) {
      const end = Math.min(lines, table.line + 2 + table.rows);
      views.push({ selector: { type: "lines", start: table.line, end }, label: "the largest table" });
    }
    if (this.#outline.count > 0) {
      views.push({
        selector: { type: "grep", pattern: "^ {0,3}#{1,6} ", context: 0, ignore_case: false },
        label: "all headings",
      });
    }
    return views;
  }
}

function closes(head: string, fence: string): boolean {
  const close = FENCE.exec(head);
  const mark = close?.[1] ?? "";
  return mark.startsWith(fence) && (close?.[2] ?? "").trim() === "";
}

const LIST = /^\s*(?:[-*+]|[0-9]{1,9}[.)]) \S/;
/** Of the preprocessor of C. */
const DIRECTIVE = /^# *(?:if|ifdef|ifndef|else|elif|endif|define|undef|include|pragma|error|warning|line)\b/;
const LINK = /\]\((?:https?:|\/|#|\.)/;

/**
 * Whether there are the marks of Markdown and of nothing else: `#` alone begins comments in many languages, and a list may stand
 * in any comment. `code`: whether the lines look like those of some language.
 */
export function looksLikeMarkdown(lines: readonly string[], said: boolean, code: boolean): boolean {
  let headings = 0;
  let others = 0;
  let fences = 0;
  let inCode = false;
  for (const [index, line] of lines.entries()) {
    if (FENCE.test(line)) {
      inCode = !inCode;
      fences += 1;
    } else if (!inCode) {
      if (/^#{1,6} \S/.test(line) && !DIRECTIVE.test(line) && isApart(lines, index)) headings += 1;
      else if (isDashRow(line) && (lines[index - 1] ?? "").includes("|")) others += 2;
      else if (LINK.test(line) || LIST.test(line) || /\*\*\S/.test(line)) others += 1;
    }
  }
  if (said) return headings + others + fences > 0;
  if (headings > 0 && fences > 1) return true;
  if (code) return false;
  const [first = "", second = ""] = lines;
  if (/^# \S/.test(first) && second.trim() === "") return true;
  return (headings > 1 && others > 0) || (headings > 0 && others > 1) || headings > 2 || hasTable(lines);
}

/** Headings have an empty line on one side at least, which comments in code mostly have not. */
function isApart(lines: readonly string[], index: number): boolean {
  return (lines[index - 1] ?? "").trim() === "" && !(lines[index + 1] ?? "").startsWith("#");
}

function isDashRow(line: string): boolean {
  return /^\s*\|?[\s:|-]*-[\s:|-]*$/.test(line) && line.includes("|");
}

function hasTable(lines: readonly string[]): boolean {
  const rows = lines.filter((line) => line.includes("|")).length;
  const dashes = lines.findIndex((line, index) => isDashRow(line) && (lines[index - 1] ?? "").includes("|"));
  return dashes > 0 && rows > 3;
}
