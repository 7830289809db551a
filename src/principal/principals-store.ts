import { askTwice } from "../ask-object.ts";
import { fail } from "../result.ts";
import type { Result } from "../result.ts";
import type {
  AdmitDecision,
  AdmitRequest,
  ApprovalDecisionRequest,
  ApprovalVerdict,
  FlightNote,
  NotedFlight,
  Revocation,
  SettleReport,
  Settlement,
} from "./admit-contract.ts";
import type { ArtifactReview, ArtifactReviewRequest } from "./artifact-contract.ts";
import { principalObjectName } from "./object-name.ts";
import type { PrincipalObject } from "./principal-object.ts";

/** The object gave no answer; what it had begun may or may not be written. */
export interface PrincipalUnreachable {
  readonly reason: "principal_unreachable";
  /** For the operator's log. */
  readonly detail: string;
}

/** One principal's object, as the rooms above are handed it. Nothing here throws. */
export interface PrincipalPort {
  admit(request: AdmitRequest): Promise<Result<AdmitDecision, PrincipalUnreachable>>;
  settle(report: SettleReport): Promise<Result<Settlement, PrincipalUnreachable>>;
  noteFlight(note: FlightNote): Promise<Result<NotedFlight, PrincipalUnreachable>>;
  revoke(revocation: Revocation): Promise<Result<Settlement, PrincipalUnreachable>>;
  decideApproval(request: ApprovalDecisionRequest): Promise<Result<ApprovalVerdict, PrincipalUnreachable>>;
  reviewArtifacts(
    request: ArtifactReviewRequest,
  ): Promise<Result<ArtifactReview | Settlement, PrincipalUnreachable>>;
}

/** What of the platform's namespace is used. */
interface PrincipalNamespace {
  getByName(name: string): {
    admit(request: AdmitRequest): Promise<AdmitDecision>;
    settle(report: SettleReport): Promise<Settlement>;
    noteFlight(note: FlightNote): Promise<NotedFlight>;
    revoke(revocation: Revocation): Promise<Settlement>;
    decideApproval(request: ApprovalDecisionRequest): Promise<ApprovalVerdict>;
    reviewArtifacts(request: ArtifactReviewRequest): Promise<ArtifactReview | Settlement>;
  };
}

type PrincipalStub = ReturnType<PrincipalNamespace["getByName"]>;

/** What this room adds to the Worker's environment; the class is named here, since `env.ts` may import no room. */
export interface PrincipalBindings {
  readonly PRINCIPALS: DurableObjectNamespace<PrincipalObject>;
}

/** The way from a verified principal to its object. Call it after the bearer's MAC and the session id's have held. */
export function principalPort(principals: PrincipalNamespace, principal: string): PrincipalPort {
  const name = principalObjectName(principal);
  const call = async <Answer>(
    ask: (stub: PrincipalStub) => Promise<Answer>,
  ): Promise<Result<Answer, PrincipalUnreachable>> => {
    // Every call here may be repeated.
    const answer = await askTwice(() => principals.getByName(name), ask);
    return answer.ok ? answer : fail({ reason: "principal_unreachable", detail: answer.reason });
  };
  return {
    admit: (request) => call(async (stub) => stub.admit(request)),
    settle: (report) => call(async (stub) => stub.settle(report)),
    noteFlight: (note) => call(async (stub) => stub.noteFlight(note)),
    revoke: (revocation) => call(async (stub) => stub.revoke(revocation)),
    decideApproval: (request) => call(async (stub) => stub.decideApproval(request)),
    reviewArtifacts: (request) => call(async (stub) => stub.reviewArtifacts(request)),
  };
}
