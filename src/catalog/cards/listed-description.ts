import { LISTED_ENTRY_MAX_TOKENS } from "../../limits.ts";
import { listedName } from "../../identity/listed-name.ts";
import type { TokenCounter } from "../../tokens/token-counter.ts";
import { displayText } from "./display-text.ts";
import { truncateToTokens } from "./truncate.ts";

const LEAST = "…";

/** A stripped entry of `/mcp/proxy`'s list (seed 000 §4.1) as it is on the wire, under the name that every client accepts. */
function entryText(id: string, description: string): string {
  return JSON.stringify({ name: listedName(id), title: id, description, inputSchema: { type: "object" } });
}

/**
 * The description of a tool's stripped entry: so much of it (seed 000 §2.4) that the entry's JSON has at most
 * `LISTED_ENTRY_MAX_TOKENS`; where the two names leave no room, an ellipsis. What JSON escapes takes tokens that the
 * description alone does not, so the room is found by trying.
 */
export function listedDescription(id: string, description: string, counter: TokenCounter): string {
  const whole = displayText(description);
  const over = (text: string): number => counter.count(entryText(id, text)) - LISTED_ENTRY_MAX_TOKENS;
  let room = -over("");
  while (room > 1) {
    const cut = truncateToTokens(whole, room, counter);
    const excess = over(cut);
    if (excess <= 0) return cut;
    room -= excess;
  }
  return LEAST;
}
