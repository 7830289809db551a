import { parseExactJson } from "../../exact-json/parse.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { isRecord } from "../../json.ts";
import { LargePayload } from "../../large-result.ts";
import { PART_REST_MAX_BYTES, RESULT_META_MAX_BYTES } from "../../limits.ts";
import { equalJson } from "../../spine/normalise/equal-json.ts";
import { bundleParts, type Bundling } from "./bundle.ts";
import type { InlineBounds } from "./inline-bounds.ts";
import { isTooLarge, type Keepsake, largeKeepsake, textKeepsake } from "./keepsake.ts";
import { labelOf } from "./label.ts";
import { sortParts } from "./part-keepsakes.ts";
import { estimateTokens } from "./token-estimate.ts";
import type { Part, ToolResult } from "./tool-result.ts";
import { utf8Bytes } from "./utf8.ts";

/** A result sorted into what is shown and what is kept. */
export interface Sorted {
  /** The text parts, joined; empty where they are too large to hold. */
  readonly text: string;
  /** The value that the text is, where it is a JSON object or array that is here. */
  readonly textValue: unknown;
  /** Compact; empty where there is no structured content, and where it is too large to hold. */
  readonly structuredText: string;
  /** As it came, where it is here. */
  readonly structuredValue: unknown;
  /** Whether the structured content says what the text says. */
  readonly repeats: boolean;
  /** Whether it is the text in one member, as many servers send it: another payload, of which there is nothing more to say. */
  readonly wraps: boolean;
  readonly keepText: Keepsake | undefined;
  readonly keepStructured: Keepsake | undefined;
  /** The parts that are no text, in order, and what of them is kept. */
  readonly others: readonly Part[];
  readonly keepParts: readonly Keepsake[];
  /** Whether what stands for kept things is bounded in tokens, all of it together. */
  readonly isBundled: boolean;
  /** What text parts say beside their text, where it is not kept with them. */
  readonly textRests: readonly Part[];
  /** What is left for parts that cannot be kept. */
  readonly partBytesLeft: number;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly foreign: ToolResult["foreign"];
}

/** Decides what of a result is kept back (CONTRACTS "Large result"). What it leaves to be shown is bounded, whatever came. */
export function sortResult(
  result: ToolResult,
  bounds: InlineBounds,
  textAs: TextAs = {},
  bundling?: Bundling,
): Sorted {
  const texts = result.content.filter((part) => part["type"] === "text");
  const { structured } = result;
  const main = readTexts(texts, structured, bounds, textAs);
  const structuredText =
    structured === undefined || structured instanceof LargePayload ? "" : exactJsonText(structured);
  const repeats =
    structured !== undefined && (equalJson(main.value, structured) || isContent(structured, result));
  const placed = result.content
    .map((part, place) => ({ part, place }))
    .filter(({ part }) => part["type"] !== "text");
  const others = placed.map(({ part }) => part);
  const parts = bundling
    ? bundleParts(placed, main.tokens, bounds, bundling)
    : sortParts(others, main.tokens, bounds);
  const rests = sortRests(texts);
  const foreign = sortMembers(result.foreign);
  const meta = sortMeta(result.meta);
  return {
    text: main.text,
    textValue: main.value,
    structuredText,
    structuredValue: structured instanceof LargePayload ? undefined : structured,
    repeats,
    wraps: wrapsText(structured, main),
    keepText: main.keepsake,
    keepStructured: repeats ? undefined : keepStructured(structured, structuredText, main, bounds),
    others,
    isBundled: bundling !== undefined,
    keepParts: [...parts.keepsakes, ...rests.keepsakes, ...meta.keepsakes, ...foreign.keepsakes],
    textRests: rests.shown,
    partBytesLeft: parts.bytesLeft,
    meta: meta.shown,
    foreign: foreign.shown,
  };
}

/** What the texts are, where they are more than texts of some tool: their name, and what their server says of their type. */
export interface TextAs {
  readonly label?: string;
  readonly mediaType?: string;
  /** What is said of it before its first paragraph, where it is no text of one kind: so that none is guessed. */
  readonly about?: string;
}

interface MainText {
  readonly text: string;
  /** Where it is shown. */
  readonly tokens: number;
  readonly value: unknown;
  readonly keepsake: Keepsake | undefined;
  /** Whether texts were left to the structured content, which says them. */
  readonly isReduced: boolean;
}

