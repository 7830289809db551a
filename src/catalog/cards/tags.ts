import { CARD_MAX_TAGS_COUNT, CARD_TAG_MAX_CODE_POINTS } from "../../limits.ts";
import { compareCodePoints } from "../../code-points.ts";
import { displayText, firstCodePoints } from "./display-text.ts";

/** What a tool's tags say of its safety. Informs, and decides nothing. */
export type Safety = "" | "read_only" | "destructive";

/** On every tool of an MCP server; says nothing to a model, so no line prints it. */
export const MCP_TAG = "mcp";
export const READ_ONLY_TAG = "read-only";
export const DESTRUCTIVE_TAG = "destructive";

/** Both spellings of the read-only tag count, in any case (the original's rule). */
function safetyOfTag(tag: string): Safety {
  switch (tag.toLowerCase()) {
    case DESTRUCTIVE_TAG:
      return "destructive";
    case READ_ONLY_TAG:
    case "read_only":
      return "read_only";
    default:
      return "";
  }
}

/** The safety class of a set of tags; destructive wins. */
export function safetyOf(tags: readonly string[]): Safety {
  const classes = new Set(tags.map(safetyOfTag));
  if (classes.has("destructive")) return "destructive";
  return classes.has("read_only") ? "read_only" : "";
}

/** One tag as it may stand in a card: one line, and none of the marks that would end the list or start the next tag. */
export function cleanTag(tag: string): string {
  return displayText(tag.replace(/[[\],]/g, " "));
}

/**
 * At most five tags of at most 24 code points, without repeats, in code-point order (seed 000 §2.1). Safety tags are kept
 * first, so no other tag can push one out.
 */
export function capTags(tags: readonly string[]): string[] {
  const distinct = [...new Set(tags.map((tag) => firstCodePoints(tag, CARD_TAG_MAX_CODE_POINTS).trimEnd()))]
    .filter((tag) => tag !== "")
    .sort(compareCodePoints);
  const safety = distinct.filter((tag) => safetyOfTag(tag) !== "");
  const others = distinct.filter((tag) => safetyOfTag(tag) === "");
  return [...safety, ...others].slice(0, CARD_MAX_TAGS_COUNT).sort(compareCodePoints);
}

/** The tags a line prints: all but `mcp`, and but the safety tags, which the line says in a word of its own. */
export function lineTags(tags: readonly string[]): string[] {
  return tags.filter((tag) => tag !== MCP_TAG && safetyOfTag(tag) === "");
}
