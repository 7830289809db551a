import { isJsonArray, memberOf } from "../../json.ts";
import { TARGET_NAMES, type TargetName } from "../../server-target.ts";
import type { OtherKind } from "../catalog.ts";
import { GENESIS, type Generation, readGeneration } from "../../spine/fault/generation.ts";

/** Which content a configuration's catalog has now. */
export interface Pointer {
  /** Raised with every change of content; never used twice. */
  readonly generation: number;
  /** Raised with every change of the pointer, a server's going stale included: the higher one is the newer one. */
  readonly revision: number;
  /** Content hash of the tools' snapshot. */
  readonly hash: string;
  /** Content hashes of the other kinds' snapshots; a kind that no server has any of is absent, and so is this without any. */
  readonly kinds?: PerKind<string>;
  /** Servers whose tools could not be listed at the last refresh, in the configuration's order. */
  readonly stale: readonly string[];
  /** The same of the other kinds, of servers whose last good entries stay. Absent where there are none. */
  readonly staleKinds?: PerKind<readonly string[]>;
  /** Where this catalog's calls go, of the servers that are not at their first target. Absent where all are. */
  readonly targets?: readonly PointerTarget[];
}

/** Kinds of primitives beside tools, in the order in which everything is done for them. */
export const OTHER_KINDS = ["resource", "prompt"] as const satisfies readonly OtherKind[];

export type PerKind<Value> = Readonly<Partial<Record<OtherKind, Value>>>;

/** Whether two pointers show the same, whatever is stale and wherever it is called. */
export function sameContent(
  left: Pick<Pointer, "hash" | "kinds">,
  right: Pick<Pointer, "hash" | "kinds">,
): boolean {
  return left.hash === right.hash && OTHER_KINDS.every((kind) => left.kinds?.[kind] === right.kinds?.[kind]);
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
  const [kinds, targets] = [readKinds(memberOf(value, "kinds")), readTargets(memberOf(value, "targets"))];
  if (kinds === undefined || targets === undefined) return undefined;
  return {
    generation,
    revision,
    hash,
    ...unlessEmpty("kinds", kinds),
    stale: readNames(stale),
    ...unlessEmpty("staleKinds", readStaleKinds(memberOf(value, "staleKinds"))),
    ...(targets.length === 0 ? {} : { targets }),
  };
}

function readNames(value: unknown): readonly string[] {
  return isJsonArray(value) ? value.filter((name): name is string => typeof name === "string") : [];
}

/** All or none: a catalog without a kind that it has would say that there is none. */
function readKinds(value: unknown): PerKind<string> | undefined {
  const kinds: Partial<Record<OtherKind, string>> = {};
  for (const kind of OTHER_KINDS) {
    const hash = memberOf(value, kind);
    if (hash === undefined) continue;
    if (typeof hash !== "string" || !HASH.test(hash)) return undefined;
    kinds[kind] = hash;
  }
  return kinds;
}

function readStaleKinds(value: unknown): PerKind<readonly string[]> {
  const stale: Partial<Record<OtherKind, readonly string[]>> = {};
  for (const kind of OTHER_KINDS) {
    const names = readNames(memberOf(value, kind));
    if (names.length > 0) stale[kind] = names;
  }
  return stale;
}

/** A member that is absent where it would say nothing. */
export function unlessEmpty<Key extends string, Value extends object>(
  key: Key,
  value: Value,
): Readonly<Partial<Record<Key, Value>>> {
  const member: Partial<Record<Key, Value>> = {};
  if (Object.keys(value).length > 0) member[key] = value;
  return member;
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
