import { ANSWER_PARTS_MIN_BYTES, INLINE_BYTES_PER_TOKEN } from "../../limits.ts";

/** What of one tool's results may be shown as it came. */
export interface InlineBounds {
  /** Of the text, and once more of what stands beside a text that was cut. Estimated. */
  readonly maxTokens: number;
  /** Of the text: the estimate is an estimate, so the bytes have a bound of their own. */
  readonly textBytes: number;
  /** Of one binary part, decoded. */
  readonly imageBytes: number;
  /** Of all parts that are no text, as JSON. */
  readonly partsBytes: number;
}

export function inlineBounds(maxTokens: number, imageBytes: number): InlineBounds {
  return {
    maxTokens,
    textBytes: INLINE_BYTES_PER_TOKEN * maxTokens,
    imageBytes,
    // In base64 an image is a third larger, and half as much again may stand beside it.
    partsBytes: Math.max(ANSWER_PARTS_MIN_BYTES, 2 * imageBytes),
  };
}
