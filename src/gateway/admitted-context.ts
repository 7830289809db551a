import type { GatewayFailure } from "../errors.ts";
import { CallContext } from "./call-context.ts";
import type { GatewayPorts } from "./ports.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Makes a call of which nothing throws and which is put to `admit` once, whatever becomes of it: a revoked bearer or an
 * ended session must not learn from an error what the catalog holds. `failed` gives a failure the call's own form, and
 * tells of it where the call has not told of itself. The call goes on without its caller, so that it is told in any case.
 */
export function admittedCall<Answer>(
  call: (context: CallContext) => Promise<Answer>,
  failed: (failure: GatewayFailure, context: CallContext) => Answer,
  request: RequestContext,
  ports: Pick<GatewayPorts, "now" | "newId" | "log">,
): Promise<Answer> {
  const work = admitted(call, failed, new CallContext(request, ports), ports);
  request.waitUntil(work);
  return work;
}

async function admitted<Answer>(
  call: (context: CallContext) => Promise<Answer>,
  failed: (failure: GatewayFailure, context: CallContext) => Answer,
  context: CallContext,
  { log }: Pick<GatewayPorts, "log">,
): Promise<Answer> {
  try {
    const answer = await call(context);
    if (context.wasAsked) return answer;
    const admission = await context.admit({});
    if (admission.admitted) return answer;
    const detail = `admit: ${admission.reason}`;
    return failed({ reason: "not_ready", path: "", what: "principal", detail }, context);
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log(detail);
    // What is thrown here was thrown before anything was sent: the pipeline catches what happens after.
    const answer = failed({ reason: "internal", path: "", outcome: "not_dispatched", detail }, context);
    if (!context.wasAsked) await context.admit({});
    return answer;
  }
}
