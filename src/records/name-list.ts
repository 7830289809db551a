import { NAMES_SHOWN_MAX_COUNT } from "../limits/records.ts";

/** Names of a manifest as a message lists them: `id, title and 3 more`. They are short already. */
export function nameList(names: Iterable<string>): string {
  const all = [...names];
  const more = all.length - NAMES_SHOWN_MAX_COUNT;
  const list = all.slice(0, NAMES_SHOWN_MAX_COUNT).join(", ");
  return more > 0 ? `${list} and ${more} more` : list;
}
