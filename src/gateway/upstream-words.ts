import { displayText, firstCodePoints } from "../catalog/cards/display-text.ts";
import { UPSTREAM_WORDS_MAX_CHARS } from "../limits.ts";
import type { GatewayPorts } from "./ports.ts";

type WordPorts = Pick<GatewayPorts, "scrubber" | "redactor">;

/**
 * What an upstream says beside its result, as a caller may hear it: one line without secrets of ours, and without what looks
 * like a secret where the operator wants that of its server. Empty where nothing is left to be seen, and for a text of more
 * than `UPSTREAM_WORDS_MAX_CHARS`, which may have been cut inside of a secret.
 */
export function upstreamWords(
  text: string,
  maxCodePoints: number,
  server: string | undefined,
  ports: WordPorts,
): string {
  if (text.length > UPSTREAM_WORDS_MAX_CHARS) return "";
  // First as it came, since a secret may have line breaks; then as a line, which may be one where the text was none.
  const line = displayText(cleaned(text, server, ports));
  return firstCodePoints(displayText(cleaned(line, server, ports)), maxCodePoints).trimEnd();
}

/** The whole text without secrets, also without one that the upstream itself has cut at the end. */
function cleaned(text: string, server: string | undefined, { scrubber, redactor }: WordPorts): string {
  const scrubbed = scrubber.cut(text, Number.POSITIVE_INFINITY);
  return redactor(server)?.text(scrubbed).text ?? scrubbed;
}
