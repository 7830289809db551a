import { isJsonArray } from "../../../json.ts";
import { SEARCH_CURSOR_LIFETIME_MS } from "../../../limits/records.ts";
import { fail, ok, type Result } from "../../../result.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import type { Seal } from "../../seal/seal.ts";
import { openCursor } from "../binding.ts";
import type { ServerPorts } from "../ports.ts";
import type { Rank, Snapshot } from "./statements.ts";

/** What the first page found out and all later ones keep, so that a record's score is the same on each. */
export interface Standard {
  readonly snapshot: Snapshot;
  /** Whether older documents were left out. */
  readonly isWindow: boolean;
  readonly averageTerms: number;
  readonly weights: readonly number[];
  /** `connectorDigests` of what was searched. */
  readonly digests: readonly number[];
}

export interface SearchPosition {
  readonly standard: Standard;
  readonly after: Rank;
}

export async function closeSearchCursor(
  seal: Seal,
  binding: string,
  { standard, after }: SearchPosition,
): Promise<string> {
  const { snapshot, isWindow, averageTerms, weights, digests } = standard;
  const numbers = [
    snapshot.first,
    snapshot.last,
    snapshot.lastVersion,
    snapshot.lastFeed,
    Number(isWindow),
    averageTerms,
    after.score,
    after.feedId,
    ...weights,
  ];
  return seal.close(binding, [after.key, digests, ...numbers], SEARCH_CURSOR_LIFETIME_MS);
}

/** A cursor of this search, by this holder. What is covered now is asked anew by the statement: nothing here widens it. */
export async function openSearchCursor(
  ports: Pick<ServerPorts, "seal">,
  binding: string,
  cursor: string,
): Promise<Result<SearchPosition, PdppProblem>> {
  const opened = await openCursor(ports, binding, cursor);
  if (!opened.ok) return opened;
  const position = positionOf(opened.value);
  return position === undefined
    ? fail(problem("invalid_cursor", "This is no cursor of a search."))
    : ok(position);
}

function positionOf(payload: unknown): SearchPosition | undefined {
  if (!isJsonArray(payload)) return undefined;
  const [key, listed, ...numbers] = payload;
  if (typeof key !== "string" || !isJsonArray(listed)) return undefined;
  if (!numbers.every((part) => typeof part === "number")) return undefined;
  const digests = listed.filter((part) => typeof part === "number");
  const [first, last, lastVersion, lastFeed, isWindow, averageTerms, score, feedId, ...weights] = numbers;
  if (first === undefined || last === undefined) return undefined;
  if (lastVersion === undefined || lastFeed === undefined) return undefined;
  if (averageTerms === undefined || score === undefined || feedId === undefined) return undefined;
  return {
    standard: {
      snapshot: { first, last, lastVersion, lastFeed },
      isWindow: isWindow === 1,
      averageTerms,
      weights,
      digests,
    },
    after: { score, key, feedId },
  };
}
