import { REPORT_ENTRIES_MAX_COUNT, REPORT_NAME_MAX_CODE_POINTS } from "../../limits.ts";
import { displayText, firstCodePoints } from "../cards/display-text.ts";

/** A tool left out, with the reason. The name is fit to be shown. */
export interface Skip {
  readonly name: string;
  readonly reason: string;
}

/** Something an operator should know of a tool. The name is fit to be shown. */
export interface Finding {
  readonly tool: string;
  readonly code: string;
}

/** A foreign name in a report: one line, bounded, without anything unseen. */
export function reportName(name: string): string {
  return firstCodePoints(
    displayText(name.slice(0, 8 * REPORT_NAME_MAX_CODE_POINTS)),
    REPORT_NAME_MAX_CODE_POINTS,
  );
}

/** What was left out of a listing and what was found in it, up to a bound; the rest is counted. */
export class IngestReport {
  readonly skipped: Skip[] = [];
  readonly findings: Finding[] = [];
  omitted = 0;

  skip(name: string, reason: string): void {
    this.#note(this.skipped, { name, reason });
  }

  find(tool: string, code: string): void {
    this.#note(this.findings, { tool, code });
  }

  #note<Entry>(list: Entry[], entry: Entry): void {
    if (list.length < REPORT_ENTRIES_MAX_COUNT) list.push(entry);
    else this.omitted += 1;
  }
}
