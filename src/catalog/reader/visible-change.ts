import type { Sees } from "../catalog.ts";
import type { LoadedSnapshot } from "./snapshot-catalog.ts";

/**
 * Whether somebody sees other things in one snapshot than in another, or another definition of one; `undefined` is a kind
 * that there was nothing of. Definitions are compared only where the ids are the same, since each has to be decoded.
 */
export function isVisiblyChanged(
  then: LoadedSnapshot | undefined,
  now: LoadedSnapshot | undefined,
  sees: Sees,
): boolean {
  const [before, after] = [visiblePlaces(then, sees), visiblePlaces(now, sees)];
  if (then === undefined || now === undefined || before.length !== after.length) {
    return before.length !== after.length;
  }
  const pairs = before.map((place, at) => [place, after[at] ?? -1] as const);
  return (
    pairs.some(([old, current]) => then.snapshot.ids[old] !== now.snapshot.ids[current]) ||
    pairs.some(
      ([old, current]) =>
        then.snapshot.tool(old)?.definitionHash !== now.snapshot.tool(current)?.definitionHash,
    )
  );
}

/** In the order of ids. */
function visiblePlaces(loaded: LoadedSnapshot | undefined, sees: Sees): readonly number[] {
  if (loaded === undefined) return [];
  const set = loaded.visible.setFor(sees);
  return [...loaded.snapshot.ids.keys()].filter((place) => set === undefined || set[place] === 1);
}
