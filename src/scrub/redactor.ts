import { redactMemberStream, redactStream, redactText } from "./redact-text.ts";
import { redactValue } from "./redact-value.ts";
import type { RedactedValue, RedactingFilter } from "./redaction.ts";
import type { RedactedText } from "./secret-shapes.ts";

export type { RedactedValue, RedactingFilter } from "./redaction.ts";
export type { RedactedText } from "./secret-shapes.ts";

/**
 * Takes out what has a secret's shape or is named like one, where an operator asked for it (`redact`). What it gives is
 * given back unchanged. Pure: the same gives the same.
 */
export interface Redactor {
  /**
   * A text. JSON objects and arrays, also line by line, stay JSON and mean the same but for what was taken out; JSON in
   * their strings too, `REDACT_JSON_LAYERS_COUNT` deep.
   */
  readonly text: (text: string) => RedactedText;
  /**
   * A JSON value: every string of it, names included, and what stands under a name that says secret. A number there becomes
   * a string; yes, no and nothing stay; of an object what only tells of the secret stays (`type`, `user`, `expires_at`). The
   * value itself where nothing was found. What stands for a payload that was stored already passes untouched.
   */
  readonly value: (value: unknown) => RedactedValue;
  /**
   * For a text that comes in pieces and is too large to hold: as `text` would, however it is cut, wherever a secret with its
   * name is shorter than `REDACT_STREAM_REACH_CHARS`. JSON stays JSON. `name` is that of the member whose value the text is,
   * or is the JSON of: one that says secret hides it whole, as in `value`; a text that is no JSON becomes the mark.
   */
  readonly stream: (name?: string) => RedactingFilter;
}

const REDACTOR: Redactor = {
  text: (text) => redactText(text),
  value: (value) => redactValue(value, { whole: (text) => redactText(text, 1) }),
  stream: (name) => (name === undefined ? redactStream() : redactMemberStream(name)),
};

/** The redactor of a server, where redaction is on for it: its own `redact`, else the gateway's. */
export function redactorFor(gateway: boolean, server: boolean | undefined): Redactor | undefined {
  return (server ?? gateway) ? REDACTOR : undefined;
}
