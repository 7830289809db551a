import { BLOB_JUDGED_BYTES } from "../../limits.ts";
import { joinBytes } from "../../join-bytes.ts";
import { beginsAsText, LooseDecoder, looseBytes } from "../result/loose-text.ts";
import { decodeUtf8 } from "../result/utf8.ts";

/** Rewrites a text as it goes by, as a scrubber does; it may hold back what it cannot judge yet. */
export interface TextFilter {
  push(text: string): string;
  end(): string;
  /** How many secrets it has taken out for their looks, where it counts them. */
  count?(): number;
}

/** A piece of a payload: the bytes that are kept, and the text that they are (empty for binary content). */
export interface PassedPiece {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** What a payload's bytes go through before anything else is done with them. */
export interface Pass {
  push(bytes: Uint8Array): PassedPiece;
  end(): PassedPiece;
  /** Whether all that came so far is said to be a text, and is one. */
  isText(): boolean;
}

const encoder = new TextEncoder();
const NOTHING = new Uint8Array();
const HIGH_SURROGATE_AT_END = /[\uD800-\uDBFF]$/;

/** A filter may cut anywhere; here half a surrogate pair waits for its other half. */
export function wholePairs(filter: TextFilter): TextFilter {
  let half = "";
  return {
    push: (piece) => {
      const passed = half + filter.push(piece);
      half = HIGH_SURROGATE_AT_END.exec(passed)?.[0] ?? "";
      return passed.slice(0, passed.length - half.length);
    },
    end: () => {
      const passed = half + filter.end();
      half = "";
      return passed;
    },
  };
}

/** Binary content goes through untouched: what must not be in it was taken out of its base64. */
export const bytesPass: Pass = {
  push: (bytes) => ({ bytes, text: "" }),
  end: () => ({ bytes: NOTHING, text: "" }),
  isText: () => false,
};

/**
 * Decodes UTF-8 that may be cut anywhere. Without a filter the bytes stay as they came; with one they are those of the text
 * that it lets through.
 */
export function textPass(filter: TextFilter | undefined): Pass {
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  if (filter === undefined) {
    return {
      push: (bytes) => ({ bytes, text: decoder.decode(bytes, { stream: true }) }),
      end: () => ({ bytes: NOTHING, text: decoder.decode() }),
      isText: () => true,
    };
  }
  const whole = wholePairs(filter);
  return {
    push: (bytes) => {
      const text = whole.push(decoder.decode(bytes, { stream: true }));
      return { text, bytes: encoder.encode(text) };
    },
    end: () => {
      const text = whole.push(decoder.decode()) + whole.end();
      return { text, bytes: encoder.encode(text) };
    },
    isText: () => true,
  };
}

/**
 * For the bytes of base64 that may be a text: the filter sees the text that they are, and bytes that are no UTF-8 go through
 * it untouched. `isSaid`: their type says that they are one. Their beginning decides, and is held back until then.
 * `scrub` is for those that are none: nothing was taken out of their base64.
 */
export function blobPass(filter: TextFilter, isSaid: boolean, scrub?: TextFilter): Pass {
  const decoder = new LooseDecoder();
  let whole: TextFilter | undefined = wholePairs(filter);
  let held: Uint8Array | undefined = NOTHING;
  let isText = true;
  const passed = (text: string): PassedPiece => ({ text, bytes: looseBytes(text) });
  const take = (bytes: Uint8Array): PassedPiece => {
    if (whole === undefined) return { bytes, text: "" };
    return passed(whole.push(decoder.push(bytes)));
  };
  const judged = (bytes: Uint8Array): PassedPiece => {
    isText = beginsAsText(bytes, isSaid);
    if (!isText) whole = scrub && wholePairs(scrub);
    held = undefined;
    return take(bytes);
  };
  return {
    push: (bytes) => {
      if (held === undefined) return take(bytes);
      held = joinBytes(held, bytes);
      return held.length < BLOB_JUDGED_BYTES ? { bytes: NOTHING, text: "" } : judged(held);
    },
    end: () => {
      const first = held === undefined ? undefined : judged(held);
      if (whole === undefined) return first ?? { bytes: NOTHING, text: "" };
      return passed((first?.text ?? "") + whole.push(decoder.end()) + whole.end());
    },
    isText: () => isSaid && isText && decoder.isUtf8,
  };
}

/** Gathers the beginning of a text, in whole characters. */
export interface TextHead {
  push(text: string): void;
  /** At most so many code points, well-formed: a lone surrogate is U+FFFD, as in the bytes. */
  finish(): string;
}

export function createTextHead(maxCodePoints: number): TextHead {
  let head = "";
  return {
    push: (text) => {
      // A code point is at most two units.
      if (head.length < 2 * maxCodePoints) head += text.slice(0, 2 * maxCodePoints - head.length);
    },
    finish: () => {
      const points = Array.from(head).slice(0, maxCodePoints).join("");
      return decodeUtf8(encoder.encode(points));
    },
  };
}
