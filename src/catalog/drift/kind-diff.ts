/** What of one kind beside tools two catalogs have in common. */
interface KindEntry {
  readonly id: string;
  readonly definitionHash: string;
}

/**
 * What became of one catalog's resources or prompts in another, ids of each list in the new catalog's order or the old one's.
 * Which part of a definition changed is not told: their arguments are in the id, and the rest is words.
 */
export interface KindDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** How many are not shown. */
  readonly omitted?: number;
}

/** Compares by hashes; undefined where all is as it was. Of each list the first `count` are shown. */
export function diffKind(
  before: readonly KindEntry[],
  after: readonly KindEntry[],
  count: number,
): KindDiff | undefined {
  const was = new Map(before.map(({ id, definitionHash }) => [id, definitionHash]));
  const is = new Set(after.map(({ id }) => id));
  const idsOf = (entries: readonly KindEntry[]): string[] => entries.map(({ id }) => id);
  const added = idsOf(after.filter(({ id }) => !was.has(id)));
  const removed = idsOf(before.filter(({ id }) => !is.has(id)));
  const changed = idsOf(
    after.filter((now) => (was.get(now.id) ?? now.definitionHash) !== now.definitionHash),
  );
  const lists = [added, removed, changed];
  if (lists.every(({ length }) => length === 0)) return undefined;
  const omitted = lists.reduce((sum, { length }) => sum + Math.max(0, length - count), 0);
  return {
    added: added.slice(0, count),
    removed: removed.slice(0, count),
    changed: changed.slice(0, count),
    ...(omitted > 0 ? { omitted } : {}),
  };
}
