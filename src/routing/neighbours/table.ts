import { compareCodePoints } from "../../code-points.ts";
import { ROUTING_NEIGHBOURS_MAX_BYTES, ROUTING_NEIGHBOURS_MAX_WORDS } from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import {
  DIGEST_OFFSET,
  LEVEL_BITS,
  LEVELS,
  NEIGHBOUR_BYTES,
  NEIGHBOURS_HEADER_BYTES,
  NEIGHBOURS_MAGIC,
  NEIGHBOURS_VERSION,
} from "./format.ts";

/** Words that mean about the same, made once for all catalogs. */
export interface NeighbourTable {
  /** Lower-cased, unstemmed words in code point order; those of other languages are never another word's neighbour. */
  readonly words: readonly string[];
  /** Where each word's neighbours begin in the two arrays below; one entry more than there are words. */
  readonly starts: Uint32Array;
  /** Indices into `words`, the nearest first. */
  readonly neighbours: Uint32Array;
  /** 1–255 for a likeness up to 1. */
  readonly likeness: Uint8Array;
  /** SHA-256 of the word lists that went into the table. */
  readonly digest: Uint8Array;
}

export type NeighboursFault =
  | { readonly kind: "TOO_LARGE"; readonly bytes: number }
  | { readonly kind: "NOT_A_TABLE" }
  | { readonly kind: "OTHER_VERSION"; readonly version: number }
  | {
      readonly kind: "DAMAGED";
      readonly part: "size" | "text" | "words" | "neighbours";
    };

const damaged = (part: "size" | "text" | "words" | "neighbours") => fail({ kind: "DAMAGED", part } as const);

/** Reads the committed table (`format.ts`); whatever the bytes are, the answer is a table or why they are none. */
export function openNeighbours(bytes: Uint8Array): Result<NeighbourTable, NeighboursFault> {
  if (bytes.length > ROUTING_NEIGHBOURS_MAX_BYTES) return fail({ kind: "TOO_LARGE", bytes: bytes.length });
  if (bytes.length < NEIGHBOURS_HEADER_BYTES) return fail({ kind: "NOT_A_TABLE" });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, true) !== NEIGHBOURS_MAGIC) return fail({ kind: "NOT_A_TABLE" });
  const version = view.getUint32(4, true);
  if (version !== NEIGHBOURS_VERSION) return fail({ kind: "OTHER_VERSION", version });
  const count = view.getUint32(8, true);
  const total = view.getUint32(12, true);
  const textBytes = view.getUint32(16, true);
  const size = NEIGHBOURS_HEADER_BYTES + 3 * count + NEIGHBOUR_BYTES * total + textBytes;
  if (size !== bytes.length || count > ROUTING_NEIGHBOURS_MAX_WORDS) return damaged("size");

  const text = decode(bytes.subarray(bytes.length - textBytes));
  if (text === undefined) return damaged("text");
  const words = readWords(bytes.subarray(NEIGHBOURS_HEADER_BYTES), count, text);
  if (words === undefined) return damaged("words");
  const starts = readStarts(bytes.subarray(NEIGHBOURS_HEADER_BYTES + 2 * count), count);
  if (starts[count] !== total) return damaged("neighbours");
  const packed = bytes.subarray(NEIGHBOURS_HEADER_BYTES + 3 * count, bytes.length - textBytes);
  const entries = readNeighbours(packed, total, count);
  if (entries === undefined) return damaged("neighbours");
  const digest = bytes.slice(DIGEST_OFFSET, NEIGHBOURS_HEADER_BYTES);
  return ok({ words, starts, ...entries, digest });
}

function decode(text: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
  } catch {
    return undefined;
  }
}

/** One decoded text cut into pieces is many times faster than decoding each word. */
function readWords(lengths: Uint8Array, count: number, text: string): string[] | undefined {
  const words: string[] = [];
  let previous = "";
  let position = 0;
  for (let word = 0; word < count; word += 1) {
    const shared = lengths[word] ?? 0;
    const end = position + (lengths[count + word] ?? 0);
    if (shared > previous.length || end > text.length) return undefined;
    const next = previous.slice(0, shared) + text.slice(position, end);
    if (compareCodePoints(previous, next) >= 0) return undefined;
    words.push(next);
    previous = next;
    position = end;
  }
  return position === text.length ? words : undefined;
}

function readStarts(counts: Uint8Array, count: number): Uint32Array {
  const starts = new Uint32Array(count + 1);
  let total = 0;
  for (let word = 0; word < count; word += 1) {
    total += counts[word] ?? 0;
    starts[word + 1] = total;
  }
  return starts;
}

const LIKENESS_OF_LEVEL = Uint8Array.from({ length: LEVELS + 1 }, (_, level) =>
  Math.round((level * 255) / LEVELS),
);

function readNeighbours(
  packed: Uint8Array,
  total: number,
  words: number,
): Pick<NeighbourTable, "neighbours" | "likeness"> | undefined {
  const neighbours = new Uint32Array(total);
  const likeness = new Uint8Array(total);
  for (let entry = 0, at = 0; entry < total; entry += 1, at += NEIGHBOUR_BYTES) {
    const bits = (packed[at] ?? 0) | ((packed[at + 1] ?? 0) << 8) | ((packed[at + 2] ?? 0) << 16);
    const level = bits & LEVELS;
    const word = bits >> LEVEL_BITS;
    if (level === 0 || word >= words) return undefined;
    neighbours[entry] = word;
    likeness[entry] = LIKENESS_OF_LEVEL[level] ?? 0;
  }
  return { neighbours, likeness };
}
