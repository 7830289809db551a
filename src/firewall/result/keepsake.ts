import { INLINE_MAX_TOKENS, INLINE_TEXT_MAX_BYTES } from "../../limits.ts";
import type { Part } from "./tool-result.ts";
import { utf8Bytes } from "./utf8.ts";

/** Something of a result that is too large to be shown. */
export interface Keepsake {
  readonly role: "text" | "structured" | "part";
  /** One bounded line: what it is, and of a resource which one. */
  readonly label: string;
  /** Whether the label tells more than the kind. */
  readonly named: boolean;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** The text that the bytes are; absent for binary content. */
  readonly text?: string;
  /** The parts that it replaces. */
  readonly parts: readonly Part[];
  /** What a replaced part says beside the bytes: address, annotations, `_meta` and all. */
  readonly rest?: Part;
}

const encoder = new TextEncoder();

/** The estimate is an estimate, so the bytes have a bound of their own. */
export function isTooLarge(text: string, tokens: number): boolean {
  return tokens > INLINE_MAX_TOKENS || utf8Bytes(text) > INLINE_TEXT_MAX_BYTES;
}

export function textKeepsake(
  role: Keepsake["role"],
  label: string,
  mediaType: string,
  text: string,
  of: Partial<Pick<Keepsake, "named" | "parts" | "rest">> = {},
): Keepsake {
  return { role, label, mediaType, text, bytes: encoder.encode(text), named: false, parts: [], ...of };
}
