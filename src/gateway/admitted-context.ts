import type { GatewayFailure } from "../errors.ts";
import type { Admission, AdmitAsk, RequestContext } from "./request-context.ts";

/**
 * Makes a call of which nothing throws and which is put to `admit` once, whatever becomes of it: a revoked bearer or an
 * ended session must not learn from an error what the catalog holds. `failed` gives a failure the call's own form.
 */
export async function admittedCall<Answer>(
  call: (context: RequestContext) => Promise<Answer>,
  failed: (failure: GatewayFailure) => Answer,
  context: RequestContext,
  log: (detail: string) => void,
): Promise<Answer> {
  const remembered = rememberAdmission(context);
  try {
    const answer = await call(remembered.context);
    if (remembered.asked()) return answer;
    const admission = await context.admit({});
    if (admission.admitted) return answer;
    const detail = `admit: ${admission.reason}`;
    return failed({ reason: "not_ready", path: "", what: "principal", detail });
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log(detail);
    // What is thrown here was thrown before anything was sent: the pipeline catches what happens after.
    return failed({ reason: "internal", path: "", outcome: "not_dispatched", detail });
  }
}

/** Remembers whether a call was put to `admit`. */
function rememberAdmission(context: RequestContext): {
  readonly context: RequestContext;
  readonly asked: () => boolean;
} {
  let asked = false;
  return {
    asked: () => asked,
    context: {
      principal: context.principal,
      sessionKey: context.sessionKey,
      sees: context.sees,
      admit: (ask: AdmitAsk): Promise<Admission> => {
        asked = true;
        return context.admit(ask);
      },
      settle: (report) => {
        context.settle(report);
      },
      waitUntil: (work) => {
        context.waitUntil(work);
      },
    },
  };
}
