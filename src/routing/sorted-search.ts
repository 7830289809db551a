import { compareCodePoints } from "../code-points.ts";

/** The first place in a list in code point order whose entry is not before `key`. */
export function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareCodePoints(sorted[middle] ?? "", key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
