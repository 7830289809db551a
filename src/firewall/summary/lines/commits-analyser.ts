import { SUMMARY_OUTLINE_ENTRY_MAX_CHARS, SUMMARY_OUTLINE_MAX_COUNT } from "../../../limits.ts";
import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { compareCodePoints } from "../../../code-points.ts";
import { counted, grouped, owned } from "../cut.ts";
import { fit, listed } from "../fit.ts";
import { seen, withoutAnsi } from "../neutral.ts";
import { LineSplitter } from "./line-splitter.ts";

/** `full`: a head of lines for each commit, then its message; `oneline`: hash and subject. */
export type CommitsForm = "full" | "oneline";

interface Commit {
  readonly line: number;
  readonly hash: string;
  subject: string;
}

/** A graph may stand at the margin. */
const HEAD = /^(?:[|*\\/] *)*commit ([0-9a-f]{7,64})(?= |$)/;
const ONE = /^(?:[|*\\/] *)*([0-9a-f]{7,40}) (?! )(.+)$/;
/** `git blame` has a hash, an author and a time before each line of a file. */
const BLAME = /^\^?[0-9a-f]{7,40} [^(]*\([^()]*[0-9]{4}-[0-9]{2}-[0-9]{2} /;
const GRAPH_ONLY = /^[|*\\/_ ]*$/;
const FIELD = /^(?:[|*\\/] *)*(Merge|Author|Date|AuthorDate): +(.+)$/;
const MESSAGE = /^(?:[|*\\/] *)* {4}(\S.*)$/;
const STAT =
  /^(?:[|*\\/] *)* ([0-9]{1,9}) files? changed(?:, ([0-9]{1,9}) insertions?\(\+\))?(?:, ([0-9]{1,9}) deletions?\(-\))?$/;
const HASH_CHARS = 8;
const AUTHORS_MAX_COUNT = 256;
const AUTHOR_MAX_CHARS = 64;
const DATE_POINTS = 40;
const SUBJECT_POINTS = 90;
const SHOWN_LINES = 100;
/** Fewer lines of a hash and words are a list of anything. */
const ONELINE_MIN_COUNT = 5;

/** What `git log` prints: how many commits, whose, from when to when, and the first ones with their lines. */
export class CommitsAnalyser implements Analyser {
  readonly #form: CommitsForm;
  readonly #splitter = new LineSplitter((head, _, line) => this.#line(withoutAnsi(head), line));
  readonly #commits: Commit[] = [];
  readonly #authors = new Map<string, number>();
  #count = 0;
  #merges = 0;
  #last: Commit | undefined;
  /** Commits whose author is not among those that are counted. */
  #others = 0;
  #dates = 0;
  #firstDate = "";
  #lastDate = "";
  #stats = 0;
  #files = 0;
  #added = 0;
  #removed = 0;
  /** Lines that are part of no commit in one line. */
  #strange = 0;

  constructor(form: CommitsForm) {
    this.#form = form;
  }

  push(piece: string): void {
    this.#splitter.push(piece);
  }

  get retainedChars(): number {
    const held = [...this.#commits, ...(this.#last === undefined ? [] : [this.#last])];
    const names = [...this.#authors.keys()].reduce((sum, name) => sum + name.length, 0);
    const commits = held.reduce((sum, { hash, subject }) => sum + hash.length + subject.length, 0);
    return this.#splitter.retainedChars + names + commits + this.#firstDate.length + this.#lastDate.length;
  }

  finish(): Summary | undefined {
    const lines = this.#splitter.finish();
    // A list of something else that began like commits.
    if (this.#count === 0 || this.#strange * 10 > this.#count) return undefined;
    return { kind: "commits", text: fit((room) => this.#compose(room, lines)), views: this.#views(lines) };
  }

  #line(head: string, line: number): void {
    if (this.#form === "oneline") {
      const [, hash, subject] = ONE.exec(head) ?? [];
      if (hash !== undefined) this.#begin(line, hash, subject ?? "");
      else if (!GRAPH_ONLY.test(head)) this.#strange += 1;
      return;
    }
    const [, hash] = HEAD.exec(head) ?? [];
    if (hash !== undefined) this.#begin(line, hash, "");
    else if (this.#last === undefined) return;
    else if (this.#last.subject === "") this.#headLine(head, this.#last);
    else this.#stat(head);
  }

  #begin(line: number, hash: string, subject: string): void {
    this.#count += 1;
    // The newest is named as it is written; of the others eight digits do.
    const shown = this.#count === 1 ? hash : hash.slice(0, HASH_CHARS);
    this.#last = { line, hash: owned(shown), subject: kept(subject) };
    if (this.#commits.length < SUMMARY_OUTLINE_MAX_COUNT) this.#commits.push(this.#last);
  }

  #headLine(head: string, commit: Commit): void {
    const [, name, value = ""] = FIELD.exec(head) ?? [];
    if (name === undefined) {
      const subject = MESSAGE.exec(head)?.[1];
      if (subject === undefined) this.#stat(head);
      else commit.subject = kept(subject);
    } else if (name === "Merge") this.#merges += 1;
    else if (name === "Author") this.#author(value);
    else {
      this.#dates += 1;
      this.#lastDate = kept(value);
      if (this.#dates === 1) this.#firstDate = this.#lastDate;
    }
  }

  #author(value: string): void {
    const name = owned(value.replace(/ *<[^<>]*>$/, "").slice(0, AUTHOR_MAX_CHARS));
    const count = this.#authors.get(name);
    if (count === undefined && this.#authors.size >= AUTHORS_MAX_COUNT) this.#others += 1;
    else this.#authors.set(name, (count ?? 0) + 1);
  }

  #stat(head: string): void {
    const found = STAT.exec(head);
    if (found === null) return;
    const [files = 0, added = 0, removed = 0] = found.slice(1).map((each) => Number(each ?? 0));
    this.#stats += 1;
    this.#files += files;
    this.#added += added;
    this.#removed += removed;
  }

  #compose(room: number, lines: number): string[] {
    const merges = this.#merges === 0 ? "" : `, ${grouped(this.#merges)} of them merges`;
    const size = this.#form === "oneline" ? ", one a line" : `${merges}; ${counted(lines, "line")}`;
    const authors = [...this.#authors]
      .sort(([left, many], [right, more]) => more - many || compareCodePoints(left, right))
      .map(([name, count]) => `${seen(name, DATE_POINTS)} ${grouped(count)}`);
    const others = this.#others === 0 ? "" : `, ${grouped(this.#others)} of further authors`;
    const head = [
      `Git log of ${counted(this.#count, "commit")}${size}, numbered from 0`,
      this.#dates < 2
        ? ""
        : `dates: from ${seen(this.#firstDate, DATE_POINTS)} (first) to ${seen(this.#lastDate, DATE_POINTS)} (last)`,
      authors.length === 0 ? "" : `commits by author: ${listed(authors, room * 0.25)}${others}`,
      this.#stats === 0
        ? ""
        : `changed, summed over ${counted(this.#stats, "commit")}: ${counted(this.#files, "file")}, +${grouped(this.#added)} -${grouped(this.#removed)}`,
    ];
    const last = this.#last === undefined ? "" : `last: ${commitText(this.#last)}`;
    const left = room - head.join("\n").length - last.length - 20;
    const shown = listed(this.#commits.map(commitText), left, { separator: "\n", total: this.#count });
    return [...head, ...shown.split("\n"), this.#count > 1 ? last : ""];
  }

  #views(lines: number): ProposedView[] {
    const view = (selector: ProposedView["selector"], label: string): ProposedView => ({ selector, label });
    const all = view({ type: "lines", start: 0, end: Math.min(lines, SHOWN_LINES) }, "the first commits");
    const last = view({ type: "lines", start: -Math.min(lines, SHOWN_LINES / 2) }, "the last commits");
    if (this.#form === "oneline") return [all, last];
    const pattern = "^([|*\\\\/] *)*    \\S";
    return [all, view({ type: "grep", pattern, context: 0, ignore_case: false }, "what they say"), last];
  }
}

/** The line comes first, so that no subject begins a line of the summary. */
function commitText({ line, hash, subject }: Commit): string {
  return `${line} ${hash} ${seen(subject, SUBJECT_POINTS)}`.trimEnd();
}

function kept(text: string): string {
  return owned(text.slice(0, SUMMARY_OUTLINE_ENTRY_MAX_CHARS));
}

/** How a text's lines tell of commits, if they do. */
export function commitsForm(lines: readonly string[]): CommitsForm | undefined {
  const filled = lines.map(withoutAnsi).filter((line) => !GRAPH_ONLY.test(line));
  const [first = "", ...rest] = filled;
  if (HEAD.test(first)) {
    return rest.slice(0, 6).some((line) => FIELD.exec(line)?.[1] === "Author") ? "full" : undefined;
  }
  const commits = filled.flatMap((line) => {
    const [, hash, subject] = ONE.exec(line) ?? [];
    return hash === undefined || subject === undefined ? [] : [{ hash, subject }];
  });
  if (filled.some((line) => BLAME.test(line))) return undefined;
  const length = commits[0]?.hash.length ?? 0;
  const isOne = commits.every(({ hash }) => Math.abs(hash.length - length) < 3);
  const named = commits.length;
  return isOne &&
    named >= ONELINE_MIN_COUNT &&
    named * 10 >= filled.length * 9 &&
    hasDigits(filled) &&
    areSaid(commits)
    ? "oneline"
    : undefined;
}

/**
 * Whether these are hashes, and what is behind them is said of changes: places in memory and in files begin alike (`hexdump`,
 * `od`, `nm`), behind a checksum there is a name, and a log of references has a commit more than once.
 */
function areSaid(commits: readonly Pick<Commit, "hash" | "subject">[]): boolean {
  const beginnings = new Map<string, number>();
  for (const { hash } of commits) {
    const beginning = hash.slice(0, 2);
    beginnings.set(beginning, (beginnings.get(beginning) ?? 0) + 1);
  }
  const words = commits.filter(({ subject }) => subject.trim().includes(" ")).length;
  const isEachOnce = new Set(commits.map(({ hash }) => hash)).size === commits.length;
  return isEachOnce && Math.max(...beginnings.values()) * 2 <= commits.length && words * 2 > commits.length;
}

/** Seven letters from a to f may be a word; not all of them are. */
function hasDigits(lines: readonly string[]): boolean {
  return (
    lines.filter((line) => /^[^ ]*[0-9]/.test(line.replace(/^(?:[|*\\/] *)*/, ""))).length * 2 > lines.length
  );
}
