import type { CatalogVersion } from "./browse-state.ts";

/** What a session has been told of: the catalog that its last look was answered from, or that it began with. */
export interface ToldGeneration extends CatalogVersion {
  /** The generation that was told of before; `null`: none was. */
  readonly from: number | null;
  /** Under which it was told, so that a repetition is told the same. */
  readonly attempt: string | null;
}

/** What a look says besides what it shows, and what is to be remembered of it, if anything. */
interface CatalogNews {
  /** The generation that was told of before, where this look is the first that is answered from a newer one. */
  readonly changedFrom: number | null;
  readonly told: ToldGeneration | null;
}

const NO_NEWS: CatalogNews = { changedFrom: null, told: null };

/**
 * A session's look at a catalog. The first one is no news where nobody said what it began with, nor is the first of another
 * configuration's catalog, since generations of different configurations cannot be compared. It is never told of an older
 * generation.
 */
export function newsOf(
  known: ToldGeneration | null,
  { catalog, generation }: CatalogVersion,
  attempt: string | null,
): CatalogNews {
  if (known === null || known.catalog !== catalog) {
    return { changedFrom: null, told: { catalog, generation, from: null, attempt } };
  }
  if (generation > known.generation) {
    const from = known.generation;
    return { changedFrom: from, told: { catalog, generation, from, attempt } };
  }
  const repeats = generation === known.generation && attempt !== null && attempt === known.attempt;
  return repeats ? { changedFrom: known.from, told: null } : NO_NEWS;
}
