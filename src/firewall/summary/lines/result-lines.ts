import { owned } from "../cut.ts";
import { withoutAnsi } from "../neutral.ts";

/** A line as it is shown. */
export interface Placed {
  readonly line: number;
  readonly head: string;
}

const OUTCOME =
  "passed|failed|passing|failing|failures?|errors?|skipped|ignored|pending|broken|success(?:ful)?";
/** In which a run, of tests or of a build, says at its end what became of it. */
const RESULTS: readonly RegExp[] = [
  // Counts of what passed and failed: pytest, Jest, Mocha, cargo, Maven, PHPUnit, dotnet, node.
  new RegExp(
    `^(?:[\\s=#>✖ℹ-]{0,256}|\\[\\w{4,7}\\] )(?:(?:test(?:s| files| suites)?|suites?|results?|summary|snapshots)(?: result| run)?:?[ \\t]{1,16})?(?:FAILED\\.|ok\\.|OK)?[ (]{0,16}(?:\\d+ (?:tests?|examples?|assertions|problems?|specs?|suites?)\\b|\\d+ (?:${OUTCOME})\\b|(?:${OUTCOME}|total|tests|pass|fail)[=: ]+\\d+\\b).*$`,
    "i",
  ),
  /^(?:Tests run: |Ran \d+ tests? in |Found \d+ errors?\b|FAILED \((?:failures|errors)=|OK \(|\d+% tests passed|Test (?:Run|session) )/,
  // A build's own words.
  /^(?:\[\w{4,7}\] |\s{0,4})?(?:BUILD (?:SUCCESS|SUCCESSFUL|FAILURE|FAILED)\b|Finished (?:`|\w+ )|(?:Failed|Compiled|Built|Build|Done|webpack|✓ built) ?(?:to compile|successfully|succeeded|failed|with|in|compiled) |added \d+ packages|error: could not compile |error: test failed|make(?:\[\d+\])?: \*\*\* |ninja: build stopped|npm (?:ERR!|error) code |(?:Command|Process|Script|Job) (?:failed|exited|completed|succeeded)\b)/i,
];
/** A line that tells of one failure. */
const FAILURE =
  /^(?:FAILED |ERROR |FAIL[: \t]|E {3,8}\S|not ok \d|--- FAIL:|test .{1,200} \.\.\. FAILED|\s{0,8}(?:[✗✘×✖✕]|\d{1,4}\)) \S|error(?:\[\w{1,16}\])?: |\[ERROR\] |npm (?:ERR!|error) |ERROR in |[^\s:()]{1,300}[(:]\d{1,9}[:,]\d{1,9}\)?(?:: | - )(?:fatal )?error\b|[^\s:]{1,300}:\d{1,9}: (?:fatal )?error:|\s{1,8}\d{1,9}:\d{1,9}\s{1,8}error\s)/;
const MAY_TELL = /\d|BUILD|OK|ail|error|Error|ERR|FAIL|npm|Finished|Done|uil|✗|✘|×|✖|✕/;
const FIRST_COUNT = 2;
const LAST_COUNT = 3;
const KEPT_CHARS = 320;

/** The same for `grep`. */
const FAILURE_PATTERN =
  "^(FAILED |ERROR |FAIL[: \\t]|E {3,8}\\S|not ok \\d|--- FAIL:|test .* \\.\\.\\. FAILED|\\s*([✗✘×✖✕]|\\d+\\)) \\S|error(\\[\\w+\\])?: |\\[ERROR\\] |npm (ERR!|error) |ERROR in |\\S+[(:]\\d+[:,]\\d+\\)?(: | - )(fatal )?error\\b|\\S+:\\d+: (fatal )?error:|\\s+\\d+:\\d+\\s+error\\s)";
/**
 * The same where tools write colours, which `grep` reads too: `~` stands for those, and `#` for a number in them. Their signs in any
 * order, so that the pattern stays within what a view takes.
 */
const COLOURED_FAILURE_PATTERN =
  "^(\\x1b\\[[\\d;]*[mK])*((FAILED|ERROR)~ |FAIL[: \\t]|E {3,8}\\S|not ok \\d|--- FAIL:|test .* \\.\\.\\. ~FAILED|\\s*~([✗✘×✖✕]|\\d+\\))~ \\S|error(\\[\\w+\\])?~:[ \\x1b]|\\[~ERROR~\\] |npm~ ~(ERR!|error)[ \\x1b]|\\S+[(:]#[:,]#\\)?(:~ | - )~(fatal )?error\\b|\\S+:#:~ ~(fatal )?error:|\\s+#:#\\s+~error[\\s\\x1b])"
    .replaceAll("~", "[\\x1b[\\d;mK]*")
    .replaceAll("#", "[\\x1b[\\d;mK]+");

/** The lines of a run that say what became of it, and those that tell of failures. */
export class ResultLines {
  #failures = 0;
  #firstFailure: Placed | undefined;
  #lastFailure: Placed | undefined;
  #results = 0;
  #isColoured = false;
  readonly #first: Placed[] = [];
  readonly #last: Placed[] = [];

  add(head: string, line: number): void {
    if (!MAY_TELL.test(head)) return;
    const plain = withoutAnsi(head);
    const isFailure = FAILURE.test(plain);
    if (isFailure) this.#failures += 1;
    this.#isColoured ||= isFailure && plain !== head;
    const isResult = RESULTS.some((result) => result.test(plain));
    if (!isResult && !isFailure) return;
    const kept = { line, head: owned(plain.slice(0, KEPT_CHARS)) };
    if (!isResult) {
      this.#firstFailure ??= kept;
      this.#lastFailure = kept;
      return;
    }
    this.#results += 1;
    if (this.#first.length < FIRST_COUNT) this.#first.push(kept);
    else {
      this.#last.push(kept);
      if (this.#last.length > LAST_COUNT) this.#last.shift();
    }
  }

  get failures(): number {
    return this.#failures;
  }

  /** Finds the lines that tell of failures. */
  get failurePattern(): string {
    return this.#isColoured ? COLOURED_FAILURE_PATTERN : FAILURE_PATTERN;
  }

  get firstFailure(): Placed | undefined {
    return this.#firstFailure;
  }

  /** Where there is more than one. */
  get lastFailure(): Placed | undefined {
    return this.#lastFailure?.line === this.#firstFailure?.line ? undefined : this.#lastFailure;
  }

  get count(): number {
    return this.#results;
  }

  /** The first and the last of those that say what became of all. */
  get results(): readonly Placed[] {
    return [...this.#first, ...this.#last];
  }

  get retainedChars(): number {
    const held = [...this.#first, ...this.#last, this.#firstFailure, this.#lastFailure];
    return held.reduce((sum, each) => sum + (each?.head.length ?? 0), 0);
  }
}
