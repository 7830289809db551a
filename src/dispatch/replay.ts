import type { ReplayContract } from "../errors.ts";

/** Until tools have contracts of their own, none may run again. */
export const REPLAY: ReplayContract = "never_replay";
