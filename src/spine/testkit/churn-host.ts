import type { RequestId } from "../frame/request-id.ts";
import type { AttemptCount } from "../replay/allowance.ts";
import type { ReplayContract } from "../replay/contract.ts";
import type { ProbeResolution } from "../replay/probe.ts";
import type { Result } from "../../result.ts";

/** One request that reached the worker. */
export interface Dispatched {
  readonly id: RequestId;
  /** Replays sent for it so far; 0 for the first dispatch. */
  readonly attempt: AttemptCount;
}

export interface ChurnBounds {
  /** Replays that one request may have. */
  readonly maxAttempts: AttemptCount;
  /** Requests without a terminal answer held at once, sent and queued ones together. */
  readonly pendingCapacity: number;
}

export type FirstDispatchProblem = "duplicate_request_id" | "pending_capacity_exhausted";

/** What became of a lost worker's requests, the oldest first. */
export interface Loss {
  readonly rejected: readonly {
    readonly id: RequestId;
    readonly reason: "ambiguous_outcome" | "replay_budget_exhausted";
  }[];
  readonly heldForProbe: readonly RequestId[];
}

export type NextDispatch =
  | { readonly kind: "replay" | "first_dispatch"; readonly id: RequestId }
  /** The oldest waits for its probe, and everything younger waits with it. */
  | { readonly kind: "held_for_probe"; readonly id: RequestId }
  | { readonly kind: "empty" };

export type ProbeOutcome = "completed" | "queued" | "rejected";

type Awaitable<Value> = Value | Promise<Value>;

/** A host as the laws drive it: over a real worker its answers may take their time. */
export interface ChurnHost {
  /** A new request: sent at once, or queued where an older one waits to be sent. */
  dispatchFirst(
    id: RequestId,
    contract: ReplayContract,
  ): Awaitable<Result<"sent" | "queued", FirstDispatchProblem>>;
  /** The worker dies; another stands ready. */
  killWorker(): Awaitable<Loss>;
  /** Sends the oldest request that waits to be sent. */
  dispatchNext(): Awaitable<NextDispatch>;
  resolveProbe(
    id: RequestId,
    resolution: ProbeResolution,
  ): Awaitable<Result<ProbeOutcome, "request_not_held">>;
  /** The terminal answer, in time or late. */
  complete(id: RequestId): Awaitable<Result<undefined, "request_not_pending">>;
  /** Requests without a terminal answer, the oldest first. */
  pending(): Awaitable<readonly RequestId[]>;
  /** Everything that reached a worker, in order. */
  dispatched(): Awaitable<readonly Dispatched[]>;
}
