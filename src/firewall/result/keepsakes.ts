import { parseExactJson } from "../../exact-json/parse.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { INLINE_TEXT_MAX_BYTES, RESULT_META_MAX_BYTES } from "../../limits.ts";
import { equalJson } from "../../spine/normalise/equal-json.ts";
import { isTooLarge, type Keepsake, textKeepsake } from "./keepsake.ts";
import { sortParts } from "./part-keepsakes.ts";
import { estimateTokens } from "./token-estimate.ts";
import type { Part, ToolResult } from "./tool-result.ts";
import { utf8Bytes } from "./utf8.ts";

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
  /** What is left for parts that cannot be kept. */
  readonly partBytesLeft: number;
  readonly meta: ToolResult["meta"];
  readonly metaBytesLeftOut: number;
  readonly foreign: ToolResult["foreign"];
}

/** Decides what of a result is kept back (CONTRACTS "Large result"). What it leaves to be shown is bounded, whatever came. */
export function sortResult(result: ToolResult): Sorted {
  const texts = result.content.filter((part) => part["type"] === "text");
  const text = texts.map((part) => String(part["text"])).join("\n");
  const structuredText = result.structured === undefined ? "" : exactJsonText(result.structured);
  const textTokens = estimateTokens(text);
  const structuredTokens = structuredText === "" ? 0 : estimateTokens(structuredText);
  const textTooLarge = isTooLarge(text, textTokens);
  const textValue = structuredText === "" && !textTooLarge ? undefined : parsed(text);
  const isJson = typeof textValue === "object" && textValue !== null;
  const repeats = equalJson(textValue, result.structured);
  const structuredTooLarge = !repeats && (textTooLarge || isTooLarge(structuredText, structuredTokens));
  const others = result.content.filter((part) => part["type"] !== "text");
  const parts = sortParts(others, textTooLarge ? 0 : textTokens);
  const extras = texts.reduce((sum, part) => sum + utf8Bytes(exactJsonText({ ...part, text: "" })), 0);
  // A text alone is a part of some thirty bytes.
  const extrasTooLarge = extras - texts.length * 30 > INLINE_TEXT_MAX_BYTES;
  const foreignText = exactJsonText(result.foreign);
  const foreignTooLarge = utf8Bytes(foreignText) > INLINE_TEXT_MAX_BYTES;
  const metaBytes = result.meta === undefined ? 0 : utf8Bytes(exactJsonText(result.meta));
  const metaTooLarge = metaBytes > RESULT_META_MAX_BYTES;
  return {
    text,
    textTokens,
    structuredText,
    structuredTokens,
    keepText: textTooLarge
      ? textKeepsake("text", "text", isJson ? "application/json" : "text/plain", text)
      : undefined,
    keepStructured:
      structuredText !== "" && structuredTooLarge
        ? textKeepsake("structured", "structured content", "application/json", structuredText)
        : undefined,
    others,
    keepParts: [
      ...parts.keepsakes,
      ...(extrasTooLarge
        ? [textKeepsake("part", "text parts", "application/json", exactJsonText(texts), { named: true })]
        : []),
      ...(foreignTooLarge
        ? [textKeepsake("part", "other members", "application/json", foreignText, { named: true })]
        : []),
    ],
    partBytesLeft: parts.bytesLeft,
    meta: metaTooLarge ? undefined : result.meta,
    metaBytesLeftOut: metaTooLarge ? metaBytes : 0,
    foreign: foreignTooLarge ? {} : result.foreign,
  };
}

function parsed(text: string): unknown {
  // The cheap look first: a text that is no object or array is not parsed to its end for nothing.
  if (!/^\s*[[{]/.test(text)) return undefined;
  const read = parseExactJson(text, { duplicates: "last" });
  return read.ok ? read.value : undefined;
}
