import type { HttpContext } from "./bindings.ts";
import { scrubberFor } from "./scrubber.ts";

/**
 * The operator's log as a request may write to it: scrubbed, since a detail quotes what servers and the platform say. Before
 * the configuration is known only our own keys can be taken out, and nothing else is in play yet.
 */
export function logFor(c: HttpContext): (text: string) => void {
  return (text) => {
    console.error(scrubberFor(c.get("config"), c.env).text(text));
  };
}
