import { spelt } from "../../unseen.ts";

/**
 * What separates words or shows nothing: controls (line ends, NUL, C1), white space (U+2028, U+00A0, U+FEFF), and
 * everything that Unicode calls ignorable by default: bidirectional overrides, zero-width spaces, tag characters, fillers.
 * A model reads those and a person does not see them, so they could hide instructions or turn a line around. Joiners and
 * variation selectors stay, because Persian, Indic scripts, Mongolian and emoji are spelt with them, but no more
 * than those need; those of plane 14 are too many and too rarely meant, and carry hidden bytes.
 */
const UNSEEN_RUN =
  /(?:[\u{E0000}-\u{E0FFF}]|(?!\p{Join_Control}|\p{Variation_Selector})[\p{Control}\s\p{Default_Ignorable_Code_Point}])+/gu;

/** A text of nothing but spaces, joiners and selectors says nothing. */
const SEEN = /[^\s\p{Join_Control}\p{Variation_Selector}]/u;

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The text with each lone surrogate as U+FFFD, so that its UTF-8 bytes, and any hash over them, say the same everywhere. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, "\u{FFFD}");
}

/**
 * A foreign text as one well-formed line: every run of controls, white space and unseen characters is one space, none at
 * the ends. Empty when nothing in it can be seen. Applying it again changes nothing.
 */
export function displayText(text: string): string {
  // Once more: joiners that go may have stood between two spaces.
  const line = spaced(spelt(spaced(wellFormed(text))));
  return SEEN.test(line) ? line : "";
}

function spaced(text: string): string {
  return text.replace(UNSEEN_RUN, " ").trim();
}

/** The first so many code points; a surrogate pair is never split. */
export function firstCodePoints(text: string, count: number): string {
  // A code point takes at most two units, so a long text is not walked to its end.
  return Array.from(text.slice(0, count * 2))
    .slice(0, count)
    .join("");
}
