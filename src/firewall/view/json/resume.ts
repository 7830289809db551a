import { VIEW_CUT_READ_BYTES, VIEW_SCAN_MAX_BYTES } from "../../../limits.ts";
import type { WalkState } from "./walk.ts";

/** One open container: what it is and which child comes next. */
const LEVEL = "[oa]\\d{1,15}";
const RESUME = new RegExp(`^(?<levels>(?:${LEVEL}(?:\\.${LEVEL}){0,127})?)(?<within>[!~]\\d{1,9}s?)?$`);

/** A walk's state as one short word: `o0.a12!3s` is in element 12 of a member, three brackets deep, in a string. */
export function resumeText({ levels, within }: WalkState): string {
  const open = levels.map(({ isObject, index }) => `${isObject ? "o" : "a"}${index}`).join(".");
  if (within === null) return open;
  const { depth, inString } = within.inside;
  return `${open}${within.wanted ? "!" : "~"}${depth}${inString ? "s" : ""}`;
}

/** The state that `next` carried; `undefined` for any other word. */
export function readResume(text: string): WalkState | undefined {
  const groups = RESUME.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { levels = "", within } = groups;
  return {
    levels:
      levels === ""
        ? []
        : levels
            .split(".")
            .map((level) => ({ isObject: level.startsWith("o"), index: Number(level.slice(1)) })),
    within:
      within === undefined
        ? null
        : {
            wanted: within.startsWith("!"),
            inside: { depth: Number.parseInt(within.slice(1), 10), inString: within.endsWith("s") },
          },
  };
}

/** How much to read from there: a value that is being shown fills the answer soon, everything else is looked for. */
export function scanBytes(state: WalkState | undefined): number {
  return state?.within?.wanted === true ? VIEW_CUT_READ_BYTES : VIEW_SCAN_MAX_BYTES;
}
