import { sha256 } from "@noble/hashes/sha2.js";
import { encodeBase64url } from "../base64url.ts";
import { JOURNAL_UNKNOWN_LIFETIME_SECONDS } from "../limits.ts";
import { REPLAY_ATTEMPTS_MAX_COUNT } from "../limits/spine.ts";
import { readAttemptCount } from "../spine/replay/allowance.ts";
import { REPLAY_CONTRACTS, type ReplayContract } from "../spine/replay/contract.ts";
import {
  dispatch,
  dispositionOf,
  type Execution,
  loseWorker,
  NEW_EXECUTION,
  type ReplayTerms,
} from "../spine/replay/execution.ts";

/**
 * The journal of calls that may not simply run again (DESIGN "Replay"): what is in flight is written down before it is
 * sent, so that a repetition is recognised, whatever became of the Worker that sent it.
 */
export interface JournalEntry {
  /** What a repetition is found by. */
  readonly key: string;
  /** The attempt that runs, or ran last. */
  readonly attempt: string;
  /** A hash of the tool and the arguments. */
  readonly fingerprint: string;
  readonly contract: ReplayContract;
  readonly execution: Execution;
  /** Until then what is in flight is waited for; after it nobody knows what happened. */
  readonly leaseEndsAtMs: number;
  readonly answer: JournalAnswer | null;
  readonly expiresAtMs: number;
  /** The tool's canonical id and the upstream's account, for the ledger; `null` where its Worker did not say. */
  readonly toolId: string | null;
  readonly server: string | null;
  /** Whether the ledger was told how the attempt ended. */
  readonly told: boolean;
}

/** The first answer: as text, or where it is too long for that, by the handle of what was kept of it. */
export type JournalAnswer = { readonly text: string } | { readonly handle: string };

/** A call that is about to run. */
export interface JournalAsk {
  readonly attempt: string;
  readonly fingerprint: string;
  readonly contract: ReplayContract;
  /** The deadline and its grace. */
  readonly leaseMs: number;
  /** The caller's own name for the call. */
  readonly idempotencyKey: string | null;
  /** The JSON-RPC id with its session; `null` where no session was minted: ids begin anew with every client. */
  readonly requestKey: string | null;
  readonly toolId: string | null;
  readonly server: string | null;
}

export type JournalRefusal =
  /** The first one is still running. `retryAfterMs`: by then it has its answer, or none that is known. */
  | { readonly reason: "in_flight"; readonly retryAfterMs: number }
  /** Whether it took effect is not known, and it may not run again. */
  | { readonly reason: "outcome_unknown" }
  /** Another call was made under this key. */
  | { readonly reason: "key_conflict" };

/** `entry` is to be written before the call is sent; `null`: this very attempt wrote it before. */
export type JournalStep =
  | { readonly step: "run"; readonly entry: JournalEntry | null }
  /** `null` where no answer was kept. */
  | { readonly step: "answered"; readonly answer: JournalAnswer | null }
  | { readonly step: "refused"; readonly refusal: JournalRefusal };

const encoder = new TextEncoder();

/**
 * What an entry is found by. A key that the caller chose goes before the JSON-RPC id; an id means the same call only with
 * the same fingerprint, so that is part of it. An attempt without either is found by itself alone.
 */
export function journalKey(
  ask: Pick<JournalAsk, "attempt" | "fingerprint" | "idempotencyKey" | "requestKey">,
): string {
  const { idempotencyKey, requestKey, fingerprint, attempt } = ask;
  if (idempotencyKey !== null) return `key:${hashed([idempotencyKey])}`;
  if (requestKey !== null) return `request:${hashed([requestKey, fingerprint])}`;
  return attemptKey(attempt);
}

export function attemptKey(attempt: string): string {
  return `${ATTEMPT_PREFIX}${hashed([attempt])}`;
}

/** Whether a later call can come upon this entry. */
export function canBeRepeated({ key }: Pick<JournalEntry, "key">): boolean {
  return !key.startsWith(ATTEMPT_PREFIX);
}

const ATTEMPT_PREFIX = "attempt:";

/** JSON text keeps the parts, and lone surrogates, apart. */
function hashed(parts: readonly string[]): string {
  return encodeBase64url(sha256(encoder.encode(JSON.stringify(parts))));
}

/**
 * May this call run? `known` is the entry under its key, an expired one included. The spine's table decides over what is
 * known of the first one; nothing is counted or written here.
 */
export function openCall(known: JournalEntry | null, ask: JournalAsk, nowMs: number): JournalStep {
  if (known === null || known.expiresAtMs <= nowMs) return run(ask, NEW_EXECUTION, nowMs);
  if (known.fingerprint !== ask.fingerprint) return refuse({ reason: "key_conflict" });
  // Nothing of it was reported, so whoever asks again under its name has not begun.
  if (known.attempt === ask.attempt && known.execution.knowledge === "in_flight") {
    return { step: "run", entry: null };
  }
  const contract = stricter(known.contract, ask.contract);
  const standing = nowMs < known.leaseEndsAtMs ? known.execution : loseWorker(known.execution);
  switch (dispositionOf(standing, termsOf(contract))) {
    case "first_dispatch":
    case "replay":
      return run({ ...ask, contract }, standing, nowMs);
    case "await_terminal":
      return refuse({ reason: "in_flight", retryAfterMs: known.leaseEndsAtMs - nowMs });
    case "completed":
      return { step: "answered", answer: known.answer };
    case "hold_for_probe":
    case "complete_from_probe":
    case "reject_ambiguous_outcome":
    case "reject_replay_exhausted":
    case "reject_unexpected_probe_resolution":
      return refuse({ reason: "outcome_unknown" });
  }
}

function run(ask: JournalAsk, before: Execution, nowMs: number): JournalStep {
  const { attempt, fingerprint, contract, leaseMs, toolId, server } = ask;
  const inFlight = dispatch(before, termsOf(contract));
  if (!inFlight.ok) return refuse({ reason: "outcome_unknown" });
  const key = journalKey(ask);
  const leaseEndsAtMs = nowMs + leaseMs;
  const keptMs = canBeRepeated({ key }) ? JOURNAL_UNKNOWN_LIFETIME_SECONDS * 1000 : 0;
  return {
    step: "run",
    entry: {
      key,
      attempt,
      fingerprint,
      contract,
      execution: inFlight.value,
      leaseEndsAtMs,
      answer: null,
      expiresAtMs: leaseEndsAtMs + keptMs,
      toolId,
      server,
      told: false,
    },
  };
}

function refuse(refusal: JournalRefusal): JournalStep {
  return { step: "refused", refusal };
}

const REPLAYS = readAttemptCount(REPLAY_ATTEMPTS_MAX_COUNT);

/** Each repetition is a request of its own by its caller, so all that can be counted are allowed. */
function termsOf(contract: ReplayContract): ReplayTerms {
  return { contract, max_attempts: REPLAYS.ok ? REPLAYS.value : 0 };
}

/** Contracts are listed from the most to the least permissive. A contract that was tightened since holds, and so does the old. */
function stricter(left: ReplayContract, right: ReplayContract): ReplayContract {
  return REPLAY_CONTRACTS.indexOf(left) >= REPLAY_CONTRACTS.indexOf(right) ? left : right;
}
