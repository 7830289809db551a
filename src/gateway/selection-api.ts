import { type ErrorCode, type GatewayFailure, toWire } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { fail, ok, type Result } from "../result.ts";
import { admittedCall } from "./admitted-context.ts";
import type { CallContext } from "./call-context.ts";
import type { GatewayPorts } from "./ports.ts";
import type { RequestContext } from "./request-context.ts";
import { route } from "./route.ts";
import { browseFailed } from "./telling/browse-event.ts";
import { judgeSelection } from "./validate-selection.ts";

/** An answer, or an error in its wire form. */
export type ApiAnswer = Result<JsonObject, { readonly code: ErrorCode; readonly body: JsonObject }>;

type ApiCall = (body: unknown, context: RequestContext) => Promise<ApiAnswer>;

/** The selection contract for programs that call model APIs themselves (seed 000 §2.6). A body is parsed JSON, or anything. */
export interface SelectionApi {
  readonly route: ApiCall;
  readonly validateSelection: ApiCall;
}

/** Over the gateway's own ports. Nothing throws across it, every call is admitted, and nothing leaves it unscrubbed. */
export function selectionApi(ports: GatewayPorts): SelectionApi {
  const serve = async (
    call: (context: CallContext) => Promise<Result<object, GatewayFailure>>,
    failed: (failure: GatewayFailure, context: CallContext) => Result<never, GatewayFailure>,
    context: RequestContext,
  ): Promise<ApiAnswer> => {
    const answer = await admittedCall(call, failed, context, ports);
    if (answer.ok) return ok(ports.scrubber.record({ ...answer.value }));
    const wire = toWire(answer.reason);
    return fail({ code: wire.error, body: ports.scrubber.record({ ...wire }) });
  };
  return {
    route: (body, context) => {
      const failed = (failure: GatewayFailure, admitted: CallContext) => {
        admitted.tell(browseFailed(null, failure));
        return fail(failure);
      };
      return serve((admitted) => route(body, admitted, ports), failed, context);
    },
    // It asks nothing of the catalog, and nobody counts it.
    validateSelection: (body, context) => serve(async () => judgeSelection(body), fail, context),
  };
}
