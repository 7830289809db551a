/** CONTRACTS "Config": the default of `inline_max_tokens`. What stands for a larger text is no longer than that. */
export const SHOWN_MAX_TOKENS = 1_000;

/** Controls but the ends of lines and tabs, separators of lines, halves of pairs, and what turns the direction of writing. */
const UNSEEN = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** What some reader or other takes for the end of a line. */
const LINE_END = /[\n\r\v\f\u0085\u2028\u2029]/;
const GATEWAYS_LINE = /^\s*(?:not )?kept\b.*(?:bytes|tool_view)/;
const NAMES_LINE = "kept, in this order:";

/** The first sign of a composed text that nobody sees, and what stands before it. */
export function unseenIn(text: string): readonly string[] {
  const found = UNSEEN.exec(text);
  if (found === null) return [];
  const before = text.slice(Math.max(0, found.index - 30), found.index);
  return [`U+${found[0].codePointAt(0)?.toString(16)} behind ${JSON.stringify(before)}`];
}

/** Lines of a text that is no line of the gateway's and looks as if. */
export function forgedIn(text: string): readonly string[] {
  return text.split(LINE_END).filter((line) => GATEWAYS_LINE.test(line) && !line.startsWith(NAMES_LINE));
}
