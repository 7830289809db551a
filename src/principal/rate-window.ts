import { RATE_ATTEMPTS_REMEMBERED_MAX_COUNT, RATE_WINDOW_MS } from "../limits.ts";

/** One bucket's limits. An absent limit is none. */
export interface BucketLimits {
  readonly name: string;
  /** Calls in any sixty seconds. */
  readonly perMinute?: number | null | undefined;
  /** Calls in the span: a session, or a fixed time from a principal's first counted call. */
  readonly perSession?: number | null | undefined;
}

/** What one bucket has counted for one owner, a session or a principal. */
export interface RateWindow {
  /** When calls were charged, ascending: all that may still count, none of them later than the last look at the clock. */
  readonly atMs: readonly number[];
  /** Tags of the newest of these calls' attempts, in the same order. */
  readonly attempts: readonly bigint[];
  /** Calls charged in the span. */
  readonly calls: number;
  readonly spanEndsAtMs: number;
}

/** Which limit stands in the way. `retryAfterMs`: after exactly this long it no longer does; `null` where no wait helps. */
export interface RateExceeded {
  readonly scope: string;
  readonly retryAfterMs: number | null;
}

/** The tag of a call whose attempt has no name. */
export const UNNAMED_ATTEMPT = 0n;

/** A bucket that a call counts for, and what is known of it. */
export interface CountedBucket {
  readonly limits: BucketLimits;
  readonly known: RateWindow | null;
}

/** One call that asks to be counted. */
export interface RatedCall {
  readonly attempt: bigint;
  /** Whether this attempt was let pass before, as something else tells. */
  readonly repeated: boolean;
  readonly nowMs: number;
  readonly spanEndsAtMs: number;
}

export interface RateVerdict {
  readonly exceeded: RateExceeded | null;
  /** What is to be written down: a window for each bucket that is charged, or whose clock was stepped back. */
  readonly written: readonly {
    readonly limits: BucketLimits;
    readonly window: RateWindow;
    readonly isNew: boolean;
  }[];
}

/**
 * Judges a call by all of its buckets, and only then charges all or none. An attempt whose charge is in one of them has
 * passed before: it passes again, and is not charged again.
 */
export function judgeCall(buckets: readonly CountedBucket[], call: RatedCall): RateVerdict {
  const { attempt, nowMs } = call;
  const current = buckets.map(({ limits, known }) => ({
    limits,
    isNew: known === null,
    ...windowAt(known, nowMs, call.spanEndsAtMs),
  }));
  if (call.repeated || current.some(({ window }) => knowsAttempt(window, attempt))) {
    return { exceeded: null, written: [] };
  }
  const exceeded = exceededBy(current, nowMs);
  // A refused call writes nothing, unless the clock was stepped back.
  if (exceeded !== null) return { exceeded, written: current.filter(({ steppedBack }) => steppedBack) };
  return {
    exceeded,
    written: current.map(({ limits, window, isNew }) => ({
      limits,
      window: charge(window, limits, attempt, nowMs),
      isNew,
    })),
  };
}

/**
 * A window as it is at `nowMs`: what is over has been dropped. `spanEndsAtMs` is when a span that began now would end.
 *
 * A clock that was stepped back leaves calls and a span in what is now the future. They count as of now, so that they free
 * nothing, and lock nobody out for longer than a window or a span. `steppedBack` says so: unless the window is written
 * down then, they count as of the next look, and again the next.
 */
function windowAt(
  known: RateWindow | null,
  nowMs: number,
  spanEndsAtMs: number,
): { readonly window: RateWindow; readonly steppedBack: boolean } {
  if (known === null) {
    return { window: { atMs: [], attempts: [], calls: 0, spanEndsAtMs }, steppedBack: false };
  }
  // A span began with or before its newest call, so it is not ahead unless that is.
  const steppedBack = (known.atMs.at(-1) ?? nowMs) > nowMs;
  const over = known.atMs.findIndex((atMs) => nowMs - atMs < RATE_WINDOW_MS);
  const atMs = over === -1 ? [] : known.atMs.slice(over).map((at) => Math.min(at, nowMs));
  const attempts = atMs.length === 0 ? [] : known.attempts.slice(-atMs.length);
  const spanIsOver = known.spanEndsAtMs <= nowMs;
  return {
    window: {
      atMs,
      attempts,
      calls: spanIsOver ? 0 : known.calls,
      spanEndsAtMs: spanIsOver ? spanEndsAtMs : Math.min(known.spanEndsAtMs, spanEndsAtMs),
    },
    steppedBack,
  };
}

/** Whether this attempt's charge is in the window already. */
function knowsAttempt(window: RateWindow, attempt: bigint): boolean {
  return attempt !== UNNAMED_ATTEMPT && window.attempts.includes(attempt);
}

/** The limit that one more call would exceed (seed 000 §4.5): a session's before a minute's, then the longest wait. */
function exceededBy(
  buckets: readonly { readonly limits: BucketLimits; readonly window: RateWindow }[],
  nowMs: number,
): RateExceeded | null {
  for (const { limits, window } of buckets) {
    if (typeof limits.perSession === "number" && window.calls >= limits.perSession) {
      return { scope: `${limits.name}/session`, retryAfterMs: null };
    }
  }
  let longest: { readonly scope: string; readonly retryAfterMs: number } | null = null;
  for (const { limits, window } of buckets) {
    if (typeof limits.perMinute !== "number") continue;
    // There is room once this one is over: the limit may have been lowered below what was charged.
    const inTheWay = window.atMs.at(-limits.perMinute);
    if (inTheWay === undefined) continue;
    const retryAfterMs = inTheWay + RATE_WINDOW_MS - nowMs;
    if (longest === null || retryAfterMs > longest.retryAfterMs) {
      longest = { scope: `${limits.name}/minute`, retryAfterMs };
    }
  }
  return longest;
}

/** The window with one more call. It keeps as many times as the limit can ask about, and some for their attempts. */
function charge(window: RateWindow, limits: BucketLimits, attempt: bigint, nowMs: number): RateWindow {
  const kept = Math.max(limits.perMinute ?? 0, RATE_ATTEMPTS_REMEMBERED_MAX_COUNT);
  return {
    atMs: [...window.atMs, nowMs].slice(-kept),
    attempts: [...window.attempts, attempt].slice(-RATE_ATTEMPTS_REMEMBERED_MAX_COUNT),
    calls: window.calls + 1,
    spanEndsAtMs: window.spanEndsAtMs,
  };
}

/** From when on a window says nothing any more. */
export function windowEndsAtMs(window: RateWindow): number {
  return Math.max(window.spanEndsAtMs, (window.atMs.at(-1) ?? 0) + RATE_WINDOW_MS);
}
