import { redactorFor } from "../../src/scrub/redactor.ts";

const redactor = redactorFor(true, undefined);

/** What is left of a text that is read whole, and of one whose every character is a piece. */
export function readBothWays(text: string): readonly (string | undefined)[] {
  const stream = redactor?.stream();
  const streamed = Array.from(text, (unit) => stream?.push(unit)).join("");
  return [redactor?.text(text).text, `${streamed}${stream?.end()}`];
}
