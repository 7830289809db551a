import { type ListedEntry, listedEntry } from "../catalog/refresh/listed-entry.ts";
import { memberOf } from "../json.ts";
import type { Scrubber } from "../scrub/scrub.ts";

/**
 * An entry of a listing without any secret, before anything of it is cut or kept. A tool whose name has a secret in it cannot
 * be called by what is left of the name, and its name cannot be kept: its place stays, so that the report names it by its
 * number as a tool without a name.
 */
export function scrubbedEntry(tool: unknown, scrubber: Scrubber): ListedEntry {
  const name = memberOf(tool, "name");
  const isSecret = typeof name === "string" && scrubber.text(name) !== name;
  return listedEntry(isSecret ? {} : scrubber.value(tool));
}
