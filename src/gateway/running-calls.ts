import { RUNNING_CALLS_MAX_COUNT } from "../limits.ts";

/** The calls that run in this isolate, for the callers who take one back: their word comes in another request. */
export class RunningCalls {
  readonly #calls = new Map<string, () => void>();

  /**
   * Ends when the call is taken back here, and else never. What comes of it happens in the call's own request: nothing of a
   * request's connections may be touched from another one.
   */
  begin(attempt: string): Promise<void> {
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size < RUNNING_CALLS_MAX_COUNT) break;
      this.#calls.delete(oldest);
    }
    return new Promise((resolve) => {
      this.#calls.set(attempt, resolve);
    });
  }

  takeBack(attempt: string): void {
    this.#calls.get(attempt)?.();
    this.end(attempt);
  }

  end(attempt: string): void {
    this.#calls.delete(attempt);
  }
}
