import type { ServerConfig } from "../config.ts";
import { compileGlob } from "../glob.ts";
import { memberOf } from "../json.ts";
import { REPLAY_CONTRACTS, type ReplayContract } from "../spine/replay/contract.ts";
import { toolContract } from "../spine/replay/tool-contract.ts";
import { globTest } from "./globs.ts";
import { oncePerObject } from "../once-per-object.ts";

/**
 * JavaScript puts keys such as `7` before all others, wherever they stood in the file. An earlier glob may have been meant to
 * decide for a tool of that name, so it gets the stricter contract of the two: never more than the file says.
 */
const INDEX = /^(?:0|[1-9][0-9]*)$/;

const NEVER_REPLAY: ReplayContract = "never_replay";

type ReplayRule = (name: string) => ReplayContract | undefined;

const replayRule = oncePerObject((replay: ServerConfig["replay"]): ReplayRule => {
  const rules = Object.entries(replay).map(([glob, contract]) => ({
    names: globTest(glob, true),
    // Nobody knows which tools a text that is no glob was meant for: none of them runs again.
    contract: compileGlob(glob).ok ? contract : NEVER_REPLAY,
    isIndex: INDEX.test(glob),
  }));
  return (name) => {
    const [first, second] = rules.filter(({ names }) => names(name));
    return first?.isIndex === true && second !== undefined
      ? strictest(first.contract, second.contract)
      : first?.contract;
  };
});

/**
 * What may run again of a tool: by the operator's globs over the upstream's own names, the first match before the others;
 * else, where the server's hints are believed, by those; else nothing.
 */
export function toolReplay(
  { replay, trust_hints: trusted }: Pick<ServerConfig, "replay" | "trust_hints">,
  upstreamName: string,
  definition: unknown,
): ReplayContract {
  const evidence = { name: upstreamName, annotations: memberOf(definition, "annotations"), trusted };
  return toolContract(evidence, replayRule(replay));
}

/** Contracts are listed from the most to the least permissive. */
function strictest(left: ReplayContract, right: ReplayContract): ReplayContract {
  return REPLAY_CONTRACTS[Math.max(REPLAY_CONTRACTS.indexOf(left), REPLAY_CONTRACTS.indexOf(right))] ?? left;
}
