import type { RpcProblem } from "../surface.ts";

/** JSON-RPC 2.0 §5.1. */
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** What a caller is told of a fault of ours. */
export const INTERNAL_PROBLEM: RpcProblem = { code: INTERNAL_ERROR, message: "Internal error" };
