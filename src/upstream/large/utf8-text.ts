import { joinBytes } from "../../join-bytes.ts";

/**
 * Decodes UTF-8 that comes in pieces as `TextDecoder` decodes the whole: what is no UTF-8 becomes U+FFFD, and a byte order
 * mark at the beginning is left out. The decoder's own streaming is not used, since it is slow in some engines; a cut before
 * the first byte of a character changes nothing, so an unfinished one waits for the next piece.
 */
export class Utf8Text {
  #waiting = new Uint8Array(0);
  #begun = false;

  /** Of these bytes as much as makes whole characters. */
  push(bytes: Uint8Array): string {
    const joined = joinBytes(this.#waiting, bytes);
    const end = lastBoundary(joined);
    // A copy: the array it is a view of belongs to the network.
    this.#waiting = joined.slice(end);
    return this.#decoded(joined.subarray(0, end));
  }

  /** What an unfinished last character is read as. */
  end(): string {
    const rest = this.#waiting;
    this.#waiting = new Uint8Array(0);
    return this.#decoded(rest);
  }

  #decoded(bytes: Uint8Array): string {
    if (bytes.length === 0) return "";
    const text = decoder.decode(bytes);
    const isMarked = !this.#begun && text.startsWith("\uFEFF");
    this.#begun = true;
    return isMarked ? text.slice(1) : text;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** The end of the bytes, or the place of a last character that they do not hold to its end. */
function lastBoundary(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0x80 && byte < 0xc0) continue;
    const needed = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf8 ? 4 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
