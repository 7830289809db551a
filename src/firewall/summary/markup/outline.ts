import { SUMMARY_OUTLINE_ENTRY_MAX_CHARS, SUMMARY_OUTLINE_MAX_COUNT } from "../../../limits.ts";
import type { ProposedView } from "../analyser.ts";
import { counted, owned, unitsWithin } from "../cut.ts";
import { seen } from "../neutral.ts";

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly line: number;
}

const HEADING_POINTS = 80;
const LABEL_POINTS = 60;
const SECTIONS_PROPOSED_COUNT = 3;

/** The headings of a document: the first ones, and how many there are. */
export class Outline {
  readonly headings: Heading[] = [];
  count = 0;

  add(level: number, text: string, line: number): void {
    this.count += 1;
    if (this.headings.length >= SUMMARY_OUTLINE_MAX_COUNT) return;
    const head = owned(unitsWithin(text.trim(), SUMMARY_OUTLINE_ENTRY_MAX_CHARS));
    this.headings.push({ level, text: head, line });
  }

  get retainedChars(): number {
    return this.headings.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** Of as many levels as there is room for, each with its line; where even the highest are too many, the first of them. */
  lines(room: number): string[] {
    const levels = [...new Set(this.headings.map(({ level }) => level))].sort((left, right) => left - right);
    let best: Heading[] = [];
    for (const deepest of levels) {
      const chosen = this.headings.filter(({ level }) => level <= deepest);
      if (sizeOf(chosen) > room) {
        if (best.length < 3) best = within(chosen, room);
        break;
      }
      best = chosen;
    }
    const hidden = this.count - best.length;
    const shown = best.map(
      ({ level, text, line }) => `${line} ${"#".repeat(level)} ${seen(text, HEADING_POINTS)}`,
    );
    return hidden > 0 ? [...shown, `…${counted(hidden, "more heading")}`] : shown;
  }

  /** The sections of the highest level that has several. `lines`: how many there are in all. */
  sections(lines: number): ProposedView[] {
    const level = [1, 2, 3].find(
      (each) => this.headings.filter((heading) => heading.level === each).length > 1,
    );
    if (level === undefined || this.count > this.headings.length) return [];
    return this.headings
      .flatMap((heading, index): ProposedView[] => {
        if (heading.level !== level) return [];
        const next = this.headings.slice(index + 1).find((each) => each.level <= level);
        const end = Math.max(heading.line + 1, next?.line ?? lines);
        const label = `section: ${seen(heading.text, LABEL_POINTS)}`;
        return [{ selector: { type: "lines", start: heading.line, end }, label }];
      })
      .slice(0, SECTIONS_PROPOSED_COUNT);
  }
}

function sizeOf(headings: readonly Heading[]): number {
  return headings.reduce(
    (sum, { text, level }) => sum + Math.min(text.length, HEADING_POINTS) + level + 6,
    0,
  );
}

function within(headings: readonly Heading[], room: number): Heading[] {
  let count = 1;
  while (count < headings.length && sizeOf(headings.slice(0, count + 1)) <= room) count += 1;
  return headings.slice(0, count);
}
