import { UPSTREAM_WANTED_MAX_COUNT, UPSTREAM_WANTED_METHOD_MAX_CHARS } from "./limits.ts";

/**
 * What an upstream asked of its client while it worked (MCP: elicitation, sampling, roots) and was refused, since nobody
 * stands behind the gateway who could answer. The caller is told, so that a person can give it with the arguments instead.
 */
export interface WantedRequest {
  /** `elicitation/create`, `sampling/createMessage`, `roots/list`, another that the upstream made up, or `OTHER_METHOD`. */
  readonly method: string;
  /** What it said to the person it meant. Absent where it said nothing. */
  readonly message?: string;
}

/** Stands for a method that is no plain token: whoever makes one up could speak to a reader in it. */
export const OTHER_METHOD = "other";

const METHOD_TOKEN = new RegExp(`^[A-Za-z0-9_./$-]{1,${UPSTREAM_WANTED_METHOD_MAX_CHARS}}$`);

/** What was wanted, each thing once, the first `UPSTREAM_WANTED_MAX_COUNT` of them. Messages stay as they are. */
export class WantedList {
  readonly #wanted = new Map<string, WantedRequest>();

  add({ method, message = "" }: WantedRequest): void {
    if (this.#wanted.size >= UPSTREAM_WANTED_MAX_COUNT) return;
    const name = METHOD_TOKEN.test(method) ? method : OTHER_METHOD;
    this.#wanted.set(
      JSON.stringify([name, message]),
      message === "" ? { method: name } : { method: name, message },
    );
  }

  all(): readonly WantedRequest[] {
    return [...this.#wanted.values()];
  }
}
