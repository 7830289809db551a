import { ARTIFACT_LABEL_MAX_CODE_POINTS } from "../../limits.ts";
import { cutWithin } from "../summary/cut.ts";
import { UNSEEN_RUN } from "../../unseen.ts";

/** The kind of a part and the address or name that an upstream gave it, as one bounded line. */
export function labelOf(kind: string, name: unknown): { readonly label: string; readonly named: boolean } {
  const line = typeof name === "string" ? seen(name) : "";
  const label = cutWithin(seen(`${kind} ${line}`), ARTIFACT_LABEL_MAX_CODE_POINTS);
  return { label, named: line !== "" };
}

function seen(text: string): string {
  // Cut before it is cleaned, so that a long address is not walked to its end.
  return oneSeenLine(text.slice(0, 4 * ARTIFACT_LABEL_MAX_CODE_POINTS));
}

/** A short text as one line of signs that a reader sees, so that it cannot pretend to be a line of ours. */
export function oneSeenLine(text: string): string {
  return text.replace(UNSEEN_RUN, " ").trim();
}
