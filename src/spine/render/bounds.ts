import type { Detail } from "./mode.ts";

/** What a surface is for, which says how much of it a reader needs. */
export const SURFACE_KINDS = ["overview", "list", "read", "mutation", "ops"] as const;

export type SurfaceKind = (typeof SURFACE_KINDS)[number];

/** The bounds of one porcelain text. */
export interface PorcelainBounds {
  /** At least 1. */
  readonly maxLines: number;
  /** Code points of a key and of a preview, each; at least {@link INLINE_MIN_CHARS}. */
  readonly maxInlineChars: number;
}

/**
 * The bounds of each kind of surface. The figures are those of seed 004's original, which were found in use: a listing
 * has many narrow lines, an overview few, and what was asked for in full about twice as much of either.
 */
export const SURFACE_BOUNDS: Readonly<Record<SurfaceKind, Readonly<Record<Detail, PorcelainBounds>>>> = {
  overview: {
    concise: { maxLines: 10, maxInlineChars: 144 },
    full: { maxLines: 28, maxInlineChars: 240 },
  },
  list: {
    concise: { maxLines: 16, maxInlineChars: 128 },
    full: { maxLines: 32, maxInlineChars: 176 },
  },
  read: {
    concise: { maxLines: 18, maxInlineChars: 176 },
    full: { maxLines: 40, maxInlineChars: 320 },
  },
  mutation: {
    concise: { maxLines: 12, maxInlineChars: 160 },
    full: { maxLines: 24, maxInlineChars: 256 },
  },
  ops: {
    concise: { maxLines: 8, maxInlineChars: 160 },
    full: { maxLines: 24, maxInlineChars: 240 },
  },
};

/** A bound as it counts: whole, and `least` where it is less or no number at all; Infinity is none. */
export function wholeBound(value: number, least: number): number {
  return value >= least ? Math.floor(value) : least;
}
