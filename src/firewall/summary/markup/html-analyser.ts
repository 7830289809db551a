import { SUMMARY_OUTLINE_ENTRY_MAX_CHARS } from "../../../limits.ts";
import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { counted, grouped, owned, SETTLE_CHARS } from "../cut.ts";
import { fit } from "../fit.ts";
import { LineSplitter } from "../lines/line-splitter.ts";
import { seen } from "../neutral.ts";
import { Outline } from "./outline.ts";
import { type TagEvents, TagScanner } from "./tag-scanner.ts";
import { decodeEntities, Words } from "./words.ts";

const OPENING_CHARS = 400;
const OPENING_POINTS = 240;
/** A shorter paragraph is a label. */
const PARAGRAPH_MIN_CHARS = 60;
const TITLE_POINTS = 120;
const DEPTH_MAX_COUNT = 32;
const COUNTED: ReadonlyMap<string, string> = new Map([
  ["table", "table"],
  ["form", "form"],
  ["img", "image"],
  ["p", "paragraph"],
  ["li", "list item"],
]);

/** HTML: title, outline, how the text begins, and how many links, tables, forms and so on there are. */
export class HtmlAnalyser implements Analyser, TagEvents {
  readonly #scanner = new TagScanner(this, true);
  readonly #lines = new LineSplitter(() => {});
  readonly #outline = new Outline();
  readonly #counts = new Map<string, number>();
  readonly #title = new Words(SUMMARY_OUTLINE_ENTRY_MAX_CHARS);
  #inTitle = false;
  #titles = 0;
  #description = "";
  #links = 0;
  #heading: { readonly level: number; readonly line: number; readonly words: Words } | undefined;
  #paragraph: Words | undefined;
  #opening = "";
  readonly #body = new Words(OPENING_CHARS);
  #inBody = false;
  /** Rows of the tables that are open, the innermost last. */
  readonly #rows: number[] = [];
  #mostRows = 0;
  #elements = 0;

  push(piece: string): void {
    this.#scanner.push(piece);
    this.#lines.push(piece);
    if (piece.length >= SETTLE_CHARS) this.#opening = owned(this.#opening);
  }

  finish(): Summary | undefined {
    const lines = this.#lines.finish();
    if (this.#elements === 0) return undefined;
    this.#endParagraph();
    return { kind: "html", text: fit((room) => this.#compose(room, lines)), views: this.#views(lines) };
  }

  get retainedChars(): number {
    const words = [this.#title, this.#heading?.words, this.#paragraph, this.#body];
    return words.reduce(
      (sum, each) => sum + (each?.units ?? 0),
      this.#outline.retainedChars +
        this.#opening.length +
        this.#description.length +
        this.#scanner.retainedChars +
        this.#lines.retainedChars,
    );
  }

  text(text: string): void {
    if (this.#inTitle) {
      if (this.#titles === 1) this.#title.add(text);
      return;
    }
    this.#heading?.words.add(text);
    this.#paragraph?.add(text);
    if (this.#inBody) this.#body.add(text);
  }

  open(name: string, attributes: string, _selfClosing: boolean, line: number): void {
    this.#elements += 1;
    const level = levelOf(name);
    if (level !== undefined) {
      this.#endHeading();
      this.#heading = { level, line, words: new Words(SUMMARY_OUTLINE_ENTRY_MAX_CHARS) };
    }
    switch (name) {
      case "title":
        this.#inTitle = true;
        this.#titles += 1;
        break;
      case "body":
        this.#inBody = true;
        break;
      case "a":
        if (/\shref\b/i.test(attributes)) this.#links += 1;
        break;
      case "meta":
        if (this.#description === "") this.#description = descriptionOf(attributes);
        break;
      case "p":
        this.#endParagraph();
        if (this.#opening === "") this.#paragraph = new Words(OPENING_CHARS);
        break;
      case "table":
        if (this.#rows.length < DEPTH_MAX_COUNT) this.#rows.push(0);
        break;
      case "tr":
        this.#rows[this.#rows.length - 1] = (this.#rows.at(-1) ?? 0) + 1;
        break;
      default:
    }
    if (COUNTED.has(name)) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#apart(name);
  }

  close(name: string): void {
    if (name === "title") this.#inTitle = false;
    else if (name === "p") this.#endParagraph();
    else if (name === "table") this.#mostRows = Math.max(this.#mostRows, this.#rows.pop() ?? 0);
    else if (levelOf(name) !== undefined) this.#endHeading();
    this.#apart(name);
  }

  #apart(name: string): void {
    if (INLINE.has(name)) return;
    this.#heading?.words.space();
    this.#paragraph?.space();
    if (this.#inBody) this.#body.space();
  }

  #endHeading(): void {
    const heading = this.#heading;
    this.#heading = undefined;
    if (heading !== undefined) this.#outline.add(heading.level, heading.words.toString(), heading.line);
  }

  #endParagraph(): void {
    const paragraph = this.#paragraph;
    this.#paragraph = undefined;
    if (this.#opening === "" && paragraph !== undefined && paragraph.units >= PARAGRAPH_MIN_CHARS) {
      this.#opening = paragraph.toString();
    }
  }

  #compose(room: number, lines: number): string[] {
    const counts = [
      ...(this.#outline.count > 0 ? [counted(this.#outline.count, "heading")] : []),
      ...(this.#links > 0 ? [counted(this.#links, "link")] : []),
      ...Array.from(COUNTED, ([name, noun]) => ({ noun, count: this.#counts.get(name) ?? 0 }))
        .filter(({ count }) => count > 0)
        .map(({ noun, count }) => counted(count, noun)),
    ];
    const title = this.#title.toString();
    const words = this.#opening === "" ? this.#body.toString() : this.#opening;
    const head = [
      `HTML of ${counted(lines, "line")}, numbered from 0: ${counts.join(", ") || "no headings, links or tables"}`,
      title === "" ? "" : `title: ${seen(title, TITLE_POINTS)}`,
      this.#description === "" ? "" : `description: ${seen(this.#description, OPENING_POINTS)}`,
      words === "" ? "" : `text: ${seen(words, OPENING_POINTS)}`,
      this.#mostRows > 1 ? `largest table: ${grouped(this.#mostRows)} rows` : "",
    ];
    const used = head.join("").length + 60;
    return [...head, ...(this.#outline.count === 0 ? [] : this.#outline.lines(Math.max(80, room - used)))];
  }

  #views(lines: number): ProposedView[] {
    const views = this.#outline.sections(lines).filter(({ selector }) => selector.type === "lines");
    const apart = new Set(this.#outline.headings.map(({ line }) => line)).size;
    // A document in one line has no lines to go to.
    const sections = apart > 1 ? views : [];
    return [
      ...sections,
      { selector: { type: "grep", pattern: "<h[1-3]\\b", context: 0, ignore_case: true }, label: "headings" },
      { selector: { type: "head", chars: 4_000 }, label: "the beginning" },
    ];
  }
}

const INLINE: ReadonlySet<string> = new Set(
  "a abbr b bdi bdo cite code em font i kbd mark q s samp small span strong sub sup time u var wbr".split(
    " ",
  ),
);

function levelOf(name: string): number | undefined {
  return /^h[1-6]$/.test(name) ? Number(name.slice(1)) : undefined;
}

function descriptionOf(attributes: string): string {
  if (!/\bname\s*=\s*["']?description\b/i.test(attributes)) return "";
  const content = /\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes);
  return owned(decodeEntities(content?.[1] ?? content?.[2] ?? ""));
}
