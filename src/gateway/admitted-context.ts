import type { Admission, AdmitAsk, RequestContext } from "./request-context.ts";

/**
 * Remembers whether a call was put to `admit`. Every call has to be, once, whatever becomes of it: a revoked bearer or an
 * ended session must not learn from an error what the catalog holds.
 */
export function rememberAdmission(context: RequestContext): {
  readonly context: RequestContext;
  readonly asked: () => boolean;
} {
  let asked = false;
  return {
    asked: () => asked,
    context: {
      principal: context.principal,
      sessionKey: context.sessionKey,
      sees: (id) => context.sees(id),
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
