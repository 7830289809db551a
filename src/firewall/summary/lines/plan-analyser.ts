import { SUMMARY_OUTLINE_ENTRY_MAX_CHARS, SUMMARY_OUTLINE_MAX_COUNT } from "../../../limits.ts";
import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { counted, grouped, owned } from "../cut.ts";
import { fit, listed } from "../fit.ts";
import { seen, withoutAnsi } from "../neutral.ts";
import { LineSplitter } from "./line-splitter.ts";

interface Told {
  readonly line: number;
  readonly text: string;
}

/** What is said above a resource: its address, then what becomes of it. */
const RESOURCE =
  /^ {2}# (\S.*?) ((?:will be|must be|has been|has moved|has changed|is tainted|will no longer be)[^:,(]*)/;
const OUTCOME = /^(?:Plan: .*|No changes\..*|Apply complete!.*|Destroy complete!.*)$/;
const ERROR = /^(?:[│╷] )?Error: (.+)$/;
const WARNING = /^(?:[│╷] )?Warning: /;
const INTRODUCED =
  /^(?:Terraform|OpenTofu) (?:used the selected providers|will perform the following actions|detected the following changes)|^No changes\. Your infrastructure/;
const REFRESHED = /: (?:Refreshing state\.\.\. \[id=|Read(?:ing\.\.\.| complete after ))/;
const REFRESHED_MIN_COUNT = 3;
const ACTIONS_MAX_COUNT = 16;
const ENTRY_POINTS = 140;

/** What `terraform plan` and `apply` print: what becomes of which resource, the sum, errors. */
export class PlanAnalyser implements Analyser {
  readonly #splitter = new LineSplitter((head, _, line) => this.#line(withoutAnsi(head), line));
  readonly #resources: Told[] = [];
  readonly #actions = new Map<string, number>();
  readonly #outcomes: Told[] = [];
  #count = 0;
  #errors = 0;
  #warnings = 0;
  #firstError: Told | undefined;

  push(piece: string): void {
    this.#splitter.push(piece);
  }

  get retainedChars(): number {
    const told = [...this.#resources, ...this.#outcomes, ...(this.#firstError ? [this.#firstError] : [])];
    return told.reduce((sum, { text }) => sum + text.length, this.#splitter.retainedChars);
  }

  finish(): Summary | undefined {
    const lines = this.#splitter.finish();
    if (this.#count + this.#outcomes.length + this.#errors === 0) return undefined;
    return { kind: "plan", text: fit((room) => this.#compose(room, lines)), views: this.#views(lines) };
  }

  #line(head: string, line: number): void {
    const [, address, action] = RESOURCE.exec(head) ?? [];
    if (address !== undefined && action !== undefined) {
      this.#count += 1;
      const done = action.trimEnd();
      if (this.#actions.has(done) || this.#actions.size < ACTIONS_MAX_COUNT)
        this.#actions.set(owned(done), (this.#actions.get(done) ?? 0) + 1);
      if (this.#resources.length < SUMMARY_OUTLINE_MAX_COUNT)
        this.#resources.push(told(line, `${address} ${done}`));
      return;
    }
    if (OUTCOME.test(head)) {
      if (this.#outcomes.length < 2) this.#outcomes.push(told(line, head));
      return;
    }
    const error = ERROR.exec(head)?.[1];
    if (error !== undefined) {
      this.#errors += 1;
      this.#firstError ??= told(line, error);
    } else if (WARNING.test(head)) this.#warnings += 1;
  }

  #compose(room: number, lines: number): string[] {
    const actions = [...this.#actions].map(([action, count]) => `${action} ${grouped(count)}`);
    const problems = [
      this.#errors === 0 ? "" : counted(this.#errors, "error"),
      this.#warnings === 0 ? "" : counted(this.#warnings, "warning"),
    ].filter((each) => each !== "");
    const first = this.#firstError;
    const head = [
      `Terraform output of ${counted(lines, "line")}, numbered from 0${problems.length === 0 ? "" : `; ${problems.join(", ")}`}`,
      ...this.#outcomes.map(({ line, text }) => `line ${line}: ${seen(text, ENTRY_POINTS)}`),
      first === undefined ? "" : `first error, ${first.line}: ${seen(first.text, ENTRY_POINTS)}`,
      actions.length === 0 ? "" : `resources: ${listed(actions, room * 0.25)}`,
    ];
    const left = room - head.join("\n").length - 20;
    const entries = this.#resources.map(({ line, text }) => `${line} ${seen(text, ENTRY_POINTS)}`);
    return [...head, ...listed(entries, left, { separator: "\n", total: this.#count }).split("\n")];
  }

  #views(lines: number): ProposedView[] {
    const grep = (pattern: string, label: string): ProposedView => ({
      selector: { type: "grep", pattern, context: 0, ignore_case: false },
      label,
    });
    const last: ProposedView = {
      selector: { type: "lines", start: -Math.min(lines, 50) },
      label: "the end",
    };
    return [
      ...(this.#count === 0 ? [] : [grep("^  # .*(will|must|has|is) ", "all resources")]),
      ...(this.#errors === 0 ? [] : [grep("Error: ", "errors")]),
      last,
    ];
  }
}

function told(line: number, text: string): Told {
  return { line, text: owned(text.slice(0, SUMMARY_OUTLINE_ENTRY_MAX_CHARS)) };
}

/** Whether a text begins like the output of a plan: what is refreshed may go on for long before anything is planned. */
export function looksLikePlan(lines: readonly string[]): boolean {
  const plain = lines.map(withoutAnsi);
  if (plain.some((line) => INTRODUCED.test(line))) return true;
  return plain.filter((line) => REFRESHED.test(line)).length >= REFRESHED_MIN_COUNT;
}
