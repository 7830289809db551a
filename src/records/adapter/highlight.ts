import { cutAtCodePoint } from "../../code-points.ts";
import { UNSEEN_RUN } from "../../unseen.ts";

const TAG = /(<\/?mark>)/;
const OPEN = "<mark>";
const CLOSE = "</mark>";

/**
 * A snippet on one line with at most `maxChars` characters, its `<mark>` tags counted, which are balanced and not nested whatever
 * the source sent and wherever it is cut.
 */
export function highlighted(snippet: string, maxChars: number): string {
  const beginning = snippet.slice(0, maxChars * 8);
  const pieces = balanced(beginning.replace(UNSEEN_RUN, " ").trim().split(TAG));
  const whole = pieces.join("");
  if (whole.length <= maxChars && beginning.length === snippet.length) return whole;
  return cut(pieces, maxChars);
}

/** The pieces with every tag that has no place replaced by a space: what stands around it must not become one by its going. */
function balanced(pieces: readonly string[]): readonly string[] {
  let open = false;
  const kept = pieces.map((piece) => {
    if (piece !== OPEN && piece !== CLOSE) return piece;
    if ((piece === OPEN) === open) return " ";
    open = !open;
    return piece;
  });
  return open ? [...kept, CLOSE] : kept;
}

function cut(pieces: readonly string[], maxChars: number): string {
  let left = maxChars - 1;
  let open = false;
  let text = "";
  for (const piece of pieces) {
    if (piece === CLOSE) {
      open = false;
      text += piece;
      continue;
    }
    if (piece === OPEN) {
      // With the tag its end is paid for, and something has to stand between them.
      if (left <= OPEN.length + CLOSE.length) break;
      left -= OPEN.length + CLOSE.length;
      open = true;
      text += piece;
      continue;
    }
    const taken = piece.length > left ? cutAtCodePoint(piece, left) : piece;
    text += taken;
    left -= taken.length;
    if (taken.length < piece.length) break;
  }
  return `${text}…${open ? CLOSE : ""}`;
}

/** The same words without tags. */
export function unhighlighted(snippet: string): string {
  return snippet.replaceAll(/<\/?mark>/g, "");
}
