import { isJsonArray, memberOf } from "../../json.ts";
import { TARGET_NAMES, type TargetName } from "../../server-target.ts";
import { GENESIS, type Generation, readGeneration } from "../../spine/fault/generation.ts";

/** Which content a configuration's catalog has now. */
export interface Pointer {
  /** Raised with every change of content; never used twice. */
  readonly generation: number;
  /** Raised with every change of the pointer, a server's going stale included: the higher one is the newer one. */
  readonly revision: number;
  /** Content hash of the snapshot. */
  readonly hash: string;
  /** Servers whose last refresh failed, in the configuration's order. */
  readonly stale: readonly string[];
  /** Where this catalog's calls go, of the servers that are not at their first target. Absent where all are. */
  readonly targets?: readonly PointerTarget[];
}

/** What of a server is called, with the content that was listed there: one cannot be seen without the other. */
export interface PointerTarget {
  readonly server: string;
  readonly target: TargetName;
  readonly generation: Generation;
}

/** A server that was never moved. */
const FIRST_TARGET = { target: "configured", generation: GENESIS } as const;

/** Where the calls of a pointer's server go. */
export function targetIn(
  { targets }: Pick<Pointer, "targets">,
  server: string,
): Omit<PointerTarget, "server"> {
  const found = targets?.find((entry) => entry.server === server);
  return found === undefined ? FIRST_TARGET : { target: found.target, generation: found.generation };
}

const HASH = /^[0-9a-f]{64}$/;

function isCounter(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

/** Reads a pointer from outside; undefined for anything else. Unknown members are ignored. */
export function readPointer(value: unknown): Pointer | undefined {
  const [generation, revision] = [memberOf(value, "generation"), memberOf(value, "revision")];
  const [hash, stale] = [memberOf(value, "hash"), memberOf(value, "stale")];
  if (!isCounter(generation) || !isCounter(revision) || typeof hash !== "string" || !HASH.test(hash))
    return undefined;
  const names = Array.isArray(stale) ? stale.filter((name): name is string => typeof name === "string") : [];
  const targets = readTargets(memberOf(value, "targets"));
  if (targets === undefined) return undefined;
  return { generation, revision, hash, stale: names, ...(targets.length === 0 ? {} : { targets }) };
}

/** All or none: a target that is not understood must not read as another one, to which calls would then go. */
function readTargets(value: unknown): readonly PointerTarget[] | undefined {
  if (value === undefined) return [];
  if (!isJsonArray(value)) return undefined;
  const targets: PointerTarget[] = [];
  for (const entry of value) {
    const server = memberOf(entry, "server");
    const target = TARGET_NAMES.find((name) => name === memberOf(entry, "target"));
    const generation = readGeneration(memberOf(entry, "generation"));
    if (typeof server !== "string" || target === undefined || !generation.ok) return undefined;
    targets.push({ server, target, generation: generation.value });
  }
  return targets;
}
