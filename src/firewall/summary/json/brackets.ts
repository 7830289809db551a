/** Which brackets are open, a bit each, so that a million of them are no load. */
export class JsonBrackets {
  readonly #bits: Uint8Array;
  #depth = 0;

  constructor(maxDepth: number) {
    this.#bits = new Uint8Array(Math.ceil(maxDepth / 8));
  }

  get depth(): number {
    return this.#depth;
  }

  /** Two bytes are as much as one character. */
  get retainedChars(): number {
    return this.#bits.length / 2;
  }

  /** Of the innermost one. */
  get inArray(): boolean {
    const index = this.#depth - 1;
    return index >= 0 && ((this.#bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
  }

  /** Whether there was room for one more. */
  open(array: boolean): boolean {
    const index = this.#depth;
    if (index >= this.#bits.length * 8) return false;
    const bit = 1 << (index & 7);
    const byte = this.#bits[index >> 3] ?? 0;
    this.#bits[index >> 3] = array ? byte | bit : byte & ~bit;
    this.#depth += 1;
    return true;
  }

  close(): void {
    this.#depth -= 1;
  }
}
