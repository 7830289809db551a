/** What ends a line, moves a cursor, hides itself or turns a line around; half a surrogate pair too. */
const UNSEEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\p{Surrogate}]/gu;

/** One record of the log as one line, in which foreign text forges no other: control characters stand as JSON escapes. */
export function oneLine(text: string): string {
  return text.replace(UNSEEN, (unit) =>
    unit === "\n" ? "\\n" : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
