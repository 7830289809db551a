import { type RequestId, requestIdKey } from "../frame/request-id.ts";
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
import type {
  ChurnBounds,
  ChurnHost,
  Dispatched,
  FirstDispatchProblem,
  Loss,
  NextDispatch,
  ProbeOutcome,
} from "./churn-host.ts";

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
export class ChurnHarness implements ChurnHost {
  readonly #bounds: ChurnBounds;
  /** In the order in which they came, which is the order in which they are sent, first and again. */
  readonly #pending = new Map<string, Pending>();
  readonly #dispatched: Dispatched[] = [];

  constructor(bounds: ChurnBounds) {
    this.#bounds = bounds;
  }

  dispatched(): readonly Dispatched[] {
    return [...this.#dispatched];
  }

  pending(): readonly RequestId[] {
    return [...this.#pending.values()].map(({ id }) => id);
  }

  /** Its id is free again after its terminal answer. A request that is queued is accepted and not sent: it overtakes none. */
  dispatchFirst(id: RequestId, contract: ReplayContract): Result<"sent" | "queued", FirstDispatchProblem> {
    const key = requestIdKey(id);
    if (this.#pending.has(key)) return fail("duplicate_request_id");
    if (this.#pending.size >= this.#bounds.pendingCapacity) return fail("pending_capacity_exhausted");
    const olderWaits = [...this.#pending.values()].some(
      ({ execution }) => execution.knowledge !== "in_flight",
    );
    const terms = { contract, max_attempts: this.#bounds.maxAttempts };
    const pending: Pending = { id, terms, execution: NEW_EXECUTION, probe: undefined };
    this.#pending.set(key, pending);
    if (olderWaits) return ok("queued");
    this.#send(pending);
    return ok("sent");
  }

  /** What may not run again is rejected now, and says why; what a probe had found out has to be found out again. */
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

  /** Only a request that is sent uses up an attempt, and only one that is sent again. */
  dispatchNext(): NextDispatch {
    for (const pending of this.#pending.values()) {
      const { id, execution, terms, probe } = pending;
      const disposition = dispositionOf(execution, terms, probe);
      if (disposition === "hold_for_probe") return { kind: "held_for_probe", id };
      if (disposition !== "replay" && disposition !== "first_dispatch") continue;
      this.#send(pending);
      return { kind: disposition, id };
    }
    return { kind: "empty" };
  }

  /** What a probe found out about a request that is held; `rejected` where it may not be sent often enough. */
  resolveProbe(id: RequestId, resolution: ProbeResolution): Result<ProbeOutcome, "request_not_held"> {
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

  /** Accepted once, for a request that was sent. */
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
