import { SUMMARY_OUTLINE_ENTRY_MAX_CHARS, SUMMARY_OUTLINE_MAX_COUNT } from "../../../limits.ts";
import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { counted, grouped, owned } from "../cut.ts";
import { fit } from "../fit.ts";
import { LineSplitter } from "../lines/line-splitter.ts";
import { seen } from "../neutral.ts";

interface DiffFile {
  readonly line: number;
  path: string;
  note: string;
  added: number;
  removed: number;
  hunks: number;
  /** The line behind its last one. */
  end: number;
}

const HUNK = /^@@ -[0-9]+(?:,([0-9]+))? \+[0-9]+(?:,([0-9]+))? @@/;
const COMBINED = /^@@@/;
const COMMIT = /^(?:commit [0-9a-f]{40}\b|From [0-9a-f]{40} )/;
const PATH_POINTS = 90;
/** Digits that a count of lines may have. */
const COUNT_MAX_CHARS = 9;

/** A unified diff, of git or of `diff -u`: the files with their hunks and lines, and the sums. */
export class DiffAnalyser implements Analyser {
  readonly #splitter = new LineSplitter((head, _, line) => this.#line(head, line));
  readonly #files: DiffFile[] = [];
  #largest: DiffFile | undefined;
  #file: DiffFile | undefined;
  #count = 0;
  #added = 0;
  #removed = 0;
  #hunks = 0;
  #commits = 0;
  #combined = 0;
  /** What the hunk at hand has still to bring. */
  #oldLeft = 0;
  #newLeft = 0;
  /** The path behind `---`, until `+++` comes. */
  #oldPath: string | undefined;

  push(piece: string): void {
    this.#splitter.push(piece);
  }

