import { LISTED_ENTRY_MAX_TOKENS } from "../../limits.ts";
import { compactListedName, listedName } from "../../identity/listed-name.ts";
import { fitsTokens, type TokenCounter } from "../../tokens/token-counter.ts";
import { displayText } from "./display-text.ts";
import { truncateToTokens } from "./truncate.ts";

const LEAST = "…";

/** A stripped entry of `/mcp/proxy`'s list (seed 000 §4.1) as it is on the wire, under a name that every client accepts. */
function entryText(name: string, id: string, description: string): string {
  return JSON.stringify({ name, title: id, description, inputSchema: { type: "object" } });
}

/**
 * The name of a tool's stripped entry: its listed name, unless the entry would pass `LISTED_ENTRY_MAX_TOKENS` by it even without
 * a description. Then one that costs a fixed number of tokens, so that the entry passes them by its id alone.
 */
export function entryName(id: string, counter: TokenCounter): string {
  const name = listedName(id);
  return fitsTokens(entryText(name, id, LEAST), LISTED_ENTRY_MAX_TOKENS, counter)
    ? name
    : compactListedName(id);
}

/**
 * The description of a tool's stripped entry: so much of it (seed 000 §2.4) that the entry's JSON has at most
 * `LISTED_ENTRY_MAX_TOKENS`; where name and id leave no room, an ellipsis. What JSON escapes takes tokens that the
 * description alone does not, so the room is found by trying.
 */
export function listedDescription(
  name: string,
  id: string,
  description: string,
  counter: TokenCounter,
): string {
  const whole = displayText(description);
  const over = (text: string): number => counter.count(entryText(name, id, text)) - LISTED_ENTRY_MAX_TOKENS;
  let room = -over("");
  while (room > 1) {
    const cut = truncateToTokens(whole, room, counter);
    const excess = over(cut);
    if (excess <= 0) return cut;
    room -= excess;
  }
  return LEAST;
}
