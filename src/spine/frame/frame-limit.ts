import { FRAME_DEFAULT_LIMIT_BYTES, FRAME_LIMIT_MAX_BYTES } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";

declare const FRAME_LIMIT: unique symbol;

/** How many bytes of UTF-8 a frame may have, its line's end not counted: from 1 to `FRAME_LIMIT_MAX_BYTES`. */
export type FrameLimit = typeof FRAME_DEFAULT_LIMIT_BYTES | (number & { readonly [FRAME_LIMIT]: true });

function isFrameLimit(value: unknown): value is FrameLimit {
  return (
    typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= FRAME_LIMIT_MAX_BYTES
  );
}

/** Reads a limit in bytes. A limit of none would refuse every frame, and one without an end is no limit. */
export function frameLimit(bytes: unknown): Result<FrameLimit, "invalid_frame_limit"> {
  return isFrameLimit(bytes) ? ok(bytes) : fail("invalid_frame_limit");
}

export const DEFAULT_FRAME_LIMIT: FrameLimit = FRAME_DEFAULT_LIMIT_BYTES;

/** Whether a text has more bytes of UTF-8 than the limit. Counts no further than it must, and encodes nothing. */
export function exceedsLimit(text: string, limit: FrameLimit): boolean {
  if (text.length > limit) return true;
  if (text.length * 3 <= limit) return false;
  let bytes = text.length;
  for (let at = 0; at < text.length && bytes <= limit; at += 1) {
    const point = text.codePointAt(at) ?? 0;
    if (point >= 0x80) bytes += point >= 0x800 ? 2 : 1;
    // Two units, four bytes; a lone surrogate is written as U+FFFD, in three.
    if (point > 0xffff) at += 1;
  }
  return bytes > limit;
}
