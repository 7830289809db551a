import { PART_REST_MAX_BYTES, RESULT_ARTIFACTS_MAX_COUNT, RESULT_META_MAX_BYTES } from "../../limits.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { LargePayload } from "../../large-result.ts";
import { base64Bytes, decodeBase64 } from "./base64.ts";
import { type Carried, carriedBy } from "./carried.ts";
import type { InlineBounds } from "./inline-bounds.ts";
import { type Keepsake, largeKeepsake, textKeepsake } from "./keepsake.ts";
import { labelOf } from "./label.ts";
import { cleanMediaType } from "./media-type.ts";
import { isTextType } from "./text-blob.ts";
import { estimateTokensOfAny } from "./token-estimate.ts";
import type { Part } from "./tool-result.ts";
import { utf8Bytes } from "./utf8.ts";

/** The text, the structured content, the text parts' extras, the metadata, the foreign members, and the parts that are one too many. */
const PLACES_TAKEN = 6;

export interface Measured {
  readonly part: Part;
  readonly carried: Carried | undefined;
  /** Of the whole part as JSON; of one that holds what was too large to hold, infinite. */
  readonly sizeBytes: number;
  readonly restBytes: number;
  /** What a model pays for it as text: nothing for what is binary. */
  readonly tokens: number;
  readonly textBytes: number;
}

/**
 * Which of the parts that are no text are kept: each by itself if it is too large, embedded texts from where all texts
 * together are, and as one JSON array whatever is then still too many or too much for one answer. Nothing is lost.
 *
 * @param textTokens of the text that is shown with them
 */
export function sortParts(
  parts: readonly Part[],
  textTokens: number,
  bounds: InlineBounds,
): { readonly keepsakes: readonly Keepsake[]; readonly bytesLeft: number } {
  const keepsakes: Keepsake[] = [];
  const overflow: Part[] = [];
  const rests: Part[] = [];
  /** Embedded texts go with the text; links and unknown parts have as much again. */
  const tokens = { text: textTokens, other: 0 };
  let textBytes = 0;
  let restBytes = 0;
  let bytesLeft = bounds.partsBytes;
  for (const measured of parts.map(measure)) {
    const { part, carried } = measured;
    const budget = carried?.isText === true ? "text" : "other";
    const fits =
      measured.restBytes <= PART_REST_MAX_BYTES &&
      measured.sizeBytes <= bytesLeft &&
      tokens[budget] + measured.tokens <= bounds.maxTokens &&
      textBytes + measured.textBytes <= bounds.textBytes;
    const isImage = carried?.isText === false;
    if (fits && (!isImage || imageBytes(carried) <= bounds.imageBytes)) {
      tokens[budget] += measured.tokens;
      textBytes += measured.textBytes;
      bytesLeft -= measured.sizeBytes;
    } else if (isHeld(carried) && keepsakes.length >= RESULT_ARTIFACTS_MAX_COUNT - PLACES_TAKEN) {
      overflow.push(part);
    } else if (carried !== undefined) {
      const hasRoom = restBytes + measured.restBytes <= RESULT_META_MAX_BYTES;
      if (hasRoom) restBytes += measured.restBytes;
      else rests.push(carried.rest);
      keepsakes.push(payloadKeepsake(carried, part, hasRoom));
    } else if (measured.sizeBytes <= PART_REST_MAX_BYTES) {
      // Small by itself and one too many: a line for each would be as long as the parts.
      overflow.push(part);
    } else {
      const { label } = labelOf(String(part["type"]), part["uri"] ?? part["name"]);
      const text = exactJsonText(part);
      keepsakes.push(textKeepsake("part", label, "application/json", text, { named: true, parts: [part] }));
    }
  }
  const more = [...overflow, ...rests];
  if (more.length > 0) {
    const label =
      overflow.length === 0 ? "what parts say beside their content" : `more parts (${overflow.length})`;
    const text = exactJsonText(more);
    keepsakes.push(textKeepsake("part", label, "application/json", text, { named: true, parts: overflow }));
  }
  return { keepsakes, bytesLeft };
}

export function measure(part: Part): Measured {
  const carried = carriedBy(part);
  if (carried !== undefined && !isHeld(carried)) {
    const restBytes = utf8Bytes(exactJsonText(carried.rest));
    return { part, carried, sizeBytes: Infinity, restBytes, tokens: 0, textBytes: 0 };
  }
  const json = exactJsonText(part);
  const sizeBytes = utf8Bytes(json);
  if (carried === undefined) {
    return {
      part,
      carried,
      sizeBytes,
      restBytes: sizeBytes,
      tokens: estimateTokensOfAny(json),
      textBytes: 0,
    };
  }
  const restBytes = utf8Bytes(exactJsonText(carried.rest));
  const text = carried.isText && typeof carried.payload === "string" ? carried.payload : "";
  return {
    part,
    carried,
    sizeBytes,
    restBytes,
    tokens: estimateTokensOfAny(text),
    textBytes: utf8Bytes(text),
  };
}

/** Whether the payload is here; one that is not is in the store already, and needs its own line. */
export function isHeld(carried: Carried | undefined): boolean {
  return !(carried?.payload instanceof LargePayload);
}

export function imageBytes({ payload }: Carried): number {
  return payload instanceof LargePayload ? payload.sizeBytes : base64Bytes(payload);
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function payloadKeepsake(carried: Carried, part: Part, withRest: boolean): Keepsake {
  const { kind, name, mimeType, payload, isText, rest } = carried;
  const { label, named } = labelOf(kind, name);
  const of = { named, parts: [part], rests: withRest ? [rest] : [] };
  if (payload instanceof LargePayload) {
    const otherwise = payload.form === "bytes" ? "application/octet-stream" : "text/plain";
    // Characters that only claimed to be base64 are no image.
    const claimed = payload.form === "bytes" || isText || isTextType(mimeType) ? mimeType : undefined;
    return largeKeepsake("part", label, cleanMediaType(claimed, otherwise), payload, of);
  }
  if (isText) return textKeepsake("part", label, cleanMediaType(mimeType, "text/plain"), payload, of);
  const bytes = decodeBase64(payload);
  // What only claims to be base64 cannot be shown as bytes, and is kept as the text that it is.
  if (!bytes.ok) return textKeepsake("part", label, "text/plain", payload, of);
  const mediaType = cleanMediaType(mimeType, "application/octet-stream");
  const text = isTextType(mediaType) ? textIn(bytes.value) : undefined;
  if (text !== undefined) return textKeepsake("part", label, mediaType, text, of);
  return { role: "part", label, mediaType, bytes: bytes.value, ...of };
}
