import { GLOB_MAX_CHARS } from "./limits.ts";
import { fail, ok } from "./result.ts";
import type { Result } from "./result.ts";

/**
 * Globs over names and ids: `*` stands for any run of characters, the empty one, `:` and `/` included; every other
 * character stands for itself, in its case. Matching is linear in the text whatever the glob: no backtracking.
 */
export interface Glob {
  readonly source: string;
  /** The text between stars; one segment means that the glob has no star. */
  readonly segments: readonly Segment[];
}

interface Segment {
  readonly text: string;
  /** Knuth, Morris and Pratt: for each prefix, the length of its longest border. */
  readonly borders: readonly number[];
}

/** Counts character comparisons, so that a test can hold the matcher to its promise. */
export interface StepMeter {
  steps: number;
}

export function compileGlob(source: string): Result<Glob, "empty_glob" | "glob_too_long"> {
  if (source === "") return fail("empty_glob");
  if (source.length > GLOB_MAX_CHARS) return fail("glob_too_long");
  const segments = source.split("*").map((text) => ({ text, borders: bordersOf(text) }));
  return ok({ source, segments });
}

export function matchGlob(glob: Glob, text: string, meter: StepMeter = { steps: 0 }): boolean {
  const first = glob.segments[0];
  const last = glob.segments.at(-1);
  if (first === undefined || last === undefined) return false;
  if (glob.segments.length === 1)
    return equalAt(text, 0, first.text, meter) && text.length === first.text.length;
  const end = text.length - last.text.length;
  if (end < first.text.length) return false;
  if (!equalAt(text, 0, first.text, meter) || !equalAt(text, end, last.text, meter)) return false;
  // The leftmost place for each segment leaves the most room for the rest, so the first choice is never revised.
  let position = first.text.length;
  for (const segment of glob.segments.slice(1, -1)) {
    const found = indexOfSegment(text, segment, position, end, meter);
    if (found === -1) return false;
    position = found + segment.text.length;
  }
  return true;
}

/** Whether any of the globs matches. */
export function matchAny(globs: readonly Glob[], text: string): boolean {
  return globs.some((glob) => matchGlob(glob, text));
}

function equalAt(text: string, offset: number, part: string, meter: StepMeter): boolean {
  meter.steps += part.length;
  return text.startsWith(part, offset);
}

/** Where the segment first occurs inside `text[from, end)`, or -1. Each character of the text is passed once. */
function indexOfSegment(text: string, segment: Segment, from: number, end: number, meter: StepMeter): number {
  const { text: wanted, borders } = segment;
  if (wanted === "") return from;
  let matched = 0;
  for (let index = from; index < end; index += 1) {
    meter.steps += 1;
    while (matched > 0 && text[index] !== wanted[matched]) {
      meter.steps += 1;
      matched = borders[matched - 1] ?? 0;
    }
    if (text[index] === wanted[matched]) matched += 1;
    if (matched === wanted.length) return index + 1 - wanted.length;
  }
  return -1;
}

function bordersOf(text: string): number[] {
  const borders: number[] = [];
  let border = 0;
  for (let index = 0; index < text.length; index += 1) {
    while (border > 0 && text[index] !== text[border]) border = borders[border - 1] ?? 0;
    if (index > 0 && text[index] === text[border]) border += 1;
    borders.push(border);
  }
  return borders;
}
