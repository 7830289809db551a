import { SUMMARY_LINE_JUDGED_CHARS, SUMMARY_VIEWS_MAX_COUNT } from "../../../limits.ts";
import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { counted, grouped, owned, SETTLE_CHARS } from "../cut.ts";
import { fit } from "../fit.ts";
import { seen } from "../neutral.ts";
import { isOfTrace } from "./trace-analyser.ts";
import { LineSplitter } from "./line-splitter.ts";
import { ResultLines } from "./result-lines.ts";
import { JsonLineLevel } from "./json-level.ts";
import { type Level, LEVELS } from "./levels.ts";
import { LEVEL_PATTERNS, type LevelForm, levelOf, statusClassOf, textLevel, timeOf } from "./log-line.ts";
import { RUN_PATTERNS, runOutcomeOf, type RunOutcome } from "./run-line.ts";

/** A line that is shown. */
interface Shown {
  readonly line: number;
  readonly head: string;
}

const LINE_POINTS = 220;
const KEPT_CHARS = 512;
const BAD: ReadonlySet<Level> = new Set(["FATAL", "ERROR"]);
const AROUND_LINES = 20;
/** What a run says of itself is short. */
const RESULT_MAX_CHARS = 400;
const RESULTS_SHOWN_COUNT = 2;
/** What Maven says of tests and of itself, which has a level. */
const BUILD = /^\[\w{4,7}\] (?:BUILD |Tests run: )/;
const OUTCOMES: readonly RunOutcome[] = ["passed", "failed"];

/** A log: how many lines of each level, the first and the last of all and of those that tell of errors. */
export class LogAnalyser implements Analyser {
  readonly #splitter = new LineSplitter(
    (head, units, line) => this.#line(head, units, line),
    SUMMARY_LINE_JUDGED_CHARS,
  );
  /** Reads the line at hand, if it is an object. */
  #object = new JsonLineLevel();
  readonly #levels = new Map<Level, number>();
  readonly #forms = new Set<LevelForm>();
  readonly #statuses = new Map<string, number>();
  readonly #outcomes = new Map<RunOutcome, number>();
  readonly #results = new ResultLines();
  #unjudged = 0;
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
    for (let from = 0; from < piece.length;) {
      const newline = piece.indexOf("\n", from);
      const to = newline < 0 ? piece.length : newline + 1;
      const part = piece.slice(from, to);
      this.#object.push(part);
      this.#splitter.push(part);
      from = to;
    }
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
    return shown.reduce(
      (sum, each) => sum + (each?.head.length ?? 0),
      this.#splitter.retainedChars + this.#object.retainedChars + this.#results.retainedChars + times,
    );
  }

  #line(head: string, units: number, line: number): void {
    const object = this.#object;
    this.#object = new JsonLineLevel();
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
    const outcome = runOutcomeOf(head);
    if (outcome !== undefined) {
      this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
      if (outcome === "failed") this.#bad(shown);
      this.#results.add(head, line);
      return;
    }
    const named = object.isObject ? object.found : textLevel(head);
    const status = named === undefined && !object.isObject ? statusClassOf(head) : undefined;
    if (named === undefined) {
      this.#plain += 1;
      if (head.length <= RESULT_MAX_CHARS) this.#results.add(head, line);
    } else {
      if (BUILD.test(head)) this.#results.add(head, line);
      this.#forms.add(named.form);
      this.#levels.set(named.level, (this.#levels.get(named.level) ?? 0) + 1);
    }
    if (status !== undefined) this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (named === undefined && status === undefined && !object.isObject && units > head.length) {
      this.#unjudged += 1;
    }
    if ((named !== undefined && BAD.has(named.level)) || status === "5") this.#bad(shown);
    else if (named?.level === "WARN") this.#firstWarning ??= kept(shown);
  }

  #bad(shown: Shown): void {
    this.#firstBad ??= kept(shown);
    this.#lastBad = shown;
  }

  #compose(room: number, lines: number, fields: string): string[] {
    const entries: [string, Shown | undefined][] = [
      ["first line", this.#first],
      ["first error", this.#firstBad],
      ["last error", this.#lastBad?.line === this.#firstBad?.line ? undefined : this.#lastBad],
      ["first warning", this.#firstBad === undefined ? this.#firstWarning : undefined],
      ...this.#resultEntries(),
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

  /** What a run says of itself at its end, where the log is one's. */
  #resultEntries(): [string, Shown][] {
    if (this.#outcomes.size === 0 && !this.#results.results.some(({ head }) => BUILD.test(head))) return [];
    const shown = new Set([this.#first?.line, this.#firstBad?.line, this.#lastBad?.line, this.#last?.line]);
    const results = this.#results.results.filter(({ line }) => !shown.has(line));
    return results.slice(-RESULTS_SHOWN_COUNT).map((result) => ["result", result]);
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
    const outcomes = OUTCOMES.filter((outcome) => this.#outcomes.has(outcome)).map(
      (outcome) => `${outcome} ${grouped(this.#outcomes.get(outcome) ?? 0)}`,
    );
    const levelled = levels.length > 0;
    const parts = [
      outcomes.length === 0 ? "" : `lines that say what became of a test: ${outcomes.join(", ")}`,
      levelled ? `lines by level: ${[...levels, ...others].join(", ")}` : "",
      levelled || outcomes.length > 0 ? "" : "no line names a level",
      statuses.length === 0 ? "" : `by status: ${statuses.join(", ")}`,
      this.#unjudged === 0
        ? ""
        : `at least, as ${counted(this.#unjudged, "line")} of more than ${grouped(SUMMARY_LINE_JUDGED_CHARS)} characters may name one further on`,
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
    if (this.#outcomes.has("failed")) {
      views.push({
        selector: { type: "grep", pattern: RUN_PATTERNS.failed, context: 0, ignore_case: false },
        label: "what failed",
      });
    }
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
    const last: ProposedView = {
      selector: { type: "lines", start: -Math.min(lines, 50) },
      label: "the last lines",
    };
    return [...views.slice(0, SUMMARY_VIEWS_MAX_COUNT - 1), last];
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
function isOfRun(line: string): boolean {
  return line.includes("\u001b[") || runOutcomeOf(line) !== undefined || /\[ {0,2}[0-9]{1,3}%\]$/.test(line);
}

/** Whether most lines begin with a time, name a level or tell of a run. The last line is left out where it may be cut. */
export function looksLikeLog(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== "" && !isOfTrace(line));
  const marked = filled.filter(
    (line) => levelOf(line) !== undefined || timeOf(line) !== undefined || isOfRun(line),
  ).length;
  return filled.length >= LINES_MIN_COUNT && marked * 2 > filled.length;
}
