import { areStarts } from "./numbers.ts";
import { SliceWriter } from "./slice-writer.ts";
import { compareBytes, decodeText, encodeText } from "./text.ts";

/** Many byte strings in one section: u32 count, u32 starts (count + 1), then the bytes. */
export function packTexts(texts: readonly string[]): Uint8Array {
  const writer = new SliceWriter();
  for (const text of texts) writer.text(text);
  return writer.pack();
}

/** Slices read in place; a text is decoded when it is asked for. Those that are searched stand in the order of their bytes. */
export class Slices {
  readonly count: number;
  readonly #starts: Uint32Array;
  readonly #bytes: Uint8Array;

  private constructor(starts: Uint32Array, bytes: Uint8Array) {
    this.count = starts.length - 1;
    this.#starts = starts;
    this.#bytes = bytes;
  }

  static readonly none = new Slices(new Uint32Array(1), new Uint8Array());

  /** Opens an aligned section; undefined if it is not what a `SliceWriter` packs. One pass over the starts. */
  static open(section: Uint8Array): Slices | undefined {
    if (section.length < 8) return undefined;
    const [count = 0] = new Uint32Array(section.buffer, section.byteOffset, 1);
    const head = 4 * (count + 2);
    if (head > section.length) return undefined;
    const starts = new Uint32Array(section.buffer, section.byteOffset + 4, count + 1);
    const bytes = section.subarray(head);
    return areStarts(starts, bytes.length) ? new Slices(starts, bytes) : undefined;
  }

  /** Empty for a place that there is not. */
  bytes(place: number): Uint8Array {
    return this.#bytes.subarray(
      this.#starts[place] ?? 0,
      this.#starts[place + 1] ?? this.#starts[place] ?? 0,
    );
  }

  /** All bytes from one place to another. */
  range(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[from] ?? 0, this.#starts[to] ?? 0);
  }

  /** Length in bytes, without looking at them. */
  size(place: number): number {
    return (this.#starts[place + 1] ?? 0) - (this.#starts[place] ?? 0);
  }

  text(place: number): string {
    return decodeText(this.bytes(place));
  }

  /** The first place whose text is not before `text` by code point. */
  lowerBound(text: string): number {
    return this.#lowerBound(encodeText(text));
  }

  /** The place of a text; -1 if it is not here. */
  find(text: string): number {
    const { place, isHere } = this.placeOf(text);
    return isHere ? place : -1;
  }

  /** The place of a text, or the one that it would take. */
  placeOf(text: string): { readonly place: number; readonly isHere: boolean } {
    const key = encodeText(text);
    const place = this.#lowerBound(key);
    return { place, isHere: place < this.count && compareBytes(this.bytes(place), key) === 0 };
  }

  #lowerBound(key: Uint8Array): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.bytes(middle), key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
