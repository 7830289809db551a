import { type GatewayFailure, toWire } from "../../errors.ts";
import type { RpcProblem } from "../../surface.ts";
import { INTERNAL_ERROR, INVALID_PARAMS } from "../../spine/frame/rpc-code.ts";

/** A request whose parameters are not what the list gave. */
export function invalidParams(message: string): RpcProblem {
  return { code: INVALID_PARAMS, message };
}

/** A failure where the protocol knows no result that could say it; the typed error stands beside it. */
export function internalError(failure: GatewayFailure): RpcProblem {
  const data = toWire(failure);
  return { code: INTERNAL_ERROR, message: data.message, data };
}
