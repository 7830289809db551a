import { UPSTREAM_DEADLINE_MAX_MS } from "../limits.ts";
import { WireError } from "./wire-fault.ts";

/** One deadline over a whole operation, joined with the caller's own wish to stop. */
export interface Deadline {
  /** Its reason is always a {@link WireError}, `deadline` or `cancelled`. */
  readonly signal: AbortSignal;
  /** Ends the timer; call it when the operation is over, whatever came of it. */
  stop(): void;
}

/** Starts a deadline of `timeoutMs` milliseconds; `outer`, where given, ends it early. */
export function startDeadline(timeoutMs: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  const expire = () => {
    controller.abort(new WireError({ kind: "deadline", detail: `no answer within ${timeoutMs} ms` }));
  };
  const cancel = () => {
    controller.abort(new WireError({ kind: "cancelled", detail: "the caller went away" }));
  };
  const wait = Math.min(Math.max(Math.trunc(timeoutMs) || 0, 0), UPSTREAM_DEADLINE_MAX_MS);
  const timer = setTimeout(expire, wait);
  if (outer?.aborted === true) cancel();
  outer?.addEventListener("abort", cancel, { once: true });
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", cancel);
    },
  };
}

/**
 * Settles as `work` does, or rejects with the signal's reason as soon as it aborts, even when `work` never settles.
 * `late` receives a value that came after that, so that it can be released.
 */
export function orAbort<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  late?: (value: Value) => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the signal's own reason, whatever it is
      reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const arrive = async () => {
      try {
        const value = await work;
        if (signal.aborted) late?.(value);
        resolve(value);
      } catch (error) {
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- passed on as it was thrown
        reject(error);
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    };
    void arrive();
  });
}
