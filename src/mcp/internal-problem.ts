import { INTERNAL_ERROR } from "../spine/frame/rpc-code.ts";
import type { RpcProblem } from "../surface.ts";

/** What a caller is told of a fault of ours. */
export const INTERNAL_PROBLEM: RpcProblem = { code: INTERNAL_ERROR, message: "Internal error" };
