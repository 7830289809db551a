import { displayText, firstCodePoints } from "../catalog/cards/display-text.ts";
import type { GatewayPorts } from "./ports.ts";

/**
 * What an upstream says beside its result, as a caller may hear it: one line without secrets of ours, and without what looks
 * like a secret where the operator wants that of its server. Empty where nothing is left to be seen.
 */
export function upstreamWords(
  text: string,
  maxCodePoints: number,
  server: string | undefined,
  ports: Pick<GatewayPorts, "scrubber" | "redactor">,
): string {
  // It was cut before, and is cut again: neither may leave the beginning of a secret.
  const scrubbed = ports.scrubber.cut(text, 2 * maxCodePoints);
  const redacted = ports.redactor(server)?.text(scrubbed).text ?? scrubbed;
  return firstCodePoints(displayText(redacted), maxCodePoints);
}
