import { METHOD_NAME_MAX_CHARS } from "../../limits/spine.ts";

const METHOD_NAME = /^[A-Za-z_$][A-Za-z0-9_.:$/#@-]*$/;

/**
 * Whether a ledger keeps a row under this name: a method of JSON-RPC, a tool's id. Clients write methods as they like,
 * so that any other text is counted together with what has no row of its own, and stored nowhere.
 */
export function isMethodName(value: unknown): value is string {
  return typeof value === "string" && value.length <= METHOD_NAME_MAX_CHARS && METHOD_NAME.test(value);
}
