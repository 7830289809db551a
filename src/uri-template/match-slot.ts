import type { Atom } from "./atoms.ts";
import type { UriUnits } from "./uri-units.ts";

/** Counts the steps of one match down; below zero it is given up. */
export interface Steps {
  left: number;
}

type Slot = Extract<Atom, { kind: "slot" }>;

/** Which units a slot's values take, and what stands between them. */
interface Grammar {
  readonly inValue: Uint8Array;
  /** Empty where one value takes it all. */
  readonly separator: string;
  readonly maxChars: number;
}

/** Between the values of a list: the operator's own mark where it is exploded, else a comma (RFC 6570 §3.2.1). */
export function separatorOf({ variable, mark }: Slot): string {
  const { operator, exploded, prefixChars } = variable;
  // Reserved characters are in the value itself; a prefix is of one value.
  if (operator === "+" || operator === "#" || prefixChars !== undefined) return "";
  return exploded && mark !== "" ? mark : ",";
}

/** At which units a slot fits, so that what is behind it fits too. One sweep from the end. */
export function slotFits(slot: Slot, units: UriUnits, behind: Uint8Array, steps: Steps): Uint8Array {
  const { inValue, separator, maxChars } = grammarOf(slot, units);
  const { uri, count, offsets, characters } = units;
  steps.left -= count;
  /** Whether a value may begin, or go on, at a unit. */
  const goesOn = new Uint8Array(count + 2);
  // The nearest end of the value leaves the fewest characters in it.
  let nearestEnd = -1;
  for (let at = count - 1; at >= 0; at -= 1) {
    if (inValue[at] !== 1) {
      nearestEnd = -1;
      continue;
    }
    if (behind[at + 1] === 1) nearestEnd = at + 1;
    const further =
      nearestEnd !== -1 ||
      goesOn[at + 1] === 1 ||
      (separator !== "" && uri.charAt(offsets[at + 1] ?? 0) === separator && goesOn[at + 2] === 1);
    const short = nearestEnd === -1 || (characters[nearestEnd] ?? 0) - (characters[at] ?? 0) <= maxChars;
    if (further && short) goesOn[at] = 1;
  }
  const fits = new Uint8Array(count + 1);
  for (let at = 0; at <= count; at += 1) {
    const begins = slot.mark === "" ? at : uri.charAt(offsets[at] ?? 0) === slot.mark ? at + 1 : -1;
    const filled = begins !== -1 && goesOn[begins] === 1;
    if (filled || (slot.optional && behind[at] === 1)) fits[at] = 1;
  }
  return fits;
}

/** Where a slot that begins at a unit ends at the latest; at that very unit where it is left out. */
export function slotEnd(
  slot: Slot,
  units: UriUnits,
  start: number,
  behind: Uint8Array,
  steps: Steps,
): number | undefined {
  const { inValue, separator, maxChars } = grammarOf(slot, units);
  const { uri, count, offsets, characters } = units;
  let end = slot.optional && behind[start] === 1 ? start : undefined;
  let at = start;
  if (slot.mark !== "") {
    if (uri.charAt(offsets[at] ?? 0) !== slot.mark) return end;
    at += 1;
  }
  const first = characters[at] ?? 0;
  let mayBeSeparator = false;
  for (; at < count; at += 1) {
    steps.left -= 1;
    if (inValue[at] === 1) {
      if ((characters[at + 1] ?? 0) - first > maxChars) break;
      mayBeSeparator = true;
      if (behind[at + 1] === 1) end = at + 1;
    } else if (mayBeSeparator && separator !== "" && uri.charAt(offsets[at] ?? 0) === separator) {
      mayBeSeparator = false;
    } else {
      break;
    }
  }
  return end;
}

function grammarOf(slot: Slot, units: UriUnits): Grammar {
  const { operator, prefixChars } = slot.variable;
  return {
    inValue: operator === "+" || operator === "#" ? units.any : units.plain,
    separator: separatorOf(slot),
    maxChars: prefixChars ?? Number.POSITIVE_INFINITY,
  };
}
