import { type ListedEntry, listedEntry } from "../catalog/refresh/listed-entry.ts";
import { memberOf } from "../json.ts";
import { redactDefinition } from "../scrub/redact-definition.ts";
import type { Redactor } from "../scrub/redactor.ts";
import type { Scrubber } from "../scrub/scrub.ts";

/**
 * An entry of a listing without any secret, before anything of it is cut or kept; with a redactor also without what looks
 * like one. A tool whose name has a secret in it cannot be called by what is left of the name, and its name cannot be kept:
 * its place stays, so that the report names it by its number as a tool without a name.
 */
export function scrubbedEntry(tool: unknown, scrubber: Scrubber, redactor?: Redactor): ListedEntry {
  const name = memberOf(tool, "name");
  const isSecret = typeof name === "string" && (scrubber.text(name) !== name || redactor?.text(name).count);
  if (isSecret) return listedEntry({});
  const scrubbed = scrubber.value(tool);
  return listedEntry(redactor === undefined ? scrubbed : redactDefinition(scrubbed).value);
}
