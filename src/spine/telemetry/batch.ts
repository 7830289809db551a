import { isCount } from "./counters.ts";

/** Entries `from` to `to` of one source, both included; a source numbers its entries from 1 without a gap. */
export interface BatchRange {
  readonly from: number;
  readonly to: number;
}

export type BatchDecision =
  /** Leave out the first `skip` entries, apply the others, and remember `last` in the same transaction. */
  | { readonly decision: "apply"; readonly skip: number; readonly last: number }
  /** Everything in it was applied before; acknowledge it again. */
  | { readonly decision: "skip"; readonly last: number }
  /** Nothing may be applied. After a gap the source sends again from `expected`. */
  | { readonly decision: "refuse"; readonly reason: "gap"; readonly expected: number }
  | { readonly decision: "refuse"; readonly reason: "invalid_range" };

/**
 * Whether a numbered batch is applied, given the last number applied from its source (0 for none) and how many entries
 * came. Delivered as often as one likes and cut as one likes, each entry is applied once and in order.
 *
 * A source is one outbox from its creation on. One that loses its numbers and begins at 1 again is another source and
 * needs another name: under the old one its entries would read as applied already.
 */
export function judgeBatch(lastApplied: number, range: BatchRange, entries: number): BatchDecision {
  const { from, to } = range;
  const legal = isCount(lastApplied) && isCount(from) && isCount(to) && from >= 1 && from <= to;
  if (!legal || entries !== to - from + 1) return { decision: "refuse", reason: "invalid_range" };
  if (to <= lastApplied) return { decision: "skip", last: lastApplied };
  const expected = lastApplied + 1;
  if (from > expected) return { decision: "refuse", reason: "gap", expected };
  return { decision: "apply", skip: expected - from, last: to };
}
