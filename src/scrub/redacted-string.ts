import { hiddenText, type Regard, withoutUsersPassword } from "./member-hiding.ts";
import type { StringRedaction } from "./redaction.ts";
import { mayHoldSecrets, type RedactedText, redactSecrets } from "./secret-shapes.ts";

const MAY_BE_JSON = /^\s*[[{]/;

/** A string of a JSON document by the regard it stands in; `before` is the item before it in a list. */
export function redactedString(
  text: string,
  regard: Regard,
  before: string | undefined,
  strings: Pick<StringRedaction, "whole">,
): RedactedText {
  if (regard === "kept") return redactSecrets(text, true);
  const hidden = regard === "open" ? withoutUsersPassword(before, text) : hiddenText(regard.under, text);
  if (hidden !== undefined) return { text: hidden, count: 1 };
  // Lines name secrets by more words than a line alone does.
  const mayLose = MAY_BE_JSON.test(text) || text.includes("\n") || mayHoldSecrets(text);
  return mayLose ? strings.whole(text) : { text, count: 0 };
}
