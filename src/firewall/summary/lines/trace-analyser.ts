import type { Analyser, Summary } from "../analyser.ts";
import { counted, owned, SETTLE_CHARS } from "../cut.ts";
import { fit } from "../fit.ts";
import { seen } from "../neutral.ts";
import { LineSplitter } from "./line-splitter.ts";

interface Shown {
  readonly line: number;
  readonly head: string;
}

/** Of Java and JavaScript, of Python, of Go, of Rust and .NET. */
const FRAME =
  /^\s+at \S|^\s*File "[^"]{1,300}", line [0-9]+|^\s+\S{1,300}\.go:[0-9]+|^\s+[0-9]+: +(?:0x|\S+::)|^\s+\.\.\. [0-9]+ more/;
/** Where a trace says what went wrong. */
const ERROR =
  /^(?:Caused by: |Suppressed: |Exception in thread |Unhandled |Uncaught |panic: |fatal error: |thread '|Traceback |(?:[\w$-]+\.)*(?:[A-Z][\w$]*)?(?:Error|Exception|Exit|Interrupt|Warning|Failure)\b)/;

const ERRORS_KEPT_COUNT = 8;
const LINE_POINTS = 240;
const KEPT_CHARS = 480;
const FRAMES_MIN_COUNT = 3;

function isFrame(line: string): boolean {
  return FRAME.test(line);
}

/** A frame, or what is said to have gone wrong. */
export function isOfTrace(line: string): boolean {
  return FRAME.test(line) || ERROR.test(line);
}

/** Whether a good part of the lines are frames of call stacks. */
export function looksLikeTrace(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== "");
  const frames = filled.filter(isFrame).length;
  return frames >= FRAMES_MIN_COUNT && frames * 4 >= filled.length;
}

/** Call stacks: what went wrong, where, and how many frames there are. */
export class TraceAnalyser implements Analyser {
  readonly #splitter = new LineSplitter((head, _, line) => this.#line(head, line));
  readonly #errors: Shown[] = [];
  #errorCount = 0;
  #lastError: Shown | undefined;
  #frames = 0;
  #firstFrame: Shown | undefined;
  #lastFrame: Shown | undefined;
  #last: Shown | undefined;

  push(piece: string): void {
    this.#splitter.push(piece);
    if (piece.length < SETTLE_CHARS) return;
    this.#lastError = this.#lastError && kept(this.#lastError);
    this.#lastFrame = this.#lastFrame && kept(this.#lastFrame);
    this.#last = this.#last && kept(this.#last);
  }

  finish(): Summary {
    const lines = this.#splitter.finish();
    const first = this.#errors[0]?.line ?? 0;
    return {
      kind: "trace",
      text: fit((room) => this.#compose(room, lines)),
      views: [
        {
          selector: { type: "lines", start: first, end: Math.min(lines, first + 60) },
          label: "the first error",
        },
        {
          selector: {
            type: "grep",
            pattern: "^Caused by|(Error|Exception)\\b",
            context: 1,
            ignore_case: false,
          },
          label: "what went wrong, each time",
        },
        { selector: { type: "lines", start: -Math.min(lines, 40) }, label: "the last lines" },
      ],
    };
  }

  get retainedChars(): number {
    const shown = [...this.#errors, this.#lastError, this.#firstFrame, this.#lastFrame, this.#last];
    return shown.reduce((sum, each) => sum + (each?.head.length ?? 0), this.#splitter.retainedChars);
  }

  #line(head: string, line: number): void {
    if (head.trim() === "") return;
    const shown = { line, head };
    this.#last = shown;
    if (isFrame(head)) {
      this.#frames += 1;
      this.#firstFrame ??= kept(shown);
      this.#lastFrame = shown;
    } else if (ERROR.test(head)) {
      this.#errorCount += 1;
      if (this.#errors.length < ERRORS_KEPT_COUNT) this.#errors.push(kept(shown));
      else this.#lastError = shown;
    }
  }

  #compose(room: number, lines: number): string[] {
    const errors = [...this.#errors, ...(this.#lastError === undefined ? [] : [this.#lastError])];
    const each = Math.min(LINE_POINTS, Math.floor((room * 0.75) / (errors.length + 3)));
    const hidden = this.#errorCount - errors.length;
    const frame = (name: string, shown: Shown | undefined): string =>
      shown === undefined ? "" : `${name}, ${shown.line}: ${seen(shown.head, each)}`;
    const known = new Set(errors.map(({ line }) => line)).add(this.#lastFrame?.line ?? -1);
    return [
      `Stack trace: ${counted(this.#frames, "frame")} in ${counted(lines, "line")}, numbered from 0`,
      ...errors.map(({ line, head }) => `error line, ${line}: ${seen(head, each)}`),
      hidden > 0 ? `…${counted(hidden, "more error line")} before the last` : "",
      frame("first frame", this.#firstFrame),
      frame("last frame", this.#lastFrame),
      known.has(this.#last?.line ?? -1) ? "" : frame("last line", this.#last),
    ];
  }
}

function kept(shown: Shown): Shown {
  return { ...shown, head: owned(shown.head.slice(0, KEPT_CHARS)) };
}
