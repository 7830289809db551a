import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { counted, grouped, owned, SETTLE_CHARS } from "../cut.ts";
import { fit } from "../fit.ts";
import { seen } from "../neutral.ts";
import { isOfTrace } from "./trace-analyser.ts";
import { LineSplitter } from "./line-splitter.ts";
import {
  type Level,
  LEVEL_PATTERNS,
  type LevelForm,
  LEVELS,
  levelOf,
  namedLevel,
  statusClassOf,
  timeOf,
} from "./log-line.ts";

/** A line that is shown. */
interface Shown {
  readonly line: number;
  readonly head: string;
}

const LINE_POINTS = 220;
const KEPT_CHARS = 512;
const BAD: ReadonlySet<Level> = new Set(["FATAL", "ERROR"]);
const AROUND_LINES = 20;

/** A log: how many lines of each level, the first and the last of all and of those that tell of errors. */
export class LogAnalyser implements Analyser {
  readonly #splitter = new LineSplitter((head, _, line) => this.#line(head, line));
  readonly #levels = new Map<Level, number>();
  readonly #forms = new Set<LevelForm>();
  readonly #statuses = new Map<string, number>();
  #plain = 0;
  #blank = 0;
  #firstTime = "";
  #lastTime = "";
  #times = 0;
  #first: Shown | undefined;
  #last: Shown | undefined;
  #firstBad: Shown | undefined;
  #lastBad: Shown | undefined;
  #firstWarning: Shown | undefined;

  push(piece: string): void {
    this.#splitter.push(piece);
    if (piece.length < SETTLE_CHARS) return;
    this.#lastTime = owned(this.#lastTime);
    this.#last = kept(this.#last);
    this.#lastBad = kept(this.#lastBad);
  }

