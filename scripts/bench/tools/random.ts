/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** From 0 up to 1, without 1. */
  next(): number;
  /** A whole number from 0 up to `count`, without it. */
  below(count: number): number;
}

/** Mulberry32: small, and good enough to choose words by. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (count) => Math.floor(next() * count) };
}

/** The items in another order, each order as likely (Fisher, Yates). */
export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    const [left, right] = [mixed[last], mixed[other]];
    if (left !== undefined && right !== undefined) [mixed[last], mixed[other]] = [right, left];
  }
  return mixed;
}
