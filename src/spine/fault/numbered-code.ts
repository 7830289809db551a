import { type FaultCode, readFaultCode } from "./fault-code.ts";

/**
 * Two codes carry the one thing of a foreign answer that a model may be told, a number. Whoever counts faults by code
 * counts these by their class instead: there are as many as an upstream can think of numbers.
 */
export function httpStatusCode(status: number): FaultCode {
  return coded("http_status", status);
}

/** A sign is no legal character of a code, and is written out. */
export function rpcErrorCode(code: number): FaultCode {
  return coded("rpc_error", code);
}

function coded(kind: "http_status" | "rpc_error", number: number): FaultCode {
  const code = readFaultCode(`${kind}_${number}`.replace("_-", "_minus_"));
  return Number.isSafeInteger(number) && code.ok ? code.value : kind;
}

export interface NumberedCode {
  readonly kind: "http_status" | "rpc_error";
  readonly number: number;
}

const NUMBERED = /^(?<kind>http_status|rpc_error)_(?<minus>minus_)?(?<digits>0|[1-9][0-9]{0,15})$/;

/** The number that a code carries, where it carries one. */
export function numberOfCode(code: FaultCode): NumberedCode | undefined {
  const groups = NUMBERED.exec(code)?.groups;
  if (groups === undefined) return undefined;
  const number = Number(groups["digits"]) * (groups["minus"] === undefined ? 1 : -1);
  return { kind: groups["kind"] === "rpc_error" ? "rpc_error" : "http_status", number };
}
