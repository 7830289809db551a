import { type GatewayFailure, toWire, type WireError } from "../../errors.ts";
import type { RpcProblem } from "../../surface.ts";
import type { GatewayPorts } from "../ports.ts";
import { logFailure } from "../pipeline.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND } from "../../spine/frame/rpc-code.ts";

/** A failure as the protocol's own error, the typed one beside it; the operator's log gets its share. */
export function nativeProblem(failure: GatewayFailure, ports: GatewayPorts): RpcProblem {
  logFailure(failure, ports);
  const data = toWire(failure);
  return problemOf(data, ports);
}

/** The same for an error that was put into other words. */
export function problemOf(data: WireError, { scrubber }: Pick<GatewayPorts, "scrubber">): RpcProblem {
  return { code: codeOf(data), message: scrubber.text(data.message), data: scrubber.value(data) };
}

function codeOf({ error }: WireError): number {
  if (error === "RESOURCE_NOT_FOUND") return RESOURCE_NOT_FOUND;
  return error === "PROMPT_NOT_FOUND" || error === "ARGS_INVALID" ? INVALID_PARAMS : INTERNAL_ERROR;
}
