import { SCRUB_STREAM_ESCAPE_CHARS, SCRUB_STREAM_REACH_CHARS, SCRUB_STREAM_WINDOW_CHARS } from "../limits.ts";
import { findSecrets, replaced, type SecretMatcher, wholeEscapes } from "./secret-places.ts";

/** Changes a text that comes in pieces; what comes out is the same however it was cut. */
export interface TextFilter {
  /** What is certain after this piece, which may be nothing. */
  push(piece: string): string;
  /** The rest; nothing may be pushed after it. */
  end(): string;
}

export const UNFILTERED: TextFilter = { push: (piece) => piece, end: () => "" };

/** Both filters, one behind the other. */
export function inTurn(first: TextFilter, second: TextFilter): TextFilter {
  return {
    push: (piece) => second.push(first.push(piece)),
    end: () => second.push(first.end()) + second.end(),
  };
}

/**
 * Takes secrets out of a text of any length. A window is held back until it is so long that a secret which begins in its
 * first part, escapes and all, ends inside it; that part then leaves, up to a place that no secret reaches over.
 */
export function scrubStream(matcher: SecretMatcher): TextFilter {
  let held = "";
  const release = (): string => {
    const { spans } = findSecrets(held, matcher);
    let cut = plainPlace(held, held.length - SCRUB_STREAM_REACH_CHARS);
    // A place inside a secret moves to the secret's beginning; what stands there is looked at again with what follows.
    for (const { start, end } of spans) if (start < cut && cut < end) cut = start;
    const before = spans.filter(({ end }) => end <= cut).map((span) => wholeEscapes(held, span));
    const clean = replaced(held.slice(0, cut), before);
    held = held.slice(cut);
    return clean;
  };
  return {
    push: (piece) => {
      held += piece;
      return held.length < SCRUB_STREAM_WINDOW_CHARS ? "" : release();
    },
    end: () => {
      const { spans } = findSecrets(held, matcher);
      const clean = replaced(
        held,
        spans.map((span) => wholeEscapes(held, span)),
      );
      held = "";
      return clean;
    },
  };
}

const ESCAPE_MARK = /[\\%&\ud800-\udbff]/;

/** The last place before `from` that is inside no escape and no surrogate pair; `from` where escapes stand everywhere. */
function plainPlace(text: string, from: number): number {
  const nearest = Math.max(SCRUB_STREAM_ESCAPE_CHARS, from - SCRUB_STREAM_REACH_CHARS);
  for (let place = from; place > nearest;) {
    const mark = lastMark(text.slice(place - SCRUB_STREAM_ESCAPE_CHARS, place));
    if (mark < 0) return place;
    place -= SCRUB_STREAM_ESCAPE_CHARS - mark;
  }
  return from;
}

function lastMark(text: string): number {
  for (let at = text.length - 1; at >= 0; at -= 1) if (ESCAPE_MARK.test(text.charAt(at))) return at;
  return -1;
}
