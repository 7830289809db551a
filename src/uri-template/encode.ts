/** RFC 3986 §2.2 and §2.3 with what is percent-encoded already: everything else is to be escaped. */
const TO_ESCAPE_AMONG_RESERVED = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu;

/** Whether a text has bytes, so that it can be escaped; one with half a surrogate pair has none. */
export function hasBytes(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** Escapes all but unreserved characters. The text has bytes. */
export function encodeUnreserved(text: string): string {
  // `encodeURIComponent` is older than RFC 3986, which reserves these five.
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Escapes all but unreserved and reserved characters, and leaves what is escaped as it is. The text has bytes. */
export function encodeReserved(text: string): string {
  return text.replace(TO_ESCAPE_AMONG_RESERVED, (found) =>
    found.length === 3 && found.startsWith("%") ? found : encodeURIComponent(found),
  );
}

/** One character beyond ASCII in UTF-8, escaped. */
const ESCAPED_CHARACTER =
  /%[CD][0-9A-F]%[89AB][0-9A-F]|%E[0-9A-F](?:%[89AB][0-9A-F]){2}|%F[0-7](?:%[89AB][0-9A-F]){3}/gi;

/**
 * A URI, or a literal, as the two are held against each other: what no URI may have in it is escaped, in capitals. A lone `%` stays,
 * and so does a text without bytes.
 */
export function escapedUri(uri: string): string {
  if (!hasBytes(uri)) return uri;
  const escaped = uri.replace(TO_ESCAPE_AMONG_RESERVED, (found) =>
    found.startsWith("%") ? found : encodeURIComponent(found),
  );
  return escaped.replace(ESCAPED_CHARACTER, (found) =>
    decodeUnreserved(found) === found ? found : found.toUpperCase(),
  );
}

/** A template's literal as `escapedUri` has it in the template's URIs. */
export function literalText(literal: string): string {
  return escapedUri(encodeReserved(literal));
}

/** Inverse of `encodeUnreserved`; a text whose escapes are no UTF-8 stays as it is. */
export function decodeUnreserved(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Takes those escapes away that `encodeReserved` puts in again. */
export function decodeReserved(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
    const plain = decodeUnreserved(escapes);
    return encodeReserved(plain) === escapes ? plain : escapes;
  });
}
