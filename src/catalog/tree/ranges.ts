import { TREE_RANGE_END_MAX_CHARS, TREE_RANGE_TARGET_ITEMS } from "../../limits.ts";
import type { Meter } from "./meter.ts";

/** Something with a place in the alphabet that is never divided, and how many tools it stands for. */
export interface Unit {
  readonly name: string;
  readonly weight: number;
}

export interface Range<Item extends Unit> {
  readonly name: string;
  readonly units: readonly Item[];
}

/** How many leading characters two names share. */
function sharedChars(left: string, right: string, meter: Meter): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  meter.steps += at + 1;
  return at;
}

/** The leading `chars` characters of a name, with a number that they would cut left whole. */
function upTo(name: string, chars: number): string {
  const cut = name.slice(0, chars);
  const digits = /\d$/.test(cut) ? /^\d+(?![0-9a-z])/.exec(name.slice(chars)) : null;
  return cut + (digits?.[0] ?? "");
}

/** Where to cut units so that the parts weigh about the same: at the place near each ideal where names differ soonest. */
function boundaries(
  units: readonly Unit[],
  shared: readonly number[],
  parts: number,
  most: number,
): number[] {
  const total = units.reduce((sum, { weight }) => sum + weight, 0);
  const ideal = total / parts;
  const slack = ideal > most ? ideal / 4 : Math.min(ideal / 4, (most - ideal) / 2);
  const cuts: number[] = [];
  let at = 1;
  let before = units[0]?.weight ?? 0;
  for (let part = 1; part < parts; part += 1) {
    const goal = ideal * part;
    let found: { at: number; shared: number; distance: number } | undefined;
    // The windows of two goals never meet, so this walks over the units once.
    for (; at < units.length; at += 1) {
      const distance = Math.abs(before - goal);
      const here = { at, shared: distance <= slack ? (shared[at] ?? 0) : Number.POSITIVE_INFINITY, distance };
      if (
        found === undefined ||
        here.shared < found.shared ||
        (here.shared === found.shared && distance < found.distance)
      ) {
        found = here;
      } else if (before > goal + slack) break;
      before += units[at]?.weight ?? 0;
    }
    if (found !== undefined && found.at > (cuts.at(-1) ?? 0)) cuts.push(found.at);
  }
  return cuts;
}

/**
 * Divides units, sorted by name, into at most `most` alphabetic ranges of about equal weight, two or more where there
 * are two units. A range is named by its ends: `a-c`, `accounts-contacts`, `0001-0299`; `whole` shows names in full.
 */
export function divide<Item extends Unit>(
  units: readonly Item[],
  most: number,
  whole: boolean,
  meter: Meter,
): Range<Item>[] {
  const shared = units.map(({ name }, at) => sharedChars(units[at - 1]?.name ?? "", name, meter));
  const total = units.reduce((sum, { weight }) => sum + weight, 0);
  const parts = Math.max(2, Math.min(most, Math.ceil(total / TREE_RANGE_TARGET_ITEMS)));
  const cuts = boundaries(units, shared, parts, most);
  // What all names share says nothing, back to where its last word ends.
  const common = sharedChars(units[0]?.name ?? "", units.at(-1)?.name ?? "", meter);
  const word = (units[0]?.name ?? "").slice(0, common).replace(/[^_-]+$/, "").length;
  return [0, ...cuts].map((start, part) => {
    const end = cuts[part] ?? units.length;
    // As many characters as tell both ends from their neighbours outside: `h45-h4c`, never `h45-h4`.
    const chars = Math.max(common, shared[start] ?? 0, shared[end] ?? 0) + 1;
    // Where that is too long for a label, only the characters that tell.
    const lead = chars - word > TREE_RANGE_END_MAX_CHARS ? common : word;
    const label = ({ name }: Unit): string =>
      (whole ? name : upTo(name, chars).slice(lead))
        .slice(0, TREE_RANGE_END_MAX_CHARS)
        .replaceAll(/^[_-]+|[_-]+$/g, "");
    const ends = [
      ...new Set([units[start], units[end - 1]].flatMap((unit) => (unit === undefined ? [] : [label(unit)]))),
    ];
    const name = ends.filter((text) => text !== "").join("-");
    return { name: name === "" ? `part-${part + 1}` : name, units: units.slice(start, end) };
  });
}
