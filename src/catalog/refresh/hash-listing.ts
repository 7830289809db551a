import { DEFINITIONS_HASHED_AT_ONCE_COUNT } from "../../limits.ts";
import { contentHash } from "../snapshot/snapshot-store.ts";
import type { ListedEntry } from "./listed-entry.ts";

const encoder = new TextEncoder();

async function textHash(entry: ListedEntry): Promise<string> {
  return typeof entry === "string" ? contentHash(encoder.encode(entry)) : "";
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
    for (let at = 0; at < entries.length; at += DEFINITIONS_HASHED_AT_ONCE_COUNT) {
      if (!isFirst) await pause();
      isFirst = false;
      const stretch = entries.slice(at, at + DEFINITIONS_HASHED_AT_ONCE_COUNT);
      const texts = stretch.filter((entry) => typeof entry === "string");
      if (texts.length < stretch.length) return "";
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
