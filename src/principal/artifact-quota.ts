import { ARTIFACT_EVICTION_SHARE, ARTIFACT_ROOM_MAX_BYTES, ARTIFACT_ROOM_SHARE } from "../limits.ts";
import type { ArtifactAmount, ArtifactQuota, ArtifactReserve } from "./artifact-contract.ts";

/**
 * A principal's quota of kept results. What is booked is what was really kept; what is reserved is what calls under way
 * may still bring.
 *
 * Under `evict` a reservation stands in nobody's way: a call whose answer turns out small must not cost an artifact, so
 * that only what was really kept makes others give way, when it is booked. A call may keep as much as the quota holds.
 *
 * Under `refuse` nothing gives way, so that a call without room must not run. How much it needs nobody knows before, and
 * most calls keep nothing. It is let in where there is room for an answer as large as the largest that is kept, as far as
 * answers are read whole, and for a sixteenth of the quota at least: without that least room a quota would never be full,
 * since an answer that does not fit is not kept, and the last bytes would stay free for ever. What it is told it may keep,
 * no other call gets meanwhile: in a quota of less than two streamed answers calls wait for each other.
 */
export function allowanceOf(
  ask: Pick<ArtifactReserve, "bytes" | "count"> & ArtifactQuota,
  /** Booked and reserved, this call's own reservation left out. Not asked for under `evict`. */
  taken: () => TakenArtifacts,
): ArtifactAmount | null {
  if (ask.onFull === "evict") {
    return { bytes: Math.min(ask.bytes, ask.maxBytes), count: Math.min(ask.count, ask.maxCount) };
  }
  const { bytes, count, largestBytes } = taken();
  const usualBytes = Math.min(largestBytes, ARTIFACT_ROOM_MAX_BYTES);
  const leastBytes = Math.max(usualBytes, Math.ceil(ask.maxBytes / ARTIFACT_ROOM_SHARE));
  const leastCount = Math.ceil(ask.maxCount / ARTIFACT_ROOM_SHARE);
  const allowed = {
    bytes: shareOf(ask.maxBytes, bytes, ask.bytes, Math.min(leastBytes, ARTIFACT_ROOM_MAX_BYTES)),
    count: shareOf(ask.maxCount, count, ask.count, leastCount),
  };
  return allowed.bytes === null || allowed.count === null
    ? null
    : { bytes: allowed.bytes, count: allowed.count };
}

/** What is kept, and what calls under way may still bring. */
export interface TakenArtifacts extends ArtifactAmount {
  /** Of what is kept, the largest, or more than that. */
  readonly largestBytes: number;
}

/** What of a limit one call gets; `null`: there is less left than it must have. An empty quota has room for every call. */
function shareOf(max: number, taken: number, wanted: number, least: number): number | null {
  const left = max - taken;
  return left < Math.min(wanted, least, max) ? null : Math.min(wanted, left);
}

/**
 * Of artifacts in order, oldest first, those that give way until the quota holds the rest, and of the next ones as many as
 * come to no more than a hundredth of what was exceeded, so that the next call does not bring the same search about.
 * `spared`: those that were just booked.
 *
 * The journal refers to a first answer by its handle for minutes. Such an answer was booked when its call ended, so that it
 * is among the newest, and gives way only where everything older already has.
 */
export function thoseThatGiveWay<Artifact extends { readonly handle: string; readonly sizeBytes: number }>(
  oldestFirst: readonly Artifact[],
  booked: ArtifactAmount,
  quota: Pick<ArtifactQuota, "maxBytes" | "maxCount">,
  spared: ReadonlySet<string>,
): Artifact[] {
  const evicted: Artifact[] = [];
  if (!exceeds(booked, quota)) return evicted;
  const goalBytes = booked.bytes > quota.maxBytes ? lessAHundredth(quota.maxBytes) : -Infinity;
  const goalCount = booked.count > quota.maxCount ? lessAHundredth(quota.maxCount) : -Infinity;
  let rest = booked;
  for (const artifact of oldestFirst) {
    if (spared.has(artifact.handle)) continue;
    const without = { bytes: rest.bytes - artifact.sizeBytes, count: rest.count - 1 };
    const isMore = without.bytes < goalBytes || without.count < goalCount;
    if (isMore && !exceeds(rest, quota)) break;
    evicted.push(artifact);
    rest = without;
  }
  return evicted;
}

export function exceeds(
  booked: ArtifactAmount,
  quota: Pick<ArtifactQuota, "maxBytes" | "maxCount">,
): boolean {
  return booked.bytes > quota.maxBytes || booked.count > quota.maxCount;
}

function lessAHundredth(max: number): number {
  return max - Math.floor(max / ARTIFACT_EVICTION_SHARE);
}
