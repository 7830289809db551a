import { FAULT_CODE_MAX_CHARS } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";

declare const FAULT_CODE: unique symbol;

/** Codes that have words of their own for a model. Any other is legal, and is told as its class. */
export const KNOWN_FAULT_CODES = [
  "cancelled",
  "deadline",
  "forbidden",
  "http_status",
  "illegal_answer",
  "illegal_result",
  "internal",
  "rate_limited",
  "refused_address",
  "refused_redirect",
  "rpc_error",
  "too_large",
  "unauthorized",
  "unknown_tool",
  "unreachable",
] as const;

export type KnownFaultCode = (typeof KNOWN_FAULT_CODES)[number];

/** What exactly happened, inside a class: lower case, digits and `_`. A server adds codes of its own as it likes. */
export type FaultCode = KnownFaultCode | (string & { readonly [FAULT_CODE]: true });

const LEGAL = /^[a-z0-9_]+$/;

function isFaultCode(value: unknown): value is FaultCode {
  return typeof value === "string" && value.length <= FAULT_CODE_MAX_CHARS && LEGAL.test(value);
}

/** Judges a code wherever it comes from, our own source and JSON alike. */
export function readFaultCode(value: unknown): Result<FaultCode, "invalid_fault_code"> {
  return isFaultCode(value) ? ok(value) : fail("invalid_fault_code");
}
