import { spelt, unitEscapes } from "../unseen.ts";

/**
 * Line ends, controls, and whatever else shows nothing, which JSON may hold as it is. Outside of strings JSON has none but
 * `\n`, `\r` and `\t`, which stay.
 */
const LEADS_ASTRAY =
  /(?![\n\r\t]|\p{Join_Control}|\p{Variation_Selector})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** With what stands around them, by which it is known whether a text is spelt with them. */
const SPELLING = /(?<=([^]?))(?:\p{Join_Control}|\p{Variation_Selector})+(?=([^]?))/gu;

/** The same JSON with what nobody sees in its strings escaped, so that a reader of the text is not led astray by it. */
export function visibleJson(json: string): string {
  return json
    .replace(LEADS_ASTRAY, unitEscapes)
    .replace(SPELLING, (run, before: string, after: string) =>
      spelt(before + run + after) === before + run + after ? run : unitEscapes(run),
    );
}
