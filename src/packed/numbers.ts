/** Numbers read in place. The section must be aligned, as `openSections` gives it; undefined if it ends inside a number. */
export function numbersOf(section: Uint8Array, width: 2 | 4): Uint16Array | Uint32Array | undefined {
  if (section.length % width !== 0) return undefined;
  const { buffer, byteOffset } = section;
  const count = section.length / width;
  return width === 2
    ? new Uint16Array(buffer, byteOffset, count)
    : new Uint32Array(buffer, byteOffset, count);
}

/** The narrower array that holds whole numbers below `end`. */
export function widthFor(end: number): 2 | 4 {
  return end <= 0x1_00_00 ? 2 : 4;
}

/** An array of whole numbers below `end`, as narrow as they allow. */
export function arrayFor(end: number, count: number): Uint16Array | Uint32Array {
  return widthFor(end) === 2 ? new Uint16Array(count) : new Uint32Array(count);
}

export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Whether a list of starts begins at 0, never falls, and ends at `end`. */
export function areStarts(starts: ArrayLike<number>, end: number): boolean {
  let last = 0;
  for (let at = 0; at < starts.length; at += 1) {
    const start = starts[at] ?? 0;
    if (start < last) return false;
    last = start;
  }
  return starts.length > 0 && starts[0] === 0 && last === end;
}

/** Whether every number is below `end`. */
export function areBelow(numbers: ArrayLike<number>, end: number): boolean {
  for (let at = 0; at < numbers.length; at += 1) if ((numbers[at] ?? 0) >= end) return false;
  return true;
}
