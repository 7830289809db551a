import {
  UPSTREAM_WANTED_MAX_COUNT,
  UPSTREAM_WANTED_MESSAGE_MAX_CHARS,
  UPSTREAM_WANTED_METHOD_MAX_CHARS,
} from "./limits.ts";
import { UNSEEN_RUN } from "./unseen.ts";

/**
 * What an upstream asked of its client while it worked (MCP: elicitation, sampling, roots) and was refused, since nobody
 * stands behind the gateway who could answer. The caller is told, so that a person can give it with the arguments instead.
 */
export interface WantedRequest {
  /** `elicitation/create`, `sampling/createMessage`, `roots/list`, or another that the upstream made up. */
  readonly method: string;
  /** What it said to the person it meant: bounded, one line. Absent where it said nothing. */
  readonly message?: string;
}

/** What was wanted, each thing once, the first `UPSTREAM_WANTED_MAX_COUNT` of them. */
export class WantedList {
  readonly #wanted = new Map<string, WantedRequest>();

  add(request: WantedRequest): void {
    if (this.#wanted.size >= UPSTREAM_WANTED_MAX_COUNT) return;
    const method = lineOf(request.method, UPSTREAM_WANTED_METHOD_MAX_CHARS);
    const message = lineOf(request.message ?? "", UPSTREAM_WANTED_MESSAGE_MAX_CHARS);
    const bounded = message === "" ? { method } : { method, message };
    this.#wanted.set(JSON.stringify([method, message]), bounded);
  }

  all(): readonly WantedRequest[] {
    return [...this.#wanted.values()];
  }
}

/** A text's beginning in one line, at most so many code points. */
function lineOf(text: string, maxChars: number): string {
  // What is cut off at first is more than the line could hold, so that a long text is not looked through.
  const line = text
    .slice(0, 4 * maxChars)
    .replace(UNSEEN_RUN, " ")
    .trim();
  return Array.from(line).slice(0, maxChars).join("").trim();
}
