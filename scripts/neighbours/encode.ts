import { compareCodePoints } from "../../src/code-points.ts";
import {
  DIGEST_OFFSET,
  LEVEL_BITS,
  LEVELS,
  NEIGHBOUR_BYTES,
  NEIGHBOURS_HEADER_BYTES,
  NEIGHBOURS_MAGIC,
  NEIGHBOURS_VERSION,
} from "../../src/routing/neighbours/format.ts";

/** Neighbours by word, the nearest first, with their likeness from 0 to 1. */
export type Neighbours = ReadonlyMap<string, readonly (readonly [word: string, likeness: number])[]>;

const MAX_UNITS = 255;

/** The bytes that `openNeighbours` reads. A likeness that rounds to nothing is left out. */
export function encodeNeighbours(neighbours: Neighbours, digest: Uint8Array): Uint8Array {
  const named = [...neighbours.values()].flatMap((list) => list.map(([word]) => word));
  const words = [...new Set([...neighbours.keys(), ...named])].sort(compareCodePoints);
  const indices = new Map(words.map((word, index) => [word, index]));
  const lists = words.map((word) =>
    (neighbours.get(word) ?? [])
      .map(([other, likeness]) => ({ index: indices.get(other) ?? 0, level: Math.round(likeness * LEVELS) }))
      .filter(({ level }) => level > 0)
      .sort((left, right) => right.level - left.level || left.index - right.index),
  );
  const shared = words.map((word, index) => sharedUnits(words[index - 1] ?? "", word));
  const text = new TextEncoder().encode(words.map((word, index) => word.slice(shared[index])).join(""));
  const total = lists.reduce((sum, list) => sum + list.length, 0);

  const packedAt = NEIGHBOURS_HEADER_BYTES + 3 * words.length;
  const bytes = new Uint8Array(packedAt + NEIGHBOUR_BYTES * total + text.length);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of [
    NEIGHBOURS_MAGIC,
    NEIGHBOURS_VERSION,
    words.length,
    total,
    text.length,
  ].entries()) {
    view.setUint32(4 * index, value, true);
  }
  bytes.set(digest, DIGEST_OFFSET);
  for (const [index, word] of words.entries()) {
    const counts = [shared[index] ?? 0, word.length - (shared[index] ?? 0), lists[index]?.length ?? 0];
    for (const [column, value] of counts.entries()) {
      if (value > MAX_UNITS) throw new RangeError(`${word} does not fit the format`);
      bytes[NEIGHBOURS_HEADER_BYTES + column * words.length + index] = value;
    }
  }
  for (const [at, { index, level }] of lists.flat().entries()) {
    const bits = (index << LEVEL_BITS) | Math.min(level, LEVELS);
    for (let byte = 0; byte < NEIGHBOUR_BYTES; byte += 1) {
      bytes[packedAt + at * NEIGHBOUR_BYTES + byte] = (bits >> (8 * byte)) & 0xff;
    }
  }
  bytes.set(text, bytes.length - text.length);
  return bytes;
}

/** Never half a surrogate pair: the rest is written as UTF-8. */
function sharedUnits(previous: string, word: string): number {
  let units = 0;
  while (units < previous.length && previous[units] === word[units]) units += 1;
  const cut = word.charCodeAt(units - 1);
  return cut >= 0xd8_00 && cut < 0xdc_00 ? units - 1 : units;
}
