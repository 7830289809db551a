const MARK = "…";

/** For a text that is known to go on: one code point less than `count` of it, and the mark. */
export function firstPoints(points: readonly string[], count: number): string {
  return `${points
    .slice(0, count - 1)
    .join("")
    .trimEnd()}${MARK}`;
}

/** At most so many code points, the last of them a mark where the text goes on. A text of exactly so many is whole. */
export function cutWithin(text: string, count: number): string {
  const points = Array.from(text.slice(0, 2 * count + 2));
  return points.length <= count && text.length <= 2 * count + 2 ? text : firstPoints(points, count);
}

/** Code points; a lone surrogate is one. */
export function pointsOf(text: string): number {
  let pairs = 0;
  for (let index = 1; index < text.length; index += 1) {
    if (isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1))) pairs += 1;
  }
  return text.length - pairs;
}

export function isHigh(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}

export function isLow(unit: number): boolean {
  return unit >= 0xdc_00 && unit <= 0xdf_ff;
}

/** At most so many UTF-16 units from the start, a surrogate pair never split. */
export function unitsWithin(text: string, units: number): string {
  if (text.length <= units) return text;
  return text.slice(0, isHigh(text.charCodeAt(units - 1)) ? units - 1 : units);
}

/**
 * The same text in memory of its own. What is sliced from a piece keeps the whole piece alive in V8, and a piece may be
 * megabytes; joined to something and sliced again, it keeps only itself.
 */
export function owned(text: string): string {
  return ` ${text}`.slice(1);
}

/** A larger piece is worth letting go of: what is kept of it is made its own. Smaller ones may stay. */
export const SETTLE_CHARS = 4_096;

/** Whether a text of so many UTF-16 units has no more than so many bytes of UTF-8, for certain. */
export function fitsIn(units: number, bytes: number): boolean {
  return 3 * units <= bytes;
}

/** A count with a comma at each thousand, in no locale. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:[0-9]{3})+$)/g, ",");
}

/** `1 row`, `2 rows`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
