import { BLOB_JUDGED_BYTES } from "../../limits.ts";
import { characterLength } from "./utf8.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
/** A byte that is no UTF-8 stands in a text as this and itself: half a surrogate pair that no UTF-8 has. */
const ODD = 0xdc00;
const ODD_UNITS = /[\udc80-\udcff]/gu;

/**
 * Decodes what is said to be a text, in pieces that may be cut anywhere. Bytes that are no UTF-8 (a table in Latin-1, a
 * character that was cut) are not lost: `looseBytes` gives every one of them back.
 */
export class LooseDecoder {
  /** Whether all that came was UTF-8. */
  isUtf8 = true;
  #waiting = new Uint8Array();

  push(bytes: Uint8Array): string {
    const all = joined(this.#waiting, bytes);
    const end = lastBegun(all);
    // A copy: what it is a view of belongs to the network.
    this.#waiting = all.slice(end);
    return this.#decoded(all.subarray(0, end));
  }

  end(): string {
    const rest = this.#waiting;
    this.#waiting = new Uint8Array();
    return this.#decoded(rest);
  }

  #decoded(bytes: Uint8Array): string {
    try {
      return strict.decode(bytes);
    } catch {
      this.isUtf8 = false;
    }
    let text = "";
    let from = 0;
    for (let at = 0; at < bytes.length;) {
      const length = legalLength(bytes, at);
      if (length > 0) {
        at += length;
        continue;
      }
      text += strict.decode(bytes.subarray(from, at)) + String.fromCharCode(ODD | (bytes[at] ?? 0));
      at += 1;
      from = at;
    }
    return text + strict.decode(bytes.subarray(from));
  }
}

export function looseText(bytes: Uint8Array): string {
  const decoder = new LooseDecoder();
  return decoder.push(bytes) + decoder.end();
}

/** The bytes that a `LooseDecoder` made the text of. */
export function looseBytes(text: string): Uint8Array {
  const odd = [...text.matchAll(ODD_UNITS)];
  if (odd.length === 0) return encoder.encode(text);
  const bytes = new Uint8Array(3 * text.length);
  let length = 0;
  let from = 0;
  const put = (to: number) => {
    length += encoder.encodeInto(text.slice(from, to), bytes.subarray(length)).written;
  };
  for (const { index } of odd) {
    put(index);
    bytes[length] = text.charCodeAt(index) & 0xff;
    length += 1;
    from = index + 1;
  }
  put(text.length);
  return bytes.slice(0, length);
}

/** Whether bytes that are no UTF-8 stand in such a text. */
export function hasOddBytes(text: string): boolean {
  return text.search(ODD_UNITS) >= 0;
}

/**
 * Whether bytes begin as a text. `isSaid`: their type says so, and then they may be of another encoding than UTF-8, as long as
 * there is nothing among them that no text has: a picture with a wrong type would be broken by what is found in it by chance.
 */
export function beginsAsText(bytes: Uint8Array, isSaid: boolean): boolean {
  const head = bytes.subarray(0, BLOB_JUDGED_BYTES);
  const decoder = new LooseDecoder();
  decoder.push(head);
  return decoder.isUtf8 || (isSaid && !head.some(isNoText));
}

/** Controls, but for those between backspace and carriage return, and escape. */
function isNoText(byte: number): boolean {
  return byte < 0x08 || (byte > 0x0d && byte < 0x1b);
}

export function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** The place of a last character that has begun and not ended; the end of the bytes where there is none. */
function lastBegun(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= 0 && at >= bytes.length - 3; at -= 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x80 && byte < 0xc0) continue;
    return at + characterLength(bytes, at) > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

/** Bytes of the character that is here (Unicode, table 3-7), or 0 where there is none. */
function legalLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = characterLength(bytes, at);
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  const next = bytes[at + 1] ?? 0;
  if (next < least || next > most) return 0;
  for (let more = 2; more < length; more += 1) if (((bytes[at + more] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
