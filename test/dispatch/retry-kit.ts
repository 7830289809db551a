import fc from "fast-check";
import type { KeptSession } from "../../src/dispatch/admission.ts";
import type { RetryClock, UpstreamReport } from "../../src/dispatch/ports.ts";
import { callWithRetries } from "../../src/dispatch/retry.ts";
import type { RetrySettings } from "../../src/dispatch/retry-delay.ts";
import type { Outcome, UpstreamFailure } from "../../src/errors.ts";
import { fail, ok } from "../../src/result.ts";
import type { WantedRequest } from "../../src/wanted-request.ts";
import { REPLAY_CONTRACTS, type ReplayContract } from "../../src/spine/replay/contract.ts";

export const SETTINGS: RetrySettings = {
  max_attempts: 4,
  base_delay_ms: 100,
  max_delay_ms: 5000,
  jitter: 0,
  retryable_codes: ["UPSTREAM_TIMEOUT", "UPSTREAM_UNAVAILABLE"],
};

export const FIRST: KeptSession = { sessionId: "first", protocolVersion: "1" };

export const refused: UpstreamFailure = {
  reason: "unreachable",
  outcome: "not_dispatched",
  detail: "refused",
};
export const lost: UpstreamFailure = { reason: "unreachable", outcome: "unknown", detail: "reset" };
export const busy = (retryAfterSeconds: number | null): UpstreamFailure => ({
  reason: "rate_limited",
  outcome: "not_dispatched",
  retryAfterSeconds,
  detail: "429",
});

/** What one try comes to, and how long it takes. */
export interface Step {
  readonly failure: UpstreamFailure | null;
  readonly session: KeptSession | null;
  readonly tookMs: number;
}

export const step = (
  failure: UpstreamFailure | null,
  session: KeptSession | null = FIRST,
  tookMs = 10,
): Step => ({
  failure,
  session,
  tookMs,
});

export interface Script {
  readonly contract: ReplayContract;
  readonly settings: RetrySettings;
  readonly timeoutMs: number;
  readonly kept: KeptSession | undefined;
  readonly steps: readonly Step[];
  /** From 0 to 1. */
  readonly chance: number;
}

/** Plays a call on a clock that only tries and waits move; a try is cut off where its time ends. The last step repeats. */
export async function play(
  script: Script,
  over: Partial<RetryClock> = {},
  {
    mayTry,
    wanted = [],
  }: {
    readonly mayTry?: (nth: number, tickMs: (ms: number) => void) => boolean;
    /** By try. */
    readonly wanted?: readonly (readonly WantedRequest[])[];
  } = {},
) {
  let nowMs = 1_000_000;
  const startedMs = nowMs;
  const sent: { readonly session: KeptSession | undefined; readonly limitMs: number | undefined }[] = [];
  const waits: number[] = [];
  const told: Step[] = [];
  const send = async (
    session: KeptSession | undefined,
    limitMs: number | undefined,
  ): Promise<UpstreamReport> => {
    const next = script.steps[Math.min(sent.length, script.steps.length - 1)] ?? step(null);
    const wishes = wanted[sent.length];
    sent.push({ session, limitMs });
    const allowedMs = limitMs ?? script.timeoutMs;
    const late = next.tookMs >= allowedMs;
    nowMs += Math.min(next.tookMs, allowedMs);
    const failure: UpstreamFailure | null = late
      ? { reason: "timeout", outcome: "unknown", detail: "deadline" }
      : next.failure;
    told.push({ ...next, failure });
    return {
      answer: failure === null ? ok({ content: [], isError: true }) : fail(failure),
      session: next.session,
      ...(wishes === undefined ? {} : { wanted: wishes }),
    };
  };
  const clock: RetryClock = {
    now: () => nowMs,
    random: () => script.chance,
    sleep: async (delayMs) => {
      waits.push(delayMs);
      nowMs += delayMs;
    },
    ...over,
  };
  const { contract, settings, timeoutMs } = script;
  const asked: number[] = [];
  const mayGoOn = async (nth: number) => {
    asked.push(nth);
    return mayTry?.(nth, (ms) => (nowMs += ms)) ?? true;
  };
  const terms = { contract, settings, timeoutMs, ...(mayTry === undefined ? {} : { mayTry: mayGoOn }) };
  const tried = await callWithRetries(send, script.kept, terms, clock);
  return { tried, sent, waits, told, asked, spentMs: nowMs - startedMs };
}

const outcome = fc.constantFrom<Outcome>("not_dispatched", "completed", "unknown");
const failure: fc.Arbitrary<UpstreamFailure> = outcome.chain((known) =>
  fc.oneof(
    fc.constantFrom(
      ...(
        [
          "timeout",
          "unreachable",
          "cancelled",
          "unauthorized",
          "unknown_tool",
          "protocol",
          "too_large",
        ] as const
      ).map((reason) => ({ reason, outcome: known, detail: reason })),
    ),
    fc.option(fc.double({ min: 0, max: 90, noNaN: true }), { nil: null }).map((retryAfterSeconds) => ({
      reason: "rate_limited" as const,
      outcome: known,
      retryAfterSeconds,
      detail: "429",
    })),
    fc.integer().map((code) => ({ reason: "rpc_error" as const, outcome: known, code, detail: "no" })),
  ),
);
const session = fc.option(
  fc.record({
    sessionId: fc.constantFrom("", "first", "second", "third"),
    protocolVersion: fc.constant("1"),
  }),
  { nil: null },
);

export const scripts: fc.Arbitrary<Script> = fc.record({
  contract: fc.constantFrom(...REPLAY_CONTRACTS),
  settings: fc.record({
    max_attempts: fc.integer({ min: 1, max: 10 }),
    base_delay_ms: fc.integer({ min: 0, max: 60_000 }),
    max_delay_ms: fc.integer({ min: 0, max: 60_000 }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    retryable_codes: fc.subarray<RetrySettings["retryable_codes"][number]>([
      "UPSTREAM_TIMEOUT",
      "UPSTREAM_UNAVAILABLE",
      "RATE_LIMITED",
    ]),
  }),
  timeoutMs: fc.integer({ min: 1, max: 600_000 }),
  kept: session.map((kept) => kept ?? undefined),
  steps: fc.array(
    fc.record({
      failure: fc.option(failure, { nil: null, freq: 8 }),
      session,
      tookMs: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 700_000 })),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  chance: fc.double({ min: 0, max: 1, noNaN: true }),
});
