import { memberOf } from "../../json.ts";

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
  return { generation, revision, hash, stale: names };
}
