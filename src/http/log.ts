import { LOG_RECORD_MAX_CHARS } from "../limits.ts";
import { oneLine } from "../scrub/log-line.ts";
import { redactSecrets } from "../scrub/secret-shapes.ts";
import type { HttpContext } from "./bindings.ts";
import { scrubberFor } from "./scrubber.ts";

/**
 * The operator's log as a request may write to it: scrubbed of configured secrets and of what has a secret's shape, cut and on
 * one line, in this order, since a detail quotes what servers and the platform say, and servers quote their callers. Before the configuration is known only our own keys can be taken out, and nothing else is in play yet.
 */
export function logFor(c: HttpContext): (text: string) => void {
  return (text) => {
    const scrubber = scrubberFor(c.get("config"), c.env);
    const clean = redactSecrets(scrubber.cut(text, LOG_RECORD_MAX_CHARS)).text;
    console.error(oneLine(clean));
  };
}
