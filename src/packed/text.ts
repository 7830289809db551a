/**
 * Text as bytes whose order is the order of code points: UTF-8, and a lone surrogate as the three bytes that UTF-8 would
 * give its number. So any JavaScript string comes back as it was, equal strings have equal bytes, and bytes compare as
 * `compareCodePoints` does; plain UTF-8 would make U+FFFD of every lone surrogate.
 */
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const LONE_SURROGATE = /\p{Surrogate}/u;
/** Kept by `split` as pieces of their own. */
const AROUND_LONE_SURROGATES = /(\p{Surrogate})/u;

/** Most texts are short and ASCII: a loop is faster than a call of the decoder. */
const LOOP_MAX_BYTES = 64;

export function encodeText(text: string): Uint8Array {
  return LONE_SURROGATE.test(text) ? encodeUnits(text) : encoder.encode(text);
}

function encodeUnits(text: string): Uint8Array {
  // A UTF-16 unit takes three bytes at most.
  const bytes = new Uint8Array(3 * text.length);
  let end = 0;
  for (const piece of text.split(AROUND_LONE_SURROGATES)) {
    if (LONE_SURROGATE.test(piece)) {
      const unit = piece.charCodeAt(0);
      bytes.set([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)], end);
      end += 3;
    } else end += encoder.encodeInto(piece, bytes.subarray(end)).written;
  }
  return bytes.slice(0, end);
}

/** Reads what `encodeText` wrote; other bytes give some text or other, never a failure. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length <= LOOP_MAX_BYTES) {
    const text = decodeAscii(bytes);
    if (text !== undefined) return text;
  }
  try {
    return decoder.decode(bytes);
  } catch {
    return decodeUnits(bytes);
  }
}

function decodeAscii(bytes: Uint8Array): string | undefined {
  let text = "";
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x7f) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}

function decodeUnits(bytes: Uint8Array): string {
  let text = "";
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    let point = more === 0 ? lead : lead & (0x3f >> more);
    for (let next = 1; next <= more; next += 1) point = (point << 6) | ((bytes[at + next] ?? 0) & 0x3f);
    text += String.fromCodePoint(Math.min(point, 0x10_ff_ff));
    at += more + 1;
  }
  return text;
}

/** Compares bytes as unsigned numbers, a prefix before what it begins: the order of the texts by code point. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
