import type { Outcome, UpstreamFailure } from "./errors.ts";
import type { FaultClass } from "./spine/fault/fault-class.ts";
import type { FaultCode } from "./spine/fault/fault-code.ts";
import { createFault, type Fault } from "./spine/fault/fault.ts";
import { GENESIS, type Generation } from "./spine/fault/generation.ts";
import { httpStatusCode, rpcErrorCode } from "./spine/fault/numbered-code.ts";
import { type SurfaceCode, type SurfacedFault, surfaceFault } from "./spine/fault/surface.ts";
import { FRESH_ALLOWANCE } from "./spine/replay/allowance.ts";
import type { ExecutionKnowledge } from "./spine/replay/knowledge.ts";

/**
 * An upstream's failure as a fault of the spine, with its generation. `scrub` takes secrets out of the detail before the
 * fault cuts it to a line. No recovery hint: another's server is not ours to replace.
 */
export function faultOfFailure(
  failure: UpstreamFailure,
  generation: Generation,
  scrub: (text: string) => string,
): Fault {
  const [kind, code] = classAndCode(failure);
  return createFault({ generation, class: kind, code, detail: scrub(failure.detail) });
}

/** What a failure tells of the call's effect, as the decision table reads it. */
export function knowledgeOfFailure({ outcome }: Pick<UpstreamFailure, "outcome">): ExecutionKnowledge {
  return KNOWLEDGE[outcome];
}

/** A failure in our own words, and numbers; never the backend's. */
export function messageOfFailure(failure: UpstreamFailure): string {
  return shown(failure).message;
}

/** The same of a listing. Which bound one passed is in our own words and numbers too, and is what its owner has to know. */
export function messageOfListing(failure: UpstreamFailure): string {
  const message = messageOfFailure(failure);
  return failure.reason === "too_large" ? `${message}: ${failure.detail}` : message;
}

/** The code that a caller is told of a failure. */
export function codeOfFailure(failure: UpstreamFailure): SurfaceCode {
  return shown(failure).code;
}

/** What does not depend on whether the call may run again. */
function shown(failure: UpstreamFailure): Pick<SurfacedFault, "code" | "message"> {
  const standing = { knowledge: "completed", contract: "never_replay", allowance: FRESH_ALLOWANCE } as const;
  return surfaceFault(
    faultOfFailure(failure, GENESIS, () => ""),
    standing,
  );
}

const KNOWLEDGE: Readonly<Record<Outcome, ExecutionKnowledge>> = {
  not_dispatched: "not_dispatched",
  completed: "completed",
  unknown: "outcome_unknown",
};

function classAndCode(failure: UpstreamFailure): readonly [FaultClass, FaultCode] {
  switch (failure.reason) {
    case "timeout":
      return ["timeout", "deadline"];
    case "cancelled":
    case "unreachable":
    case "refused_address":
      return ["transport", failure.reason];
    case "rate_limited":
    case "unauthorized":
    case "forbidden":
    case "unknown_tool":
    case "refused_redirect":
      return ["downstream", failure.reason];
    case "http_status":
      return ["downstream", httpStatusCode(failure.status)];
    case "rpc_error":
      return ["downstream", rpcErrorCode(failure.code)];
    case "too_large":
      return ["resource", "too_large"];
    case "protocol":
      return ["protocol", "illegal_answer"];
  }
}
