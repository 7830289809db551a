import { memberOf } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import { type AttemptCount, nextAttempt, readAttemptCount } from "./allowance.ts";
import type { ReplayContract } from "./contract.ts";
import { type RequestDisposition, requestDisposition } from "./disposition.ts";
import { type ExecutionKnowledge, isExecutionKnowledge } from "./knowledge.ts";
import type { ProbeResolution } from "./probe.ts";
import { afterDispatch, afterTerminal, afterWorkerLoss, type TransitionError } from "./transition.ts";

/**
 * Where one request stands; a journal's row. Whoever moves it writes the new value down before acting on it: what is in
 * flight and not written down is sent twice by the next reader.
 */
export interface Execution {
  readonly knowledge: ExecutionKnowledge;
  /** Replays sent; a first dispatch is none, and neither is a place in a queue. */
  readonly attempts_used: AttemptCount;
}

/** What a request was accepted under, the same for as long as it lives. */
export interface ReplayTerms {
  readonly contract: ReplayContract;
  readonly max_attempts: AttemptCount;
}

export const NEW_EXECUTION: Execution = Object.freeze({ knowledge: "not_dispatched", attempts_used: 0 });

/** What happens to the request now, by the decision table. */
export function dispositionOf(
  { knowledge, attempts_used }: Execution,
  { contract, max_attempts }: ReplayTerms,
  probe?: ProbeResolution,
): RequestDisposition {
  return requestDisposition(knowledge, contract, probe, { attempts_used, max_attempts });
}

/** Sends the request where the table allows it, and counts the attempt where it is one. */
export function dispatch(
  execution: Execution,
  terms: ReplayTerms,
  probe?: ProbeResolution,
): Result<Execution, TransitionError> {
  const disposition = dispositionOf(execution, terms, probe);
  const knowledge = afterDispatch(execution.knowledge, disposition);
  if (!knowledge.ok) return knowledge;
  if (disposition === "first_dispatch") return ok({ ...execution, knowledge: knowledge.value });
  const attempt = nextAttempt({ ...execution, ...terms });
  // The table replays within the allowance only; without an attempt to count, nothing is sent all the same.
  if (attempt === undefined) {
    return fail({ reason: "dispatch_not_authorised", knowledge: execution.knowledge, disposition });
  }
  return ok({ knowledge: knowledge.value, attempts_used: attempt });
}

/** The worker, the isolate or the connection is gone, or the lease has run out. */
export function loseWorker(execution: Execution): Execution {
  return { ...execution, knowledge: afterWorkerLoss(execution.knowledge) };
}

/** The one terminal answer, in time or late, from the worker or from a probe that found the effect in place. */
export function acceptTerminal(execution: Execution): Result<Execution, TransitionError> {
  const knowledge = afterTerminal(execution.knowledge);
  return knowledge.ok ? ok({ ...execution, knowledge: knowledge.value }) : knowledge;
}

/**
 * It is proven that the attempt in flight never left, or was turned away unread. That says nothing of an earlier attempt
 * that was lost: after a replay the outcome is as unknown as before it, and the attempt stays counted.
 */
export function retractDispatch(execution: Execution): Result<Execution, TransitionError> {
  const { knowledge, attempts_used } = execution;
  if (knowledge !== "in_flight") return fail({ reason: "nothing_in_flight", knowledge });
  return ok({ ...execution, knowledge: attempts_used === 0 ? "not_dispatched" : "outcome_unknown" });
}

export type ExecutionProblem =
  | "unknown_execution_knowledge"
  | "invalid_attempt_count"
  /** Replays of what was never sent. */
  | "contradictory_execution";

/** Reads an execution from JSON, and refuses what no sequence of moves leads to. */
export function readExecution(value: unknown): Result<Execution, ExecutionProblem> {
  const knowledge = memberOf(value, "knowledge");
  if (!isExecutionKnowledge(knowledge)) return fail("unknown_execution_knowledge");
  const attempts = readAttemptCount(memberOf(value, "attempts_used"));
  if (!attempts.ok) return attempts;
  if (knowledge === "not_dispatched" && attempts.value > 0) return fail("contradictory_execution");
  return ok({ knowledge, attempts_used: attempts.value });
}
