export type RunOutcome = "passed" | "failed";

/** TAP, `go test`, Jest and Vitest; a test's name comes behind it, whatever words are in it. */
const MARKED = /^\s{0,16}(?:(not )?ok(?: [0-9]|\t)|--- (PASS|FAIL):|(PASS|FAIL)(?:ED)?\b|([✓✔√])|[✗✘×✖])/;
/** `pytest -v`. */
const ENDED = / (PASSED|FAILED|ERROR) +\[ {0,2}[0-9]{1,3}%\]$/;

/** Finds the lines that `runOutcomeOf` calls failed, colours between included. */
export const RUN_PATTERNS = {
  failed:
    "^\\s*(\\x1b\\[[0-9;]*m\\s*)*(not ok [0-9]|--- FAIL:|FAIL(ED)?\\b|[✗✘×✖])| (FAILED|ERROR) +\\[ *[0-9]+%\\]$",
} as const;

/** What a line of a test runner says became of a test or a file. */
export function runOutcomeOf(line: string): RunOutcome | undefined {
  const head = withoutColours(line.slice(0, 1_024));
  const marked = MARKED.exec(head);
  if (marked !== null) {
    const [text, not, go, word, tick] = marked;
    if (go !== undefined || word !== undefined) return (go ?? word) === "PASS" ? "passed" : "failed";
    return tick !== undefined || (not === undefined && /ok[ \t]/.test(text)) ? "passed" : "failed";
  }
  const ended = ENDED.exec(head)?.[1];
  return ended === undefined ? undefined : ended === "PASSED" ? "passed" : "failed";
}

function withoutColours(head: string): string {
  if (!head.includes("\u001b[")) return head;
  return head
    .split("\u001b[")
    .map((part, index) => (index === 0 ? part : part.replace(/^[0-9;]{0,32}m/, "")))
    .join("");
}
