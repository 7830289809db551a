import { INLINE_BINARY_MAX_BYTES, INLINE_MAX_TOKENS, RESULT_ARTIFACTS_MAX_COUNT } from "../limits.ts";
import { memberOf } from "../json.ts";
import { base64Bytes, decodeBase64 } from "./base64.ts";
import { equalJson } from "./equal-json.ts";
import { cleanMediaType } from "./media-type.ts";
import { estimateTokens } from "./token-estimate.ts";
import type { Part, ToolResult } from "./tool-result.ts";

/** Something of a result that is too large to be shown. */
export interface Keepsake {
  readonly label: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** The text that the bytes are; absent for binary content. */
  readonly text?: string;
  /** The content part that it replaces; absent for the text parts and the structured content. */
  readonly part?: Part;
}

/** A result sorted into what is shown and what is kept. */
export interface Sorted {
  /** The text parts, joined. */
  readonly text: string;
  readonly textTokens: number;
  /** Compact; empty where there is no structured content. */
  readonly structuredText: string;
  readonly structuredTokens: number;
  readonly keepText: Keepsake | undefined;
  readonly keepStructured: Keepsake | undefined;
  /** The parts that are no text, in order, and what of them is kept. */
  readonly others: readonly Part[];
  readonly keepParts: readonly Keepsake[];
}

const encoder = new TextEncoder();

/** Decides what of a result is kept back (CONTRACTS "Large result"). */
export function sortResult(result: ToolResult): Sorted {
  const texts = result.content.filter((part) => part["type"] === "text");
  const text = texts.map((part) => String(part["text"])).join("\n");
  const structuredText = result.structured === undefined ? "" : JSON.stringify(result.structured);
  const textTokens = estimateTokens(text);
  const structuredTokens = structuredText === "" ? 0 : estimateTokens(structuredText);
  const textValue = structuredText === "" && textTokens <= INLINE_MAX_TOKENS ? undefined : parsed(text);
  const isJson = typeof textValue === "object" && textValue !== null;
  const textTooLarge = textTokens > INLINE_MAX_TOKENS;
  const repeats = equalJson(textValue, result.structured);
  const structuredTooLarge = !repeats && (textTooLarge || structuredTokens > INLINE_MAX_TOKENS);
  const others = result.content.filter((part) => part["type"] !== "text");
  return {
    text,
    textTokens,
    structuredText,
    structuredTokens,
    keepText: textTooLarge
      ? textKeepsake("text", isJson ? "application/json" : "text/plain", text)
      : undefined,
    keepStructured:
      structuredText !== "" && structuredTooLarge
        ? textKeepsake("structured content", "application/json", structuredText)
        : undefined,
    others,
    keepParts: keepsakesOf(others, textTooLarge ? 0 : textTokens),
  };
}

/** Parts too large by themselves, and embedded texts from where all texts together are too large. */
function keepsakesOf(parts: readonly Part[], tokensBefore: number): Keepsake[] {
  let tokens = tokensBefore;
  const keepsakes: Keepsake[] = [];
  for (const part of parts) {
    // Two places are for the text and the structured content.
    if (keepsakes.length >= RESULT_ARTIFACTS_MAX_COUNT - 2) break;
    const embedded = memberOf(part["resource"], "text");
    if (part["type"] === "resource" && typeof embedded === "string") {
      const cost = estimateTokens(embedded);
      if (tokens + cost <= INLINE_MAX_TOKENS) {
        tokens += cost;
        continue;
      }
      const mediaType = cleanMediaType(memberOf(part["resource"], "mimeType"), "text/plain");
      keepsakes.push({ ...textKeepsake("resource", mediaType, embedded), part });
      continue;
    }
    const binary = binaryOf(part);
    if (binary === undefined || base64Bytes(binary.data) <= INLINE_BINARY_MAX_BYTES) continue;
    const bytes = decodeBase64(binary.data);
    // What only claims to be base64 is left as it is: it cannot be shown as bytes, and must not become text.
    if (bytes.ok) {
      keepsakes.push({ label: binary.label, mediaType: binary.mediaType, bytes: bytes.value, part });
    }
  }
  return keepsakes;
}

function textKeepsake(label: string, mediaType: string, text: string): Keepsake & { readonly text: string } {
  return { label, mediaType, text, bytes: encoder.encode(text) };
}

function binaryOf(part: Part): { label: string; mediaType: string; data: string } | undefined {
  const type = part["type"];
  const holder = type === "resource" ? part["resource"] : part;
  const data = memberOf(holder, type === "resource" ? "blob" : "data");
  if (typeof data !== "string" || (type !== "image" && type !== "audio" && type !== "resource"))
    return undefined;
  const otherwise = "application/octet-stream";
  return { label: type, mediaType: cleanMediaType(memberOf(holder, "mimeType"), otherwise), data };
}

function parsed(text: string): unknown {
  // The cheap look first: a text that is no object or array is not parsed to its end for nothing.
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
