import { fail, ok, type Result } from "../../result.ts";

declare const GENERATION: unique symbol;

/**
 * The number of a worker in its session, counted from 1: a safe integer, and a plain number on the wire. The original's
 * counter has 64 bits; here it ends where JSON numbers are still exact.
 */
export type Generation = 1 | (number & { readonly [GENERATION]: true });

function isGeneration(value: unknown): value is Generation {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

/** Reads a generation from JSON: zero, negatives, fractions, strings and what a double cannot hold exactly are none. */
export function readGeneration(value: unknown): Result<Generation, "invalid_generation"> {
  return isGeneration(value) ? ok(value) : fail("invalid_generation");
}

/** The first worker's. */
export const GENESIS: Generation = 1;

/** The one after, or an error at the ceiling: a counter that wraps or stands still would make two workers one. */
export function nextGeneration(generation: Generation): Result<Generation, "generation_exhausted"> {
  const next = generation + 1;
  return isGeneration(next) ? ok(next) : fail("generation_exhausted");
}