  /** `fields`: one more line, on what the lines have in common where they are structured, for so much room. */
  finish(fields: (room: number) => string = () => ""): Summary {
    const lines = this.#splitter.finish();
    const text = fit((room) => this.#compose(room, lines, fields(room * 0.3)));
    return { kind: "log", text, views: this.#views(lines) };
  }

  /** Whether any line named a level. */
  get levelled(): boolean {
    return this.#levels.size > 0;
  }

  get retainedChars(): number {
    const shown = [this.#first, this.#last, this.#firstBad, this.#lastBad, this.#firstWarning];
    const times = this.#firstTime.length + this.#lastTime.length;
    return shown.reduce((sum, each) => sum + (each?.head.length ?? 0), this.#splitter.retainedChars + times);
  }

  #line(head: string, line: number): void {
    if (head.trim() === "") {
      this.#blank += 1;
      return;
    }
    const shown = { line, head };
    this.#first ??= kept(shown);
    this.#last = shown;
    const time = timeOf(head);
    if (time !== undefined) {
      if (this.#times === 0) this.#firstTime = owned(time);
      this.#lastTime = time;
      this.#times += 1;
    }
    const named = namedLevel(head);
    const level = named?.level;
    if (named !== undefined) this.#forms.add(named.form);
    if (level === undefined) this.#plain += 1;
    else this.#levels.set(level, (this.#levels.get(level) ?? 0) + 1);
    const status = level === undefined ? statusClassOf(head) : undefined;
    if (status !== undefined) this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if ((level !== undefined && BAD.has(level)) || status === "5") {
      this.#firstBad ??= kept(shown);
      this.#lastBad = shown;
    } else if (level === "WARN") this.#firstWarning ??= kept(shown);
  }

  #compose(room: number, lines: number, fields: string): string[] {
    const entries: [string, Shown | undefined][] = [
      ["first line", this.#first],
      ["first error", this.#firstBad],
      ["last error", this.#lastBad?.line === this.#firstBad?.line ? undefined : this.#lastBad],
      ["first warning", this.#firstBad === undefined ? this.#firstWarning : undefined],
      ["last line", this.#last],
    ];
    const there = entries.filter(([, shown]) => shown !== undefined);
    const each = Math.min(LINE_POINTS, Math.floor((room * 0.8 - fields.length) / Math.max(1, there.length)));
    return [
      `Log of ${counted(lines, "line")}, numbered from 0`,
      this.#levelText(),
      this.#timeText(),
      fields,
      ...there.map(([name, shown]) => `${name}, ${shown?.line ?? 0}: ${seen(shown?.head ?? "", each)}`),
    ];
  }

  #levelText(): string {
    const levels = LEVELS.filter((level) => this.#levels.has(level)).map(
      (level) => `${level} ${grouped(this.#levels.get(level) ?? 0)}`,
    );
    const statuses = [...this.#statuses]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([status, count]) => `${status}xx ${grouped(count)}`);
    const others = [
      ...(this.#plain > 0 && levels.length > 0 ? [`without a level ${grouped(this.#plain)}`] : []),
      ...(this.#blank > 0 ? [`empty ${grouped(this.#blank)}`] : []),
    ];
    const parts = [
      levels.length === 0 ? "no line names a level" : `lines by level: ${[...levels, ...others].join(", ")}`,
      statuses.length === 0 ? "" : `by status: ${statuses.join(", ")}`,
    ];
    return parts.filter((part) => part !== "").join("; ");
  }

  #timeText(): string {
    if (this.#times < 2) return "";
    return `times: from ${seen(this.#firstTime, 48)} (first) to ${seen(this.#lastTime, 48)} (last)`;
  }

  #pattern(which: "bad" | "warning"): string {
    return [...this.#forms].map((form) => LEVEL_PATTERNS[form][which]).join("|");
  }

  #views(lines: number): ProposedView[] {
    const views: ProposedView[] = [];
    const bad = [...BAD].reduce((sum, level) => sum + (this.#levels.get(level) ?? 0), 0);
    if (bad > 0) {
      views.push({
        selector: { type: "grep", pattern: this.#pattern("bad"), context: 0, ignore_case: true },
        label: "lines that tell of errors",
      });
    } else if (this.#statuses.has("5")) {
      views.push({
        selector: { type: "grep", pattern: '" 5[0-9][0-9] ', context: 0, ignore_case: false },
        label: "answers with a 5xx status",
      });
    }
    if (this.#levels.has("WARN")) {
      views.push({
        selector: { type: "grep", pattern: this.#pattern("warning"), context: 0, ignore_case: true },
        label: "warnings",
      });
    }
    if (this.#firstBad !== undefined)
      views.push(around(this.#firstBad.line, lines, "around the first error"));
    if (this.#lastBad !== undefined && this.#lastBad.line !== this.#firstBad?.line) {
      views.push(around(this.#lastBad.line, lines, "around the last error"));
    }
    views.push({ selector: { type: "lines", start: -Math.min(lines, 50) }, label: "the last lines" });
    return views;
  }
}

function around(line: number, lines: number, label: string): ProposedView {
  const start = Math.max(0, line - AROUND_LINES / 2);
  return { selector: { type: "lines", start, end: Math.min(lines, line + AROUND_LINES) }, label };
}

function kept(shown: Shown): Shown;
function kept(shown: Shown | undefined): Shown | undefined;
function kept(shown: Shown | undefined): Shown | undefined {
  return shown === undefined ? undefined : { ...shown, head: owned(shown.head.slice(0, KEPT_CHARS)) };
}

/** Fewer lines are no log, whatever they say. */
const LINES_MIN_COUNT = 3;

/** What a terminal shows in colours, and how test runners say what became of a test or a file. */
const OF_A_RUN = /^\s{0,16}(?:[✓✔√✗✘×✖]|(?:PASS|FAIL)(?:ED)?\b|(?:not )?ok [0-9])|\[ {0,2}[0-9]{1,3}%\]$/;

function isOfRun(line: string): boolean {
  return line.includes("\u001b[") || OF_A_RUN.test(line);
}

/** Whether most lines begin with a time, name a level or tell of a run. The last line is left out where it may be cut. */
export function looksLikeLog(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== "" && !isOfTrace(line));
  const marked = filled.filter(
    (line) => levelOf(line) !== undefined || timeOf(line) !== undefined || isOfRun(line),
  ).length;
  return filled.length >= LINES_MIN_COUNT && marked * 2 > filled.length;
}
