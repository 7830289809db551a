import type { ReplayContract } from "../spine/replay/contract.ts";

/** Of a call whose tool is not known yet: whatever it is, nobody has said that it may run again. */
export const UNKNOWN_TOOLS_CONTRACT: ReplayContract = "never_replay";