function readTexts(
  texts: readonly Part[],
  structured: unknown,
  bounds: InlineBounds,
  textAs: TextAs,
): MainText {
  const label = textAs.label ?? "text";
  const large = texts.map((part) => part["text"]).find((text) => text instanceof LargePayload);
  if (large !== undefined) {
    const type = textAs.mediaType ?? (large.form === "json" ? "application/json" : "text/plain");
    return {
      text: "",
      tokens: 0,
      value: undefined,
      keepsake: largeKeepsake("text", label, type, large, aboutOf(textAs)),
      isReduced: false,
    };
  }
  const text = texts.map((part) => String(part["text"])).join("\n");
  const value = parsed(text);
  if (!isTooLarge(text, bounds))
    return { text, tokens: estimateTokens(text), value, keepsake: undefined, isReduced: false };
  // One text alone is compared as the whole that it is.
  const others =
    structured === undefined || texts.length === 1
      ? texts
      : texts.filter((part) => !equalJson(parsed(String(part["text"])), structured));
  // Some servers put a sentence beside the JSON: that is then shown, and the JSON stays one that can be read as such.
  if (others.length < texts.length) {
    return { ...readTexts(others, undefined, bounds, textAs), isReduced: true };
  }
  const type = textAs.mediaType ?? (value === undefined ? "text/plain" : "application/json");
  const keepsake = textKeepsake("text", label, type, text, aboutOf(textAs));
  return { text, tokens: 0, value, keepsake, isReduced: false };
}

const aboutOf = ({ about }: TextAs): Pick<Keepsake, "about"> => (about === undefined ? {} : { about });

/** Some servers send their content once more, in one member of the structured content. */
function isContent(structured: unknown, { content }: ToolResult): boolean {
  const members = isRecord(structured) ? Object.values(structured) : [];
  return content.length > 0 && members.length === 1 && equalJson(members[0], content);
}

function wrapsText(structured: unknown, { text, value }: MainText): boolean {
  const members = isRecord(structured) ? Object.values(structured) : [];
  const [only] = members;
  return members.length === 1 && (only === text || (value !== undefined && equalJson(only, value)));
}

function keepStructured(
  structured: unknown,
  text: string,
  main: MainText,
  bounds: InlineBounds,
): Keepsake | undefined {
  const label = "structured content";
  if (structured instanceof LargePayload)
    return largeKeepsake("structured", label, "application/json", structured);
  if (structured === undefined) return undefined;
  const isLarge = main.keepsake !== undefined || main.isReduced || isTooLarge(text, bounds);
  return isLarge ? textKeepsake("structured", label, "application/json", text) : undefined;
}

/** What is left of text parts without their texts; nothing of those that say nothing else. */
function sortRests(texts: readonly Part[]): {
  readonly shown: readonly Part[];
  readonly keepsakes: readonly Keepsake[];
} {
  const rests = texts.flatMap((part) => {
    const rest = Object.entries(part).filter(([name]) => name !== "text");
    return rest.length > 1 ? [Object.fromEntries(rest)] : [];
  });
  const json = exactJsonText(rests);
  if (utf8Bytes(json) <= PART_REST_MAX_BYTES) return { shown: rests, keepsakes: [] };
  const keepsake = textKeepsake("part", "what text parts say beside their text", "application/json", json, {
    named: true,
  });
  return { shown: [], keepsakes: [keepsake] };
}

function sortMeta(meta: ToolResult["meta"]): {
  readonly shown: Sorted["meta"];
  readonly keepsakes: readonly Keepsake[];
} {
  const label = "_meta";
  if (meta instanceof LargePayload) {
    return {
      shown: undefined,
      keepsakes: [largeKeepsake("part", label, "application/json", meta, { named: true })],
    };
  }
  const json = meta === undefined ? "" : exactJsonText(meta);
  if (utf8Bytes(json) <= RESULT_META_MAX_BYTES) return { shown: meta, keepsakes: [] };
  return {
    shown: undefined,
    keepsakes: [textKeepsake("part", label, "application/json", json, { named: true })],
  };
}

function sortMembers(foreign: ToolResult["foreign"]): {
  readonly shown: ToolResult["foreign"];
  readonly keepsakes: readonly Keepsake[];
} {
  const keepsakes: Keepsake[] = [];
  const held = Object.entries(foreign).filter(([name, value]) => {
    if (!(value instanceof LargePayload)) return true;
    const { label } = labelOf("member", name);
    keepsakes.push(largeKeepsake("part", label, "application/json", value, { named: true }));
    return false;
  });
  const shown = Object.fromEntries(held);
  const json = exactJsonText(shown);
  if (utf8Bytes(json) <= PART_REST_MAX_BYTES) return { shown, keepsakes };
  keepsakes.push(textKeepsake("part", "other members", "application/json", json, { named: true }));
  return { shown: {}, keepsakes };
}

/** An object or array; undefined for any other text. */
function parsed(text: string): unknown {
  // The cheap look first: a text that is no object or array is not parsed to its end for nothing.
  if (!/^\s*[[{]/.test(text)) return undefined;
  const read = parseExactJson(text, { duplicates: "last" });
  const value = read.ok ? read.value : undefined;
  return typeof value === "object" && value !== null ? value : undefined;
}
