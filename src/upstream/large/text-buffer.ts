const FIRST_BYTES = 4_096;

/** UTF-8 text of bounded length, held as the bytes it is: strings would hold the pieces they were cut from. */
export class TextBuffer {
  readonly maxBytes: number;
  #array = new Uint8Array(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes a text whole, or nothing of it where there is no room. */
  put(text: string): boolean {
    if (this.#length + text.length > this.maxBytes) return false;
    // Three bytes a character at most; where they are fewer, less may do.
    this.#grow(Math.min(this.maxBytes, this.#length + 3 * text.length));
    const { read, written } = encoder.encodeInto(text, this.#array.subarray(this.#length, this.maxBytes));
    if (read < text.length) return false;
    this.#length += written;
    return true;
  }

  text(from = 0): string {
    return decoder.decode(this.#array.subarray(from, this.#length));
  }

  cutTo(length: number): void {
    this.#length = length;
  }

  #grow(needed: number): void {
    if (needed <= this.#array.length) return;
    const grown = new Uint8Array(
      Math.min(this.maxBytes, Math.max(FIRST_BYTES, needed, 2 * this.#array.length)),
    );
    grown.set(this.#array.subarray(0, this.#length));
    this.#array = grown;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
