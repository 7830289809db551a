import { areStarts, numbersOf } from "../packed/numbers.ts";
import { damaged, openSections, type PackedFault, type SectionForm } from "../packed/sections.ts";
import { ok, type Result } from "../result.ts";

/**
 * A packed vocabulary: in a container of sections
 *
 *     0   u32 × (buckets + 1)   where each bucket begins in the next section; buckets are a power of two
 *     1   the tokens of each bucket, by rank: u8 length, u24 rank, bytes
 *
 * A token is in the bucket of `bucketHash` of its bytes.
 */
export const RANKS_FORM: SectionForm = { magic: 0x50_42_47_4c, version: 1, sections: 2 };
export const RANK_HEAD_BYTES = 4;

const FNV_BASIS = 0x81_1c_9d_c5;
const FNV_PRIME = 0x01_00_01_93;

/** Of the bytes from one place to another; its low bits say the bucket. */
export function bucketHash(bytes: Uint8Array, from: number, to: number): number {
  let hash = FNV_BASIS;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
  // FNV leaves what its last bytes did in its low bits.
  return hash ^ (hash >>> 15);
}

/**
 * A vocabulary of byte pair encoding: the rank of each sequence of bytes that is a token. Read in place as it is packed, so
 * that it costs nothing to open: to make tables of the published text takes from 15 to 380 ms.
 */
export class RankTable {
  readonly #starts: ArrayLike<number>;
  readonly #entries: Uint8Array;
  readonly #mask: number;

  private constructor(starts: ArrayLike<number>, entries: Uint8Array) {
    this.#starts = starts;
    this.#entries = entries;
    this.#mask = starts.length - 2;
  }

  /** Opens what is packed as above. Whatever the bytes are, no rank is looked for outside them. */
  static open(bytes: Uint8Array): Result<RankTable, PackedFault> {
    const sections = openSections(RANKS_FORM, bytes);
    if (!sections.ok) return sections;
    const [cuts = new Uint8Array(), entries = new Uint8Array()] = sections.value;
    const starts = numbersOf(cuts, 4);
    const buckets = (starts?.length ?? 0) - 1;
    const isPowerOfTwo = buckets > 0 && (buckets & (buckets - 1)) === 0;
    if (starts === undefined || !isPowerOfTwo || !areStarts(starts, entries.length))
      return damaged("buckets");
    return ok(new RankTable(starts, entries));
  }

  /** The rank of the bytes from one place to another; -1 where they are no token. */
  rank(bytes: Uint8Array, from: number, to: number): number {
    const bucket = bucketHash(bytes, from, to) & this.#mask;
    const entries = this.#entries;
    const end = this.#starts[bucket + 1] ?? 0;
    let at = this.#starts[bucket] ?? 0;
    while (at < end) {
      const length = entries[at] ?? 0;
      if (length === to - from && this.#isAt(at + RANK_HEAD_BYTES, bytes, from, to)) {
        return (entries[at + 1] ?? 0) | ((entries[at + 2] ?? 0) << 8) | ((entries[at + 3] ?? 0) << 16);
      }
      at += RANK_HEAD_BYTES + length;
    }
    return -1;
  }

  #isAt(place: number, bytes: Uint8Array, from: number, to: number): boolean {
    for (let at = from; at < to; at += 1) {
      if (this.#entries[place + at - from] !== bytes[at]) return false;
    }
    return true;
  }
}
