/** A text, and whether it was longer. */
export interface TruncatedText {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * The first `limit` code points of a text, without any mark of its own; no limit keeps all of it. A surrogate pair is one
 * code point and is never split, a lone surrogate is one too. A limit that is no number or negative is 0. Reads no more
 * of the text than it gives.
 */
export function truncateChars(raw: string, limit?: number): TruncatedText {
  // A code point has one unit at least.
  if (limit === undefined || raw.length <= limit) return { text: raw, truncated: false };
  let end = 0;
  for (let count = 1; count <= limit && end < raw.length; count += 1) end += unitsAt(raw, end);
  return { text: raw.slice(0, end), truncated: end < raw.length };
}

/** Code points of a text, counted up to `enough`. */
export function countChars(text: string, enough: number = Infinity): number {
  let count = 0;
  for (let at = 0; at < text.length && count < enough; at += unitsAt(text, at)) count += 1;
  return count;
}

/** The words of a text with one space between them, and none around: Unicode's white space, line breaks included. */
export function collapseInlineWhitespace(text: string): string {
  return text
    .split(/\p{White_Space}+/u)
    .filter((word) => word !== "")
    .join(" ");
}

function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1;
}
