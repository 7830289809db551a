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
