import { compareCodePoints } from "../../code-points.ts";
import { TOOL_ID_MAX_CHARS } from "../../limits.ts";
import { closeness } from "../tree/closeness.ts";

/** An id's name part, lower-cased: what a model seldom gets wrong by much. */
function nameOf(id: string): string {
  const colon = id.indexOf(":");
  const [bare = ""] = id.slice(colon + 1).split(/[#@]/, 1);
  return bare.toLowerCase();
}

function bareOf(id: string): string {
  return id.split(/[#@]/, 1)[0] ?? "";
}

/**
 * Ids whose name was likely meant: the same tool under another hash or version first, then the same name elsewhere, then
 * near ones. One pass over the ids, and a bounded comparison each.
 */
export function likelyIds(asked: string, ids: readonly string[], count: number): string[] {
  if (asked.length > TOOL_ID_MAX_CHARS) return [];
  const [bare, name] = [bareOf(asked), nameOf(asked)];
  if (name === "") return [];
  const scored: { readonly id: string; readonly score: number }[] = [];
  for (const id of ids) {
    const own = nameOf(id);
    const score = bareOf(id) === bare ? 5 : own === name ? 4 : closeness(name, own);
    if (score > 0) scored.push({ id, score });
  }
  return scored
    .sort((a, b) => b.score - a.score || compareCodePoints(a.id, b.id))
    .slice(0, Math.max(0, count))
    .map(({ id }) => id);
}
