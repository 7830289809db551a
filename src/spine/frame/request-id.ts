import { type ExactNumber, isExactNumber } from "../../exact-json/exact-number.ts";

/**
 * A request's id as its sender wrote it (JSON-RPC 2.0 §4: a string or a number; `null` is none here). A number that
 * JavaScript would write otherwise keeps its text, so that `1`, `"1"` and `1.0` are three ids.
 */
export type RequestId = string | number | ExactNumber;

/** Whether a value is an id; NaN and the infinities, which no JSON says, are none. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isFinite(value) || isExactNumber(value);
}

/** The id as the key of a `Map`: the same string for the same type and source text, and for nothing else. */
export function requestIdKey(id: RequestId): string {
  return typeof id === "string" ? `string:${id}` : `number:${requestIdText(id)}`;
}

export function sameRequestId(one: RequestId, other: RequestId): boolean {
  return requestIdKey(one) === requestIdKey(other);
}

/** The id as JSON text: a number's own, and a string with whatever escapes `JSON.stringify` gives it. */
export function requestIdText(id: RequestId): string {
  return isExactNumber(id) ? id.text : JSON.stringify(id);
}