  finish(): Summary | undefined {
    const lines = this.#splitter.finish();
    const cut = this.#oldLeft > 0 || this.#newLeft > 0;
    this.#endFile(lines);
    if (this.#count === 0) return undefined;
    return { kind: "diff", text: fit((room) => this.#compose(room, lines, cut)), views: this.#views(lines) };
  }

  get retainedChars(): number {
    const held = this.#splitter.retainedChars + (this.#oldPath?.length ?? 0);
    return this.#files.reduce((sum, { path, note }) => sum + path.length + note.length, held);
  }

  #line(head: string, line: number): void {
    if (this.#oldLeft > 0 || this.#newLeft > 0) {
      if (this.#inHunk(head)) return;
      // Shorter than it said: what follows is read as if it were over.
      this.#oldLeft = 0;
      this.#newLeft = 0;
    }
    if (head.startsWith("diff ")) this.#begin(line, gitPath(head));
    else if (COMMIT.test(head)) {
      this.#endFile(line);
      this.#commits += 1;
    } else if (head.startsWith("--- ")) this.#oldPath = pathOf(head.slice(4));
    else if (head.startsWith("+++ ") && this.#oldPath !== undefined) this.#named(pathOf(head.slice(4)), line);
    else if (HUNK.test(head)) this.#hunk(head);
    else if (COMBINED.test(head)) this.#combined += 1;
    else if (this.#file !== undefined) this.#note(head);
  }

  /** Whether the line belongs to the hunk. */
  #inHunk(head: string): boolean {
    const sign = head.charAt(0);
    if (sign === "\\") return true;
    // Some mailers and editors take away the space of an empty line.
    const both = sign === " " || sign === "";
    const old = both || sign === "-";
    const fresh = both || sign === "+";
    if ((!old && !fresh) || (old && this.#oldLeft === 0) || (fresh && this.#newLeft === 0)) return false;
    if (old) this.#oldLeft -= 1;
    if (fresh) this.#newLeft -= 1;
    const file = this.#file;
    if (both || file === undefined) return true;
    if (fresh) {
      this.#added += 1;
      file.added += 1;
    } else {
      this.#removed += 1;
      file.removed += 1;
    }
    return true;
  }

  #hunk(head: string): void {
    const [, old = "1", fresh = "1"] = HUNK.exec(head) ?? [];
    if (this.#file === undefined || old.length > COUNT_MAX_CHARS || fresh.length > COUNT_MAX_CHARS) return;
    this.#oldLeft = Number(old);
    this.#newLeft = Number(fresh);
    this.#hunks += 1;
    this.#file.hunks += 1;
  }

  #begin(line: number, path: string): void {
    this.#endFile(line);
    this.#count += 1;
    this.#file = { line, path, note: "", added: 0, removed: 0, hunks: 0, end: line };
    this.#oldPath = undefined;
    if (this.#files.length < SUMMARY_OUTLINE_MAX_COUNT) this.#files.push(this.#file);
  }

  /** `---` and `+++` name the file that `diff` has begun, and begin one where none has, or where it has hunks already. */
  #named(path: string, line: number): void {
    const old = this.#oldPath ?? "";
    this.#oldPath = undefined;
    if (this.#file === undefined || this.#file.hunks > 0) this.#begin(line - 1, "");
    const file = this.#file;
    if (file === undefined) return;
    file.path = path === "/dev/null" ? old : path;
    if (path === "/dev/null") file.note = "deleted";
    else if (old === "/dev/null") file.note = "new";
  }

  #note(head: string): void {
    const file = this.#file;
    if (file === undefined || file.hunks > 0) return;
    if (head.startsWith("new file mode")) file.note = "new";
    else if (head.startsWith("deleted file mode")) file.note = "deleted";
    else if (head.startsWith("rename from ")) {
      file.note = owned(`renamed from ${head.slice(12, SUMMARY_OUTLINE_ENTRY_MAX_CHARS)}`);
    } else if (head.startsWith("Binary files ") || head.startsWith("GIT binary patch")) {
      file.note = file.note === "" ? "binary" : `${file.note}, binary`;
    }
  }

  #endFile(end: number): void {
    const file = this.#file;
    if (file === undefined) return;
    file.end = end;
    const size = (each: DiffFile | undefined): number =>
      each === undefined ? -1 : each.added + each.removed;
    if (size(file) > size(this.#largest)) this.#largest = file;
    this.#file = undefined;
  }

  #compose(room: number, lines: number, cut: boolean): string[] {
    const sums =
      this.#combined > 0
        ? `${counted(this.#combined, "hunk")} of merges, whose lines are not counted`
        : `+${grouped(this.#added)} -${grouped(this.#removed)} in ${counted(this.#hunks, "hunk")}`;
    const commits = this.#commits > 0 ? `, ${counted(this.#commits, "commit")}` : "";
    const head = [
      `Diff of ${counted(this.#count, "file")}${commits}: ${sums}; ${counted(lines, "line")}, numbered from 0`,
      cut ? "cut off: its last hunk is not complete" : "",
    ];
    const shown: string[] = [];
    let used = head.join("").length;
    for (const file of this.#files) {
      const text = fileText(file);
      if (shown.length > 0 && used + text.length > room - 120) break;
      shown.push(text);
      used += text.length + 1;
    }
    const hidden = this.#count - shown.length;
    const largest = this.#largest;
    const untold = largest !== undefined && !this.#files.slice(0, shown.length).includes(largest);
    return [
      ...head,
      ...shown,
      hidden > 0 ? `…${counted(hidden, "more file")}` : "",
      untold ? `largest: ${fileText(largest)}` : "",
    ];
  }

  #views(lines: number): ProposedView[] {
    const views: ProposedView[] = [];
    const of = (file: DiffFile, label: string): void => {
      views.push({
        selector: { type: "lines", start: file.line, end: Math.min(lines, file.end) },
        label: `${label}: ${seen(file.path, PATH_POINTS)}`,
      });
    };
    if (this.#largest !== undefined) of(this.#largest, "the largest file");
    const [first] = this.#files;
    if (first !== undefined && first !== this.#largest) of(first, "the first file");
    if (this.#count > 1) {
      views.push({
        selector: { type: "grep", pattern: "^(diff |\\+\\+\\+ )", context: 0, ignore_case: false },
        label: "all files",
      });
    }
    return views;
  }
}

/** The line of the diff comes first, so that no path begins a line of the summary. */
function fileText({ line, path, note, added, removed, hunks }: DiffFile): string {
  const size = hunks === 0 ? "" : ` +${grouped(added)} -${grouped(removed)}, ${counted(hunks, "hunk")}`;
  const notes = note === "" ? "" : ` (${seen(note, PATH_POINTS)})`;
  return `${line} ${seen(path, PATH_POINTS)}${size}${notes}`;
}

/** Without the prefixes of git, and without the time that `diff -u` writes behind a tab. */
function pathOf(text: string): string {
  const [path = ""] = text.split("\t", 1);
  return owned(path.replace(/^[ab]\//, "").slice(0, SUMMARY_OUTLINE_ENTRY_MAX_CHARS));
}

/** `diff --git a/x b/x` has the path twice; where it changes, `+++` and `rename from` tell. */
function gitPath(head: string): string {
  const rest = head.replace(/^diff (?:--git |-\S+ )*/, "");
  const half = Math.floor(rest.length / 2);
  const [left, right] = [rest.slice(0, half), rest.slice(half + 1)];
  return pathOf(left.slice(2) === right.slice(2) ? right : (rest.split(" ").at(-1) ?? ""));
}

/** Whether a text begins like a unified diff, commit messages before it included. */
export function looksLikeDiff(lines: readonly string[]): boolean {
  const first = lines.find((line) => line.trim() !== "") ?? "";
  if (!/^(?:diff |--- |Index: |commit [0-9a-f]{7,40}\b|From [0-9a-f]{40} )/.test(first)) return false;
  if (lines.some((line) => line.startsWith("diff --git "))) return true;
  return lines.some((line, index) => HUNK.test(line) && (lines[index - 1] ?? "").startsWith("+++ "));
}
