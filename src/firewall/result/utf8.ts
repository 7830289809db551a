/** Kept text is UTF-8 that we wrote ourselves, so it is well-formed; a byte order mark in it is content. */
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The last character boundary at or before `at`; the end of the bytes counts as one, so read past where you cut. */
export function atBoundary(bytes: Uint8Array, at: number): number {
  let boundary = Math.min(at, bytes.length);
  while (boundary > 0 && isContinuation(bytes[boundary])) boundary -= 1;
  return boundary;
}

/** Bytes of the character that begins here. */
export function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

/** How many bytes a text takes; a lone surrogate takes the three of U+FFFD. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPairAt(text, index)) {
      bytes += 2;
      index += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isPairAt(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
}
