import { fail, ok } from "../result.ts";
import type { Result } from "../result.ts";
import type {
  AdmitDecision,
  AdmitRequest,
  ApprovalDecisionRequest,
  ApprovalVerdict,
  Revocation,
  SettleReport,
  Settlement,
} from "./admit-contract.ts";
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
  revoke(revocation: Revocation): Promise<Result<Settlement, PrincipalUnreachable>>;
  decideApproval(request: ApprovalDecisionRequest): Promise<Result<ApprovalVerdict, PrincipalUnreachable>>;
}

/** What of the platform's namespace is used. */
interface PrincipalNamespace {
  getByName(name: string): {
    admit(request: AdmitRequest): Promise<AdmitDecision>;
    settle(report: SettleReport): Promise<Settlement>;
    revoke(revocation: Revocation): Promise<Settlement>;
    decideApproval(request: ApprovalDecisionRequest): Promise<ApprovalVerdict>;
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
  const call = <Answer>(ask: (stub: PrincipalStub) => Promise<Answer>) => callTwice(principals, name, ask);
  return {
    admit: (request) => call(async (stub) => stub.admit(request)),
    settle: (report) => call(async (stub) => stub.settle(report)),
    revoke: (revocation) => call(async (stub) => stub.revoke(revocation)),
    decideApproval: (request) => call(async (stub) => stub.decideApproval(request)),
  };
}

/**
 * Asks once more where the platform says that it may help: every call here may be repeated. A stub that threw is dead, so
 * each attempt has its own. An overloaded object is left alone.
 */
async function callTwice<Answer>(
  principals: PrincipalNamespace,
  name: string,
  ask: (stub: PrincipalStub) => Promise<Answer>,
): Promise<Result<Answer, PrincipalUnreachable>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return ok(await ask(principals.getByName(name)));
    } catch (error) {
      if (attempt < 2 && mayRepeat(error)) continue;
      return fail({ reason: "principal_unreachable", detail: String(error) });
    }
  }
}

function mayRepeat(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    "retryable" in error && error.retryable === true && !("overloaded" in error && error.overloaded === true)
  );
}
