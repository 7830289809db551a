import { ARTIFACT_BUFFER_PIECE_BYTES, ARTIFACT_PART_BYTES } from "../../limits.ts";

/** Where memory for foreign bytes is taken from, and given back. */
export interface BufferRoom {
  /** Takes room for that many bytes more; false, and nothing taken, where there is none. */
  hold(bytes: number): boolean;
  free(bytes: number): void;
}

/** The part of an upload that is being filled: at most `ARTIFACT_PART_BYTES`, in memory that grows as it is needed. */
export interface PartBuffer {
  /** Bytes that still fit. */
  left(): number;
  /** Takes bytes, no more than fit; false where there is no memory for them. */
  append(bytes: Uint8Array): boolean;
  /** What it holds, in its own memory: good until the next `append`. */
  bytes(): Uint8Array;
  /** Begins anew in the same memory. */
  restart(): void;
  /** Gives all memory back. */
  release(): void;
}

/**
 * The memory is all taken from `room`, that of a copy from one piece into the next one included: four times as large, so that
 * the last one is made from a quarter of it.
 */
export function createPartBuffer(room: BufferRoom): PartBuffer {
  let memory = new Uint8Array();
  let length = 0;
  const grow = (wanted: number): boolean => {
    if (wanted <= memory.length) return true;
    let size = Math.max(memory.length, ARTIFACT_BUFFER_PIECE_BYTES);
    while (size < wanted) size = Math.min(4 * size, ARTIFACT_PART_BYTES);
    if (!room.hold(size)) return false;
    const grown = new Uint8Array(size);
    grown.set(memory.subarray(0, length));
    room.free(memory.length);
    memory = grown;
    return true;
  };
  return {
    left: () => ARTIFACT_PART_BYTES - length,
    append: (bytes) => {
      if (!grow(length + bytes.length)) return false;
      memory.set(bytes, length);
      length += bytes.length;
      return true;
    },
    bytes: () => memory.subarray(0, length),
    restart: () => {
      length = 0;
    },
    release: () => {
      room.free(memory.length);
      memory = new Uint8Array();
      length = 0;
    },
  };
}
