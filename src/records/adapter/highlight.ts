import { cutAtCodePoint } from "../../code-points.ts";
import { UNSEEN_RUN } from "../../unseen.ts";

const TAG = /(<\/?mark>)/;
const OPEN = "<mark>";
const CLOSE = "</mark>";

/**
 * A snippet on one line with at most `maxChars` characters besides its `<mark>` tags, which are balanced and not nested whatever
 * the source sent and wherever it is cut.
 */
export function highlighted(snippet: string, maxChars: number): string {
  const pieces = snippet
    .slice(0, maxChars * 8)
    .replace(UNSEEN_RUN, " ")
    .trim()
    .split(TAG);
  const isCut = unhighlighted(pieces.join("")).length > maxChars;
  let left = isCut ? maxChars - 1 : maxChars;
  let open = false;
  let text = "";
  for (const piece of pieces) {
    if (piece !== OPEN && piece !== CLOSE) {
      const taken = piece.length > left ? cutAtCodePoint(piece, left) : piece;
      text += taken;
      left -= taken.length;
      if (taken.length < piece.length) break;
    } else if ((piece === OPEN) !== open) {
      open = !open;
      text += piece;
    } else if (left > 0) {
      // What stands around a tag that has no place here must not become one by its going.
      text += " ";
      left -= 1;
    }
  }
  return `${text}${isCut ? "…" : ""}${open ? CLOSE : ""}`;
}

/** The same words without tags. */
export function unhighlighted(snippet: string): string {
  return snippet.replaceAll(/<\/?mark>/g, "");
}
