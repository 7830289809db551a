import { areBelow, areStarts, numbersOf, widthFor } from "./numbers.ts";
import { Slices } from "./slices.ts";

/**
 * A list of numbers for each of some texts, in three sections: the texts in code point order, u32 starts (one more than there
 * are texts), and the numbers, two bytes each where they are below 65,536 by the bound that is given, else four.
 */
export interface Lists {
  readonly keys: Slices;
  readonly starts: ArrayLike<number>;
  readonly numbers: ArrayLike<number>;
}

export const NO_LISTS: Lists = { keys: Slices.none, starts: [0], numbers: [] };

/** Opens the three sections from `at` on. One pass over the numbers makes sure that all are below `end`. */
export function openLists(sections: readonly Uint8Array[], at: number, end: number): Lists | undefined {
  const [texts, cuts, list] = [sections[at], sections[at + 1], sections[at + 2]];
  const keys = texts === undefined ? undefined : Slices.open(texts);
  const starts = cuts === undefined ? undefined : numbersOf(cuts, 4);
  const numbers = list === undefined ? undefined : numbersOf(list, widthFor(end));
  if (keys === undefined || starts === undefined || numbers === undefined) return undefined;
  if (starts.length !== keys.count + 1 || !areStarts(starts, numbers.length)) return undefined;
  return areBelow(numbers, end) ? { keys, starts, numbers } : undefined;
}

/** The places in `numbers` of a key's list; an empty range for a key that there is not. */
export function rangeOf(
  { keys, starts }: Lists,
  key: string,
): { readonly from: number; readonly to: number } {
  const at = keys.find(key);
  return at < 0 ? { from: 0, to: 0 } : { from: starts[at] ?? 0, to: starts[at + 1] ?? 0 };
}
