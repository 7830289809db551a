import type { Config } from "../config.ts";
import type { UpstreamFailure } from "../errors.ts";
import { codeOfFailure } from "../fault-of-failure.ts";

export type RetrySettings = Config["gateway"]["retry"];

/**
 * How long to wait before the try that follows the `tries` made so far, in milliseconds; nothing where the operator wants
 * no further try, or where the wait alone would take all of the time that is left. `random` is from 0 to 1.
 */
export function retryDelayMs(
  failure: UpstreamFailure,
  { tries, leftMs, random }: { readonly tries: number; readonly leftMs: number; readonly random: number },
  settings: RetrySettings,
): number | undefined {
  if (tries >= settings.max_attempts) return undefined;
  const code = codeOfFailure(failure);
  if (!settings.retryable_codes.some((retryable) => retryable === code)) return undefined;
  const delayMs = Math.max(backoffMs(tries, random, settings), askedForMs(failure));
  return delayMs < leftMs ? delayMs : undefined;
}

/** Doubles from try to try, up to a bound; chance shortens it, so that callers that failed together do not return together. */
function backoffMs(
  tries: number,
  random: number,
  { base_delay_ms: baseMs, max_delay_ms: maxMs, jitter }: RetrySettings,
): number {
  return Math.min(maxMs, baseMs * 2 ** (tries - 1)) * (1 - jitter * random);
}

/** What the server itself asks for goes before any bound of ours: whoever comes earlier is turned away again. */
function askedForMs(failure: UpstreamFailure): number {
  return "retryAfterSeconds" in failure ? (failure.retryAfterSeconds ?? 0) * 1000 : 0;
}
