import { fail, ok, type Result } from "../../result.ts";
import type { RequestDisposition } from "./disposition.ts";
import type { ExecutionKnowledge } from "./knowledge.ts";

/** Why a request's state does not move. */
export type TransitionError =
  /** The table says something else than to send it. */
  | {
      readonly reason: "dispatch_not_authorised";
      readonly knowledge: ExecutionKnowledge;
      readonly disposition: RequestDisposition;
    }
  /** It was never sent, or has its answer already. */
  | { readonly reason: "no_answer_expected"; readonly knowledge: ExecutionKnowledge }
  /** Only what is in flight can turn out not to have been sent. */
  | { readonly reason: "nothing_in_flight"; readonly knowledge: ExecutionKnowledge };

/** The worker is gone: what it was at may or may not have happened, and nothing else is touched. */
export function afterWorkerLoss(knowledge: ExecutionKnowledge): ExecutionKnowledge {
  return knowledge === "in_flight" ? "outcome_unknown" : knowledge;
}

/** The request is sent, which two pairs of knowledge and disposition allow. */
export function afterDispatch(
  knowledge: ExecutionKnowledge,
  disposition: RequestDisposition,
): Result<ExecutionKnowledge, TransitionError> {
  const first = knowledge === "not_dispatched" && disposition === "first_dispatch";
  const again = knowledge === "outcome_unknown" && disposition === "replay";
  return first || again
    ? ok("in_flight")
    : fail({ reason: "dispatch_not_authorised", knowledge, disposition });
}

/**
 * A terminal answer came. One that arrives after its worker was given up still settles what nobody knew, once: a second
 * answer finds the request completed.
 */
export function afterTerminal(knowledge: ExecutionKnowledge): Result<ExecutionKnowledge, TransitionError> {
  return knowledge === "in_flight" || knowledge === "outcome_unknown"
    ? ok("completed")
    : fail({ reason: "no_answer_expected", knowledge });
}
