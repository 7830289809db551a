import { INLINE_ESCAPES_PER_TOKEN } from "../../limits.ts";
import type { LargePayload } from "../../large-result.ts";
import type { InlineBounds } from "./inline-bounds.ts";
import { estimateTokens } from "./token-estimate.ts";
import type { Part } from "./tool-result.ts";
import { utf8Bytes } from "./utf8.ts";

/** Something of a result that is too large to be shown. */
export interface Keepsake {
  /** `selection`: a copy of what the operator wants in sight of another one. */
  readonly role: "text" | "structured" | "part" | "selection";
  /** One bounded line: what it is, and of a resource which one. */
  readonly label: string;
  /** Whether the label tells more than the kind. */
  readonly named: boolean;
  readonly mediaType: string;
  /** Empty where the payload was too large to hold. */
  readonly bytes: Uint8Array;
  /** The text that the bytes are; absent for binary content. */
  readonly text?: string;
  /** What was too large to hold: its bytes are on their way already. */
  readonly large?: LargePayload;
  /** What its summary begins with, in place of a kind. */
  readonly about?: string;
  /** The parts that it replaces. */
  readonly parts: readonly Part[];
  /** What replaced parts say beside the bytes: address, annotations, `_meta` and all. */
  readonly rests: readonly Part[];
}

const encoder = new TextEncoder();

export function isTooLarge(text: string, { maxTokens, textBytes }: InlineBounds): boolean {
  // The bytes first: only what is short enough to be shown is read character by character.
  return (
    utf8Bytes(text) > textBytes ||
    estimateTokens(text) > maxTokens ||
    escapedCount(text) > INLINE_ESCAPES_PER_TOKEN * maxTokens
  );
}

/** The characters that a JSON answer escapes, two tokens each at worst: a thousand line ends are one token as they stand. */
function escapedCount(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === QUOTE || unit === BACKSLASH) count += 1;
  }
  return count;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

type Of = Partial<Pick<Keepsake, "named" | "parts" | "rests" | "about">>;

export function textKeepsake(
  role: Keepsake["role"],
  label: string,
  mediaType: string,
  text: string,
  of: Of = {},
): Keepsake {
  const bytes = encoder.encode(text);
  return { role, label, mediaType, text, bytes, named: false, parts: [], rests: [], ...of };
}

export function largeKeepsake(
  role: Keepsake["role"],
  label: string,
  mediaType: string,
  large: LargePayload,
  of: Of = {},
): Keepsake {
  return {
    role,
    label,
    mediaType,
    large,
    bytes: new Uint8Array(),
    named: false,
    parts: [],
    rests: [],
    ...of,
  };
}

/** Of the payload itself, in bytes. */
export function sizeOf({ bytes, large }: Keepsake): number {
  return large === undefined ? bytes.length : large.sizeBytes;
}

/** Whether it is a text, which has lines. */
export function isTextual({ text, large }: Keepsake): boolean {
  return text !== undefined || (large !== undefined && large.form !== "bytes");
}
