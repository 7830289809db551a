import { ARTIFACT_LABEL_MAX_CODE_POINTS } from "../../limits.ts";
import { cutPoints } from "../summary/summary.ts";

/** What is no sign that a reader sees: controls, lone surrogates, separators, bidirectional overrides, tag characters. */
const UNSEEN_RUN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu;

/** The kind of a part and the address or name that an upstream gave it, as one bounded line. */
export function labelOf(kind: string, name: unknown): { readonly label: string; readonly named: boolean } {
  const line = typeof name === "string" ? seen(name) : "";
  const label = cutPoints(seen(`${kind} ${line}`), ARTIFACT_LABEL_MAX_CODE_POINTS);
  return { label, named: line !== "" };
}

function seen(text: string): string {
  // Cut before it is cleaned, so that a long address is not walked to its end.
  return text
    .slice(0, 4 * ARTIFACT_LABEL_MAX_CODE_POINTS)
    .replace(UNSEEN_RUN, " ")
    .trim();
}
