import { type ListedEntry, listedEntry } from "../catalog/refresh/listed-entry.ts";
import { memberOf } from "../json.ts";
import { redactDefinition } from "../scrub/redact-definition.ts";
import type { Redactor } from "../scrub/redactor.ts";
import type { Scrubber } from "../scrub/scrub.ts";
import type { ListedKind } from "../upstream/listing.ts";

/** What a server knows each kind's entries by. */
const NAMED_BY = { tool: "name", resource: "uri", template: "uriTemplate", prompt: "name" } as const;

/**
 * An entry of a listing without any secret, before anything of it is cut or kept; with a redactor also without what looks
 * like one. What its server knows by a name or address with a secret in it cannot be called by what is left of that, and it
 * cannot be kept: its place stays, so that the report names it by its number as an entry without a name.
 */
export function scrubbedEntry(
  entry: unknown,
  scrubber: Scrubber,
  redactor?: Redactor,
  kind: ListedKind = "tool",
): ListedEntry {
  const name = memberOf(entry, NAMED_BY[kind]);
  const isSecret = typeof name === "string" && (scrubber.text(name) !== name || redactor?.text(name).count);
  if (isSecret) return listedEntry({});
  const scrubbed = scrubber.value(entry);
  return listedEntry(redactor === undefined ? scrubbed : redactDefinition(scrubbed).value);
}
