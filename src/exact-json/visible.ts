import { unitEscapes } from "../unseen.ts";

/**
 * Line ends, controls, bidirectional marks and tags, which JSON may hold as they are. Outside of strings JSON has none but
 * `\n`, `\r` and `\t`, which stay.
 */
const LEADS_ASTRAY =
  /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** The same JSON with what nobody sees in its strings escaped, so that a reader of the text is not led astray by it. */
export function visibleJson(json: string): string {
  return json.replace(LEADS_ASTRAY, unitEscapes);
}
