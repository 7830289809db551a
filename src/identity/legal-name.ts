import { TOOL_NAME_MAX_CHARS } from "../limits.ts";

/**
 * A name made legal for an id: a character outside the grammar as `_`, no `.` or `-` at the ends, never empty. `lead` stands
 * before one that would begin with a digit.
 */
export function legalName(text: string, lead: string): string {
  const name = trimmed(text.replace(/[^A-Za-z0-9_.-]/gu, "_"), ".-");
  if (name === "") return "item";
  return (/^[A-Za-z_]/.test(name) ? name : `${lead}${name}`).slice(0, TOOL_NAME_MAX_CHARS);
}

/** Loops, since a regular expression for a trailing run takes quadratic time on a long run in the middle. */
export function trimmed(text: string, characters: string): string {
  let start = 0;
  while (start < text.length && characters.includes(text.charAt(start))) start += 1;
  return trimmedEnd(text.slice(start), characters);
}

export function trimmedEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
