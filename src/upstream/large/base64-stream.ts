const ILLEGAL = 255;
const SPACE = 254;
const PAD = 253;
const PAD_MAX_COUNT = 2;

/** The value of each ASCII character: both alphabets of RFC 4648 (§4, §5), white space as `atob` has it. */
const VALUES = new Uint8Array(128).fill(ILLEGAL);
for (const [value, letter] of Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
).entries()) {
  VALUES[letter.charCodeAt(0)] = value;
}
VALUES[0x2d] = 62;
VALUES[0x5f] = 63;
VALUES[0x3d] = PAD;
for (const space of "\t\n\f\r ") VALUES[space.charCodeAt(0)] = SPACE;

/**
 * Decodes base64 that comes in pieces, by the rules that the whole would be decoded by: either alphabet, white space
 * anywhere, padding that is right or absent.
 */
export class Base64Stream {
  #bits = 0;
  /** Characters of a group of four, and padding behind them. */
  #count = 0;
  #pads = 0;
  /** Those characters as they came. */
  #open = "";
  #rest: string | undefined;

  /** From the first group on that is no base64: its characters and those behind it, to the end of the piece. */
  get rest(): string | undefined {
    return this.#rest;
  }

  /** The bytes of the groups that are complete now. */
  push(text: string): Uint8Array {
    if (this.#rest !== undefined) {
      this.#rest = text;
      return new Uint8Array(0);
    }
    const bytes = new Uint8Array(Math.ceil((text.length + this.#count) / 4) * 3);
    let length = 0;
    let bits = this.#bits;
    let count = this.#count;
    let begun = 0;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      const value = unit < 128 ? (VALUES[unit] ?? ILLEGAL) : ILLEGAL;
      if (value < 64 && this.#pads === 0) {
        bits = (bits << 6) | value;
        count += 1;
        if (count < 4) continue;
        bytes[length] = bits >> 16;
        bytes[length + 1] = bits >> 8;
        bytes[length + 2] = bits;
        length += 3;
        bits = 0;
        count = 0;
        begun = at + 1;
        this.#open = "";
      } else if (value === PAD && this.#pads < PAD_MAX_COUNT) this.#pads += 1;
      else if (value !== SPACE) {
        this.#rest = this.#open + text.slice(begun);
        return bytes.subarray(0, length);
      }
    }
    this.#bits = bits;
    this.#count = count;
    this.#open += text.slice(begun).replace(/[\t\n\f\r ]+/g, "");
    return bytes.subarray(0, length);
  }

  /** The last bytes; what does not end as base64 does is `rest`. */
  end(): Uint8Array {
    if (this.#rest !== undefined) {
      this.#rest = "";
      return new Uint8Array(0);
    }
    const isLegal =
      this.#count === 0 ? this.#pads === 0 : this.#count > 1 && [0, 4 - this.#count].includes(this.#pads);
    if (!isLegal) {
      this.#rest = this.#open;
      return new Uint8Array(0);
    }
    if (this.#count === 2) return Uint8Array.of(this.#bits >> 4);
    if (this.#count === 3) return Uint8Array.of(this.#bits >> 10, this.#bits >> 2);
    return new Uint8Array(0);
  }
}
