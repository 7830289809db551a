import { bytesOfPacked, type Packed } from "./sections.ts";
import type { Slices } from "./slices.ts";
import { encodeText } from "./text.ts";

const CHUNK_BYTES = 65_536;
/** UTF-8 takes at most three bytes a UTF-16 unit. */
const MOST_BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Collects byte strings one behind another, in few large pieces: ten thousand small arrays would take more room than what
 * is in them.
 */
export class SliceWriter {
  readonly #full: Uint8Array[] = [];
  #open = new Uint8Array(CHUNK_BYTES);
  #used = 0;
  #total = 0;
  readonly #ends: number[] = [];

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#open.set(bytes, this.#used);
    this.#end(bytes.length);
  }

  /** Slices of before, from one place to another, at once. */
  slices(slices: Slices, from: number, to: number): void {
    const bytes = slices.range(from, to);
    this.#reserve(bytes.length);
    this.#open.set(bytes, this.#used);
    this.#used += bytes.length;
    for (let place = from; place < to; place += 1) {
      this.#total += slices.size(place);
      this.#ends.push(this.#total);
    }
  }

  text(text: string): void {
    if (LONE_SURROGATE.test(text)) {
      this.bytes(encodeText(text));
      return;
    }
    this.#reserve(MOST_BYTES_PER_UNIT * text.length);
    this.#end(encoder.encodeInto(text, this.#open.subarray(this.#used)).written);
  }

  /** The section that `Slices` opens. Nothing may be added any more. */
  packed(): Packed {
    const head = 4 * (this.#ends.length + 2);
    const writeTo = (target: Uint8Array): void => {
      new Uint32Array(target.buffer, target.byteOffset, this.#ends.length + 2).set([this.#ends.length, 0]);
      new Uint32Array(target.buffer, target.byteOffset + 8, this.#ends.length).set(this.#ends);
      let at = head;
      for (const piece of [...this.#full, this.#open.subarray(0, this.#used)]) {
        target.set(piece, at);
        at += piece.length;
      }
    };
    return { length: head + this.#total, writeTo };
  }

  pack(): Uint8Array {
    return bytesOfPacked(this.packed());
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#open.length) return;
    this.#full.push(this.#open.subarray(0, this.#used));
    this.#open = new Uint8Array(Math.max(CHUNK_BYTES, bytes));
    this.#used = 0;
  }

  #end(bytes: number): void {
    this.#used += bytes;
    this.#total += bytes;
    this.#ends.push(this.#total);
  }
}
