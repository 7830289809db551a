import { SUMMARY_LINE_JUDGED_CHARS } from "../../../limits.ts";
import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { counted, grouped, owned, SETTLE_CHARS } from "../cut.ts";
import { fit } from "../fit.ts";
import { seen, withoutAnsi } from "../neutral.ts";
import { LineSplitter } from "./line-splitter.ts";
import { type Placed, ResultLines } from "./result-lines.ts";

const LINE_POINTS = 200;
const KEPT_CHARS = 480;
const AROUND_LINES = 20;

/** How what runs tests and builds introduces itself. */
const INTRODUCED =
  /^(?:=+ test session starts =+$|running \d+ tests?$|> \S{1,200}@\S{1,64} \S|yarn run v|\$ (?:npm|yarn|pnpm|npx|make|cargo|go|tsc|jest|vitest|pytest)\b|TAP version \d|# Subtest: |\[INFO\] Scanning for projects|> Task :|> Configure project|\s{1,8}RUN {1,2}v\d|npm (?:warn|WARN|ERR!|error|notice) |\s{1,8}(?:Compiling|Checking|Downloading|Downloaded) \S{1,100} v\d|make(?:\[\d+\])?: |\[\s?\d{1,3}%\] (?:Building|Linking|Built)|\[\d{1,6}\/\d{1,6}\] |(?:gcc|g\+\+|cc|clang|clang\+\+) -|Test (?:Suite|Case) '|PHPUnit \d|#\d{1,3} \[|Step \d{1,3}\/\d{1,3} : )/;
const INTRODUCED_SURELY =
  /^(?:=+ test session starts =+$|running \d+ tests?$|TAP version \d|> \S{1,200}@\S{1,64} \S)/;
/** A diagnostic of a compiler or a linter, whose lines introduce themselves. */
const DIAGNOSTIC =
  /^(?:[^\s:()]{1,300}[(:]\d{1,9}[:,]\d{1,9}\)?(?:: | - )(?:fatal )?(?:error|warning|note)\b|\s{1,8}\d{1,9}:\d{1,9}\s{1,8}(?:error|warning)\s|(?:error|warning)(?:\[\w{1,16}\])?: |FAILED \S{1,300}::)/;
const LINES_MIN_COUNT = 3;

/** Whether a text begins like the output of a run. */
export function looksLikeRun(lines: readonly string[]): boolean {
  const filled = lines.map(withoutAnsi).filter((line) => line.trim() !== "");
  if (filled.some((line) => INTRODUCED_SURELY.test(line))) return true;
  const told = filled.filter((line) => INTRODUCED.test(line) || DIAGNOSTIC.test(line)).length;
  return told >= LINES_MIN_COUNT;
}

/** What a run of tests or a build prints: what became of it, how many failures it tells of, the first and the last. */
export class RunAnalyser implements Analyser {
  readonly #splitter = new LineSplitter((head, _, line) => this.#line(head, line), SUMMARY_LINE_JUDGED_CHARS);
  readonly #told = new ResultLines();
  #first: Placed | undefined;
  #last: Placed | undefined;

  push(piece: string): void {
    this.#splitter.push(piece);
    if (piece.length >= SETTLE_CHARS && this.#last !== undefined) this.#last = kept(this.#last);
  }

  get retainedChars(): number {
    const held = (this.#first?.head.length ?? 0) + (this.#last?.head.length ?? 0);
    return held + this.#splitter.retainedChars + this.#told.retainedChars;
  }

  /** Nothing where it never says what became of it. */
  finish(): Summary | undefined {
    const lines = this.#splitter.finish();
    if (this.#told.count + this.#told.failures === 0) return undefined;
    return { kind: "run", text: fit((room) => this.#compose(room, lines)), views: this.#views(lines) };
  }

  #line(head: string, line: number): void {
    if (head.trim() === "") return;
    this.#told.add(head, line);
    this.#last = { line, head };
    this.#first ??= kept(this.#last);
  }

  #compose(room: number, lines: number): string[] {
    const { failures, firstFailure, lastFailure, results, count } = this.#told;
    const entries: [string, Placed | undefined][] = [
      ["first line", firstFailure?.line === this.#first?.line ? undefined : this.#first],
      ["first failure", firstFailure],
      ["last failure", lastFailure],
      ...results.map((result): [string, Placed] => ["result", result]),
      ["last line", results.some(({ line }) => line === this.#last?.line) ? undefined : this.#last],
    ];
    const there = entries.filter(([, placed]) => placed !== undefined);
    const each = Math.min(LINE_POINTS, Math.floor((room * 0.85) / Math.max(1, there.length)));
    const more = count - results.length;
    return [
      `Output of a run, ${counted(lines, "line")}, numbered from 0`,
      `lines that tell of a failure or an error: ${grouped(failures)}; of a result: ${grouped(count)}${more > 0 ? ", the first and the last shown" : ""}`,
      ...there.map(([name, placed]) => `${name}, ${placed?.line ?? 0}: ${seen(placed?.head ?? "", each)}`),
    ];
  }

  #views(lines: number): ProposedView[] {
    const first = this.#told.firstFailure;
    const views: ProposedView[] = [];
    if (first !== undefined) {
      const start = Math.max(0, first.line - AROUND_LINES / 2);
      views.push(
        {
          selector: { type: "grep", pattern: this.#told.failurePattern, context: 0, ignore_case: false },
          label: "lines that tell of a failure",
        },
        {
          selector: { type: "lines", start, end: Math.min(lines, first.line + AROUND_LINES) },
          label: "around the first failure",
        },
      );
    }
    return [...views, { selector: { type: "lines", start: -Math.min(lines, 50) }, label: "the last lines" }];
  }
}

function kept({ line, head }: Placed): Placed {
  return { line, head: owned(head.slice(0, KEPT_CHARS)) };
}
