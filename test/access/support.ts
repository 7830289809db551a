import * as fc from "fast-check";
import { deriveKeyRings } from "../../src/access/keys.ts";
import type { KeyRings } from "../../src/access/keys.ts";

export const NOW_MS = 1_800_000_000_000;
export const SECRET_A = "a".repeat(32);
export const SECRET_B = "b".repeat(32);
export const SECRET_C = "c".repeat(32);
export const RANDOM = Uint8Array.from({ length: 16 }, (_, index) => index * 16 + 15);

export async function ringsOf(current: string, previous?: string): Promise<KeyRings> {
  const rings = await deriveKeyRings({ LOOMGATE_KEY: current, LOOMGATE_KEY_PREVIOUS: previous });
  if (!rings.ok) throw new Error(`no key rings: ${rings.reason.reason}`);
  return rings.value;
}

/** Principals in any script; a name takes at most 4 bytes a character. */
export const principals = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
  .filter((name) => !/[\p{Cc}\p{Cs}]/u.test(name) && new TextEncoder().encode(name).length <= 256);

/** One character of a text exchanged for another; ASCII alone, since headers hold no other. */
export function alter(text: string, at: number, by: number): string {
  const index = at % text.length;
  const code = text.charCodeAt(index);
  const other = 33 + ((code - 33 + 1 + (by % 93)) % 94);
  return text.slice(0, index) + String.fromCharCode(other) + text.slice(index + 1);
}
