import { VIEW_NAME_SHOWN_MAX_CODE_POINTS, VIEW_NAMES_SHOWN_MAX_COUNT } from "../../limits.ts";
import { seen } from "../summary/neutral.ts";

/** Names as a problem tells them: the first so many, each one bounded visible line, and how many more there are. */
export function shownNames(names: readonly string[], count = names.length): readonly string[] {
  const shown = names
    .slice(0, VIEW_NAMES_SHOWN_MAX_COUNT)
    .map((name) => seen(name, VIEW_NAME_SHOWN_MAX_CODE_POINTS));
  const more = count - shown.length;
  return more > 0 ? [...shown, `… ${more} more`] : shown;
}
