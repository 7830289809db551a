import { type RequestId, requestIdKey } from "../frame/request-id.ts";
import type { AttemptCount } from "../replay/allowance.ts";
import type { ReplayContract } from "../replay/contract.ts";
import {
  acceptTerminal,
  dispatch,
  dispositionOf,
  type Execution,
  loseWorker,
  NEW_EXECUTION,
  type ReplayTerms,
} from "../replay/execution.ts";
import type { ProbeResolution } from "../replay/probe.ts";
import { fail, ok, type Result } from "../../result.ts";

/** One request that reached the worker. */
export interface Dispatched {
  readonly id: RequestId;
  /** Replays sent for it so far; 0 for the first dispatch. */
  readonly attempt: AttemptCount;
}

export interface HarnessBounds {
  /** Replays that one request may have. */
  readonly maxAttempts: AttemptCount;
  /** Requests without a terminal answer, held at once. */
  readonly pendingCapacity: number;
}

export type FirstDispatchProblem = "duplicate_request_id" | "pending_capacity_exhausted";

/** What became of a lost worker's requests. */
export interface Loss {
  readonly rejected: readonly {
    readonly id: RequestId;
    readonly reason: "ambiguous_outcome" | "replay_budget_exhausted";
  }[];
  readonly heldForProbe: readonly RequestId[];
}

export type NextDispatch =
  | { readonly kind: "replay"; readonly id: RequestId }
  /** The oldest waits for its probe, and everything younger waits with it. */
  | { readonly kind: "held_for_probe"; readonly id: RequestId }
  | { readonly kind: "empty" };

interface Pending {
  readonly id: RequestId;
  readonly terms: ReplayTerms;
  execution: Execution;
  probe: ProbeResolution | undefined;
}

/**
 * A host without a transport: requests come, its worker is killed whenever a test likes, and it can be asked what reached
 * the worker. It decides nothing by itself: the spine's executions do. A server's own host is put through the same history
 * and has to agree.
 */
export class ChurnHarness {
  readonly #bounds: HarnessBounds;
  /** In the order in which they were first sent. */
  readonly #pending = new Map<string, Pending>();
  readonly #dispatched: Dispatched[] = [];

  constructor(bounds: HarnessBounds) {
    this.#bounds = bounds;
  }

  /** Everything that reached a worker, in order. */
  dispatched(): readonly Dispatched[] {
    return [...this.#dispatched];
  }

  /** Requests without a terminal answer, the oldest first. */
  pending(): readonly RequestId[] {
    return [...this.#pending.values()].map(({ id }) => id);
  }

  /** A new request, sent at once. Its id is free again after its terminal answer. */
  dispatchFirst(id: RequestId, contract: ReplayContract): Result<undefined, FirstDispatchProblem> {
    const key = requestIdKey(id);
    if (this.#pending.has(key)) return fail("duplicate_request_id");
    if (this.#pending.size >= this.#bounds.pendingCapacity) return fail("pending_capacity_exhausted");
    const terms = { contract, max_attempts: this.#bounds.maxAttempts };
    const pending: Pending = { id, terms, execution: NEW_EXECUTION, probe: undefined };
    this.#pending.set(key, pending);
    this.#send(pending);
    return ok(undefined);
  }

  /** The worker dies. What may not run again is rejected now, and says why. */
  killWorker(): Loss {
    const rejected: Loss["rejected"][number][] = [];
    const heldForProbe: RequestId[] = [];
    for (const [key, pending] of this.#pending) {
      pending.execution = loseWorker(pending.execution);
      pending.probe = undefined;
      switch (dispositionOf(pending.execution, pending.terms)) {
        case "reject_ambiguous_outcome":
          rejected.push({ id: pending.id, reason: "ambiguous_outcome" });
          this.#pending.delete(key);
          break;
        case "reject_replay_exhausted":
          rejected.push({ id: pending.id, reason: "replay_budget_exhausted" });
          this.#pending.delete(key);
          break;
        case "hold_for_probe":
          heldForProbe.push(pending.id);
          break;
        case "first_dispatch":
        case "await_terminal":
        case "completed":
        case "replay":
        case "complete_from_probe":
        case "reject_unexpected_probe_resolution":
      }
    }
    return { rejected, heldForProbe };
  }

  /** Sends the oldest request that waits to be sent again. Only a request that is sent uses up an attempt. */
  dispatchNext(): NextDispatch {
    for (const pending of this.#pending.values()) {
      const { id, execution, terms, probe } = pending;
      const disposition = dispositionOf(execution, terms, probe);
      if (disposition === "hold_for_probe") return { kind: "held_for_probe", id };
      if (disposition !== "replay") continue;
      this.#send(pending);
      return { kind: "replay", id };
    }
    return { kind: "empty" };
  }

  /** What a probe found out about a request that is held; `rejected` where it may not be sent often enough. */
  resolveProbe(
    id: RequestId,
    resolution: ProbeResolution,
  ): Result<"completed" | "queued" | "rejected", "request_not_held"> {
    const key = requestIdKey(id);
    const pending = this.#pending.get(key);
    if (pending === undefined || pending.probe !== undefined) return fail("request_not_held");
    switch (dispositionOf(pending.execution, pending.terms, resolution)) {
      case "complete_from_probe":
        this.#pending.delete(key);
        return ok("completed");
      case "replay":
        pending.probe = resolution;
        return ok("queued");
      case "reject_replay_exhausted":
        this.#pending.delete(key);
        return ok("rejected");
      case "first_dispatch":
      case "await_terminal":
      case "completed":
      case "hold_for_probe":
      case "reject_ambiguous_outcome":
      case "reject_unexpected_probe_resolution":
        return fail("request_not_held");
    }
  }

  /** The terminal answer, in time or late; accepted once. */
  complete(id: RequestId): Result<undefined, "request_not_pending"> {
    const key = requestIdKey(id);
    const pending = this.#pending.get(key);
    if (pending === undefined || !acceptTerminal(pending.execution).ok) return fail("request_not_pending");
    this.#pending.delete(key);
    return ok(undefined);
  }

  #send(pending: Pending): void {
    const sent = dispatch(pending.execution, pending.terms, pending.probe);
    if (!sent.ok) return;
    pending.execution = sent.value;
    pending.probe = undefined;
    this.#dispatched.push({ id: pending.id, attempt: sent.value.attempts_used });
  }
}
