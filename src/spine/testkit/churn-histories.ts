import type { RequestId } from "../frame/request-id.ts";
import { REPLAY_CONTRACTS, type ReplayContract } from "../replay/contract.ts";
import { PROBE_RESOLUTIONS, type ProbeResolution } from "../replay/probe.ts";
import type { ChurnBounds } from "./churn-host.ts";

/** One thing that happens to a host. */
export type ChurnStep =
  | { readonly do: "dispatch_first"; readonly id: RequestId; readonly contract: ReplayContract }
  | { readonly do: "resolve_probe"; readonly id: RequestId; readonly resolution: ProbeResolution }
  | { readonly do: "complete"; readonly id: RequestId }
  | { readonly do: "kill_worker" | "dispatch_next" };

/** A law, and the shortest history that tells who breaks it. */
export interface ChurnHistory {
  readonly law: string;
  readonly bounds: ChurnBounds;
  readonly steps: readonly ChurnStep[];
}

const first = (id: RequestId, contract: ReplayContract): ChurnStep => ({
  do: "dispatch_first",
  id,
  contract,
});
const probe = (id: RequestId, resolution: ProbeResolution): ChurnStep => ({
  do: "resolve_probe",
  id,
  resolution,
});
const complete = (id: RequestId): ChurnStep => ({ do: "complete", id });
const kill: ChurnStep = { do: "kill_worker" };
const next: ChurnStep = { do: "dispatch_next" };

function history(law: string, ...parts: readonly (readonly ChurnStep[])[]): ChurnHistory {
  return { law, bounds: { maxAttempts: 1, pendingCapacity: 4 }, steps: parts.flat() };
}

export const CHURN_HISTORIES: readonly ChurnHistory[] = [
  history("never_replay is sent once", [first("a", "never_replay"), kill, next]),
  history("an attempt is counted when it is sent", [first("a", "convergent"), kill, kill, next, kill, next]),
  history(
    "a request has one terminal outcome",
    [first("a", "convergent"), complete("a"), complete("a")],
    [first("b", "never_replay"), kill, complete("b")],
    [first("c", "probe_required"), kill, probe("c", "already_completed"), complete("c"), next],
  ),
  history(
    "a late answer is accepted once",
    [first("a", "convergent"), kill],
    [complete("a"), complete("a"), next],
  ),
  history(
    "a full host rejects, and overwrites nothing",
    [first("a", "convergent"), first("b", "convergent"), first("c", "convergent"), first("d", "convergent")],
    [first("e", "never_replay"), complete("e"), kill, first("e", "never_replay")],
    [next, next, next, next, complete("a"), complete("b"), complete("c"), complete("d")],
  ),
  history(
    "an id that is pending is rejected, and its request keeps its contract",
    [first("a", "convergent"), first("a", "never_replay")],
    [kill, next, complete("a")],
  ),
  history(
    "an id is free after its terminal answer",
    [first("a", "convergent"), complete("a")],
    [first("a", "never_replay"), kill],
  ),
  history(
    "an id is its type and its text",
    [first(1, "convergent"), first("1", "never_replay")],
    [complete("1"), kill, next],
  ),
  history(
    "what is younger waits behind a request that is held",
    [first("a", "probe_required"), first("b", "convergent"), kill, first("c", "never_replay"), next],
    [complete("c"), probe("a", "safe_to_replay"), next, next, next, next],
  ),
  history(
    "a probe resolves what is held, and once",
    [first("a", "probe_required"), probe("a", "safe_to_replay"), kill],
    [probe("a", "safe_to_replay"), probe("a", "already_completed"), next, kill, next],
    [probe("a", "safe_to_replay"), next],
  ),
  history(
    "a request that was never sent outlives a worker",
    [first("a", "convergent"), kill, first("b", "never_replay"), kill],
    [next, next, kill],
  ),
];

/** What moves requests on comes more often than what stops them. */
const STEPS = [
  "dispatch_first",
  "dispatch_first",
  "dispatch_next",
  "dispatch_next",
  "kill_worker",
  "resolve_probe",
  "complete",
] as const satisfies readonly ChurnStep["do"][];

/** Few enough that steps meet the same request, again after its end, and more than most hosts of a test have room for. */
const IDS: readonly [RequestId, ...RequestId[]] = [1, 2, 3, 4, "1", "2", "a", "b"];

/** A history of random steps. `below(n)` gives a whole number from 0 to n − 1: a seeded one, so that a failure comes again. */
export function randomHistory(below: (count: number) => number, length: number): ChurnStep[] {
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item => items[below(items.length)] ?? items[0];
  const stepOf = (kind: ChurnStep["do"]): ChurnStep => {
    switch (kind) {
      case "dispatch_first":
        return first(pick(IDS), pick(REPLAY_CONTRACTS));
      case "resolve_probe":
        return probe(pick(IDS), pick(PROBE_RESOLUTIONS));
      case "complete":
        return complete(pick(IDS));
      case "kill_worker":
      case "dispatch_next":
        return { do: kind };
    }
  };
  return Array.from({ length }, () => stepOf(pick(STEPS)));
}
