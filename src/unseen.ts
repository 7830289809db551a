/** What no reader sees: controls, lone surrogates, separators, bidirectional and other ignorable signs. Not the plain space. */
export const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** The same and spaces, as many as stand together: they are one space in a line that is composed. */
export const UNSEEN_RUN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu;

export function hasUnseen(text: string): boolean {
  return text.search(UNSEEN) >= 0;
}

/** A sign as JSON and JSONPath escape it, unit by unit: `\u202e`. */
export function unitEscapes(sign: string): string {
  return sign
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** Joiners and variation selectors, which scripts and emoji are spelt with, as many as stand together. */
const SPELLING = /(?:\p{Join_Control}|\p{Variation_Selector})+/gu;
const JOINER = /\p{Join_Control}/u;
/** What a selector may change the look of: emoji's own two, and any of a script that has variants. */
const EMOJI = /\p{Emoji}/u;
const EMOJI_SELECTOR = /^[\ufe0e\ufe0f]/;
const HAS_VARIANTS = /[\p{Script=Han}\p{Script=Mongolian}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Sm}]/u;
const SELECTOR = /^[\u180b-\u180d\u180f\ufe00-\ufe0f]/;
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * The text with no more joiners and variation selectors than it is spelt with: one selector behind a sign that has
 * variants, one joiner between two signs of other scripts than ours. More of them show nothing and say what they like.
 */
export function spelt(text: string): string {
  return text.replace(SPELLING, (run: string, at: number) => {
    const before = text.slice(Math.max(0, at - 2), at);
    const sign = Array.from(before).at(-1) ?? "";
    const hasSelector =
      (EMOJI.test(sign) && EMOJI_SELECTOR.test(run)) || (HAS_VARIANTS.test(sign) && SELECTOR.test(run));
    const joiner = JOINER.exec(run)?.[0] ?? "";
    const joins = NOT_ASCII.test(sign) && NOT_ASCII.test(text.charAt(at + run.length));
    return (hasSelector ? run.slice(0, 1) : "") + (joins ? joiner : "");
  });
}
