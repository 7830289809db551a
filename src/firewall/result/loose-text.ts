import { joinBytes } from "../../join-bytes.ts";
import { BLOB_JUDGED_BYTES } from "../../limits.ts";
import { atBoundary, characterLength } from "./utf8.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
/** A byte that is no UTF-8 stands in a text as this and itself: half a surrogate pair that no UTF-8 has. */
const ODD = 0xdc00;
const ODD_RUNS = /[\udc80-\udcff]+/gu;
/** So many units become a text at a time: as many arguments as any engine takes. */
const STRETCH_UNITS = 8_192;

/**
 * Decodes what is said to be a text, in pieces that may be cut anywhere. Bytes that are no UTF-8 (a table in Latin-1, a
 * character that was cut) are not lost: `looseBytes` gives every one of them back.
 */
export class LooseDecoder {
  /** Whether all that came was UTF-8. */
  isUtf8 = true;
  #waiting = new Uint8Array();

  push(bytes: Uint8Array): string {
    const all = joinBytes(this.#waiting, bytes);
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
    return looselyDecoded(bytes);
  }
}

/** Every byte by itself, since a text of another encoding has an odd one in every word. */
function looselyDecoded(bytes: Uint8Array): string {
  const pieces: string[] = [];
  const units = new Uint16Array(STRETCH_UNITS);
  let count = 0;
  const flush = (): void => {
    pieces.push(String.fromCharCode(...units.subarray(0, count)));
    count = 0;
  };
  const put = (unit: number): void => {
    units[count] = unit;
    count += 1;
  };
  for (let at = 0; at < bytes.length;) {
    if (count + 2 > STRETCH_UNITS) flush();
    const length = legalLength(bytes, at);
    if (length === 0) put(ODD | (bytes[at] ?? 0));
    else if (length < 4) put(codePointAt(bytes, at, length));
    else {
      const beyond = codePointAt(bytes, at, length) - 0x1_00_00;
      put(0xd8_00 | (beyond >> 10));
      put(0xdc_00 | (beyond & 0x3_ff));
    }
    at += Math.max(1, length);
  }
  flush();
  return pieces.join("");
}

export function looseText(bytes: Uint8Array): string {
  const decoder = new LooseDecoder();
  return decoder.push(bytes) + decoder.end();
}

/** The bytes that a `LooseDecoder` made the text of. */
export function looseBytes(text: string): Uint8Array {
  if (!hasOddBytes(text)) return encoder.encode(text);
  const bytes = new Uint8Array(3 * text.length);
  let length = 0;
  let from = 0;
  const put = (to: number): void => {
    if (to > from) length += encoder.encodeInto(text.slice(from, to), bytes.subarray(length)).written;
  };
  for (const { 0: run, index } of text.matchAll(ODD_RUNS)) {
    put(index);
    for (let at = 0; at < run.length; at += 1) bytes[length + at] = run.charCodeAt(at) & 0xff;
    length += run.length;
    from = index + run.length;
  }
  put(text.length);
  return bytes.slice(0, length);
}

/** Whether bytes that are no UTF-8 stand in such a text. */
export function hasOddBytes(text: string): boolean {
  return text.search(ODD_RUNS) >= 0;
}

/**
 * Whether bytes begin as a text: as UTF-8, without what no text has. `isSaid`: their type says so, and then one of both is enough. A
 * picture or an archive would be broken by what is found in it by chance.
 */
export function beginsAsText(bytes: Uint8Array, isSaid: boolean): boolean {
  const head = bytes.subarray(0, BLOB_JUDGED_BYTES);
  const decoder = new LooseDecoder();
  decoder.push(head);
  const isPlain = !head.some(isNoText);
  return isSaid ? decoder.isUtf8 || isPlain : decoder.isUtf8 && isPlain;
}

/** Controls, but for those between backspace and carriage return, and escape. */
function isNoText(byte: number): boolean {
  return byte < 0x08 || (byte > 0x0d && byte < 0x1b);
}

/** The place of a last character that has begun and not ended; the end of the bytes where there is none. */
function lastBegun(bytes: Uint8Array): number {
  const at = atBoundary(bytes, bytes.length - 1);
  return at + characterLength(bytes, at) > bytes.length ? at : bytes.length;
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

/** Of a legal character. */
function codePointAt(bytes: Uint8Array, at: number, length: number): number {
  const lead = bytes[at] ?? 0;
  let code = length === 1 ? lead : lead & (0x7f >> length);
  for (let more = 1; more < length; more += 1) code = (code << 6) | ((bytes[at + more] ?? 0) & 0x3f);
  return code;
}
