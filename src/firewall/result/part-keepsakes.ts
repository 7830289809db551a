import {
  ANSWER_PARTS_MAX_BYTES,
  INLINE_BINARY_MAX_BYTES,
  INLINE_MAX_TOKENS,
  INLINE_TEXT_MAX_BYTES,
  RESULT_ARTIFACTS_MAX_COUNT,
  RESULT_META_MAX_BYTES,
} from "../../limits.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { isRecord, memberOf } from "../../json.ts";
import { base64Bytes, decodeBase64 } from "./base64.ts";
import { type Keepsake, textKeepsake } from "./keepsake.ts";
import { labelOf } from "./label.ts";
import { cleanMediaType } from "./media-type.ts";
import { estimateTokens } from "./token-estimate.ts";
import type { Part } from "./tool-result.ts";
import { utf8Bytes } from "./utf8.ts";

/** The text, the structured content, the text parts, the foreign members, and the parts that are one too many. */
const PLACES_TAKEN = 5;

/** A part that carries something which can stand in an artifact of its own. */
interface Carried {
  readonly kind: string;
  readonly name: unknown;
  readonly mimeType: unknown;
  readonly payload: string;
  readonly isText: boolean;
  /** The part without the payload. */
  readonly rest: Part;
}

/**
 * Which of the parts that are no text are kept: each by itself if it is too large, embedded texts from where all texts
 * together are, and as one JSON array whatever is then still too many or too much for one answer. Nothing is lost.
 */
export function sortParts(
  parts: readonly Part[],
  tokensBefore: number,
): { readonly keepsakes: readonly Keepsake[]; readonly bytesLeft: number } {
  const keepsakes: Keepsake[] = [];
  const overflow: Part[] = [];
  const rests: Part[] = [];
  let tokens = tokensBefore;
  let textBytes = 0;
  let restBytes = 0;
  let bytesLeft = ANSWER_PARTS_MAX_BYTES;
  for (const part of parts) {
    const carried = carriedBy(part);
    const cost = carried?.isText === true ? estimateTokens(carried.payload) : 0;
    const size = utf8Bytes(exactJsonText(part));
    const restSize = carried === undefined ? size : utf8Bytes(exactJsonText(carried.rest));
    const isSmall = carried?.isText === false && base64Bytes(carried.payload) <= INLINE_BINARY_MAX_BYTES;
    const payloadBytes = carried?.isText === true ? utf8Bytes(carried.payload) : 0;
    const fitsText = tokens + cost <= INLINE_MAX_TOKENS && textBytes + payloadBytes <= INLINE_TEXT_MAX_BYTES;
    if (
      restSize <= INLINE_TEXT_MAX_BYTES &&
      size <= bytesLeft &&
      (carried === undefined || isSmall || (carried.isText && fitsText))
    ) {
      tokens += cost;
      textBytes += payloadBytes;
      bytesLeft -= size;
    } else if (keepsakes.length >= RESULT_ARTIFACTS_MAX_COUNT - PLACES_TAKEN) {
      overflow.push(part);
    } else if (carried === undefined && restSize <= INLINE_TEXT_MAX_BYTES) {
      // Small by itself and one too many: a line for each would be as long as the parts.
      overflow.push(part);
    } else if (carried === undefined) {
      const { label } = labelOf(String(part["type"]), part["uri"] ?? part["name"]);
      const text = exactJsonText(part);
      keepsakes.push(textKeepsake("part", label, "application/json", text, { named: true, parts: [part] }));
    } else {
      const fits = restBytes + restSize <= RESULT_META_MAX_BYTES;
      if (fits) restBytes += restSize;
      else rests.push(carried.rest);
      keepsakes.push(payloadKeepsake(carried, part, fits));
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

function payloadKeepsake(carried: Carried, part: Part, withRest: boolean): Keepsake {
  const { kind, name, mimeType, payload, isText, rest } = carried;
  const { label, named } = labelOf(kind, name);
  const of = { named, parts: [part], ...(withRest ? { rest } : {}) };
  if (isText) return textKeepsake("part", label, cleanMediaType(mimeType, "text/plain"), payload, of);
  const bytes = decodeBase64(payload);
  // What only claims to be base64 cannot be shown as bytes, and is kept as the text that it is.
  if (!bytes.ok) return textKeepsake("part", label, "text/plain", payload, of);
  const mediaType = cleanMediaType(mimeType, "application/octet-stream");
  return { role: "part", label, mediaType, bytes: bytes.value, ...of };
}

function carriedBy(part: Part): Carried | undefined {
  const kind = String(part["type"]);
  if (kind === "image" || kind === "audio") {
    const { data, ...rest } = part;
    if (typeof data !== "string") return undefined;
    return { kind, name: part["name"], mimeType: part["mimeType"], payload: data, isText: false, rest };
  }
  const resource = part["resource"];
  if (kind !== "resource" || !isRecord(resource)) return undefined;
  const isText = typeof memberOf(resource, "text") === "string";
  const payload = memberOf(resource, isText ? "text" : "blob");
  if (typeof payload !== "string") return undefined;
  const beside = Object.entries(resource).filter(([key]) => key !== (isText ? "text" : "blob"));
  return {
    kind,
    name: memberOf(resource, "uri") ?? memberOf(resource, "name"),
    mimeType: memberOf(resource, "mimeType"),
    payload,
    isText,
    rest: { ...part, resource: Object.fromEntries(beside) },
  };
}
