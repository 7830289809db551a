import { sha256Hex } from "../../identity/digest.ts";
import { isJsonArray, isRecord } from "../../json.ts";

/** Where a search stands in one member. */
export interface Place {
  /** The cursor that gives the page being used up; null for the first one. */
  readonly cursor: string | null;
  /** The limit that the page was asked for with: with another one its cursor would give another page. */
  readonly size: number;
  /** How much of the page was used, and the mark of the last hit of that: pages that are asked for again may have moved. */
  readonly taken: number;
  readonly last: string | null;
  /** Failures in a row. */
  readonly failures: number;
}

/** A member in a search that goes on: its place, or null where it has given all; and how many hits it counted. */
export interface Progress {
  readonly place: Place | null;
  readonly count: number | null;
}

export interface SearchPosition {
  /** By the members' marks, in their order; a member that is not in it came later and is not part of this search. */
  readonly members: ReadonlyMap<string, Progress>;
  /** Whose turn it is: the mark of a member, or null for the first. */
  readonly turn: string | null;
  /** Whether every count so far is exact. */
  readonly exact: boolean;
  /** Marks of hits that were given of connections that more than one member has. */
  readonly seen: readonly string[];
}

const MARK_HEX_CHARS = 12;

/** Twelve hexadecimal digits that stand for a text in a cursor. */
export function markOf(text: string): string {
  return sha256Hex(text).slice(0, MARK_HEX_CHARS);
}

export function packPosition({ members, turn, exact, seen }: SearchPosition): unknown {
  const packed = [...members].map(([mark, { place, count }]) =>
    place === null
      ? [mark, count]
      : [mark, count, place.cursor, place.size, place.taken, place.last, place.failures],
  );
  return { m: packed, t: turn, x: exact, s: seen };
}

/** What was packed; undefined for anything else, which only another version of this code can have sealed. */
export function unpackPosition(payload: unknown): SearchPosition | undefined {
  if (!isRecord(payload) || !isJsonArray(payload["m"]) || !isJsonArray(payload["s"])) return undefined;
  const members = new Map<string, Progress>();
  for (const each of payload["m"]) {
    if (!isJsonArray(each)) return undefined;
    const [mark, count, cursor, size, taken, last, failures] = each;
    if (typeof mark !== "string" || (count !== null && typeof count !== "number")) return undefined;
    if (size === undefined) {
      members.set(mark, { place: null, count });
      continue;
    }
    if (!isTextOrNull(cursor) || !isTextOrNull(last)) return undefined;
    if (typeof size !== "number" || typeof taken !== "number" || typeof failures !== "number")
      return undefined;
    members.set(mark, { place: { cursor, size, taken, last, failures }, count });
  }
  const turn = payload["t"];
  if (!isTextOrNull(turn)) return undefined;
  const seen = payload["s"].filter((mark) => typeof mark === "string");
  return { members, turn, exact: payload["x"] === true, seen };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
