/**
 * How many slips of the pen make one text the other, up to `most`: letters left out, added, replaced, or two neighbours
 * swapped (optimal string alignment), counted in UTF-16 units. `undefined` beyond. At most (2 · most + 1) steps a letter.
 */
export function editDistance(left: string, right: string, most: number): number | undefined {
  if (Math.abs(left.length - right.length) > most) return undefined;
  // What both begin and end with decides nothing.
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let [endLeft, endRight] = [left.length, right.length];
  while (endLeft > start && endRight > start && left[endLeft - 1] === right[endRight - 1]) {
    endLeft -= 1;
    endRight -= 1;
  }
  return alignment(left.slice(start, endLeft), right.slice(start, endRight), most);
}

/** Row by row over the pairs of prefixes whose lengths differ by no more than `most`: others are further apart. */
function alignment(left: string, right: string, most: number): number | undefined {
  const beyond = most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current: number[] = [];
    if (row <= most) current[0] = row;
    let nearest = current[0] ?? beyond;
    for (let column = Math.max(1, row - most); column <= Math.min(right.length, row + most); column += 1) {
      const same = left[row - 1] === right[column - 1];
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const cost = Math.min(
        (last[column - 1] ?? beyond) + (same ? 0 : 1),
        (last[column] ?? beyond) + 1,
        (current[column - 1] ?? beyond) + 1,
        swapped ? (beforeLast[column - 2] ?? beyond) + 1 : beyond,
      );
      current[column] = cost;
      nearest = Math.min(nearest, cost);
    }
    if (nearest > most) return undefined;
    [beforeLast, last] = [last, current];
  }
  const distance = last[right.length] ?? beyond;
  return distance > most ? undefined : distance;
}
