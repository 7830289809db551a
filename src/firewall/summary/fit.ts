import { SUMMARY_STRUCTURED_MAX_CODE_POINTS, SUMMARY_STRUCTURED_MAX_TOKENS } from "../../limits.ts";
import { estimateTokens } from "../result/token-estimate.ts";
import { cutWithin, pointsOf } from "./cut.ts";
import { unlikeGateway } from "./neutral.ts";

/** How much less room the next attempt has. */
const SHRINK = 0.85;
const ROOM_MIN_POINTS = 120;

/**
 * Composes a summary within its bounds. `compose` gets about how many code points there are for it, and gets less until
 * the whole fits both bounds; what it writes however little it is given is cut.
 */
export function fit(compose: (room: number) => readonly string[]): string {
  let room = SUMMARY_STRUCTURED_MAX_CODE_POINTS;
  let text = "";
  for (; room >= ROOM_MIN_POINTS; room = Math.floor(room * SHRINK)) {
    text = compose(room)
      .filter((line) => line !== "")
      .map(unlikeGateway)
      .join("\n");
    if (fits(text)) return text;
  }
  for (let points = SUMMARY_STRUCTURED_MAX_CODE_POINTS; points > 1; points = Math.floor(points * SHRINK)) {
    const cut = cutWithin(text, points);
    if (fits(cut)) return cut;
  }
  return "";
}

/** The beginning of a line within both, with a mark where it goes on. */
export function cutWithinTokens(text: string, points: number, tokens: number): string {
  let shown = cutWithin(text, points);
  for (let room = points; room > 1 && estimateTokens(shown) > tokens;) {
    room = Math.floor(room * SHRINK);
    shown = cutWithin(text, room);
  }
  return shown;
}

function fits(text: string): boolean {
  return (
    pointsOf(text) <= SUMMARY_STRUCTURED_MAX_CODE_POINTS &&
    estimateTokens(text) <= SUMMARY_STRUCTURED_MAX_TOKENS
  );
}

/**
 * As many of the items as there is room for, in order, and behind them how many more there are. `total` counts all there
 * are where not all are in `items`.
 */
export function listed(
  items: readonly string[],
  room: number,
  options: { readonly separator?: string; readonly total?: number } = {},
): string {
  const separator = options.separator ?? ", ";
  const total = options.total ?? items.length;
  let text = "";
  let shown = 0;
  for (const item of items) {
    const longer = shown === 0 ? item : `${text}${separator}${item}`;
    if (shown > 0 && longer.length > room) break;
    text = longer;
    shown += 1;
  }
  return shown === total ? text : `${text}${shown === 0 ? "" : separator}…${total - shown} more`;
}
