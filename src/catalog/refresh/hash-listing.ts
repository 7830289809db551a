import { DEFINITIONS_HASHED_AT_ONCE_COUNT, LISTING_STRETCH_MAX_CHARS } from "../../limits.ts";
import { contentHash } from "../snapshot/snapshot-store.ts";
import type { ListedEntry } from "./listed-entry.ts";

const encoder = new TextEncoder();

async function textHash(entry: ListedEntry): Promise<string> {
  return typeof entry === "string" ? contentHash(encoder.encode(entry)) : "";
}

/** The texts of a list in stretches that are hashed as one; undefined for what has no text. */
function* stretchesOf(entries: readonly ListedEntry[]): Generator<readonly string[] | undefined, void> {
  let texts: string[] = [];
  let chars = 0;
  for (const entry of entries) {
    if (typeof entry !== "string") {
      yield undefined;
      return;
    }
    const isFull =
      texts.length === DEFINITIONS_HASHED_AT_ONCE_COUNT || chars + entry.length > LISTING_STRETCH_MAX_CHARS;
    if (isFull && texts.length > 0) {
      yield texts;
      [texts, chars] = [[], 0];
    }
    texts.push(entry);
    chars += entry.length;
  }
  if (texts.length > 0) yield texts;
}

/**
 * A digest of lists as they came, entry for entry: a hash a stretch of each. Empty where an entry has no text, so that nothing is
 * known of it. Entries by themselves are hashed only where a list is not the last one again: that takes ten times as long.
 */
export async function digestLists(
  lists: readonly (readonly ListedEntry[])[],
  pause: () => Promise<void>,
): Promise<string> {
  const digests: string[] = [];
  let isFirst = true;
  for (const entries of lists) {
    const hashes: string[] = [];
    for (const texts of stretchesOf(entries)) {
      if (!isFirst) await pause();
      isFirst = false;
      if (texts === undefined) return "";
      // With the lengths in front: the same text cut elsewhere is another list.
      const framed = `${texts.map(({ length }) => length).join()}\n${texts.join("")}`;
      hashes.push(await contentHash(encoder.encode(framed)));
    }
    digests.push(`${hashes.join()};`);
  }
  return digests.join("");
}

/** A listing by the hash of each entry's text, in order, empty for what has none; and the entries that are not known. */
export interface HashedListing {
  readonly hashes: readonly string[];
  /** By their places. */
  readonly unknown: Map<number, ListedEntry>;
}

/** Hashes a listing and empties it on the way, so that the text of what is known is let go of at once. */
export async function hashListing(
  entries: ListedEntry[],
  isKnown: (hash: string) => boolean,
  pause: () => Promise<void>,
): Promise<HashedListing> {
  const hashes: string[] = [];
  const unknown = new Map<number, ListedEntry>();
  while (entries.length > 0) {
    if (hashes.length > 0) await pause();
    const stretch = entries.splice(0, DEFINITIONS_HASHED_AT_ONCE_COUNT);
    for (const [at, hash] of (await Promise.all(stretch.map(textHash))).entries()) {
      const entry = stretch[at];
      if (entry !== undefined && !isKnown(hash)) unknown.set(hashes.length, entry);
      hashes.push(hash);
    }
  }
  return { hashes, unknown };
}
