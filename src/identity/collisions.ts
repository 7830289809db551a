/**
 * Keys for ids that several distinct definitions share (seed 000 §9.3): the first in the given order keeps the id,
 * later ones become `id~2`, `id~3`, …; one key for each entry, in place. The ids are canonical, so none has a `~` of
 * its own and the keys are distinct. The order decides who keeps the bare id: give one that does not depend on
 * connect order. The keys are opaque: `parsePrimitiveId` refuses them.
 */
export function resolveCollisions(ids: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return ids.map((id) => {
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return count === 1 ? id : `${id}~${count}`;
  });
}
