/** RFC 3986 §3.1 and §3.2: the scheme, and where there is one the authority, its user and its host. */
const START = /^([A-Za-z][A-Za-z0-9+.-]*:)(?:(\/\/)([^/?#]*@)?([^/?#]*))?/;
/** RFC 3986 §2.2 and §2.3 with what is percent-encoded already: everything else is to be escaped. */
const TO_ESCAPE = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu;
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;

/**
 * One text for all URIs that are the same by RFC 3986 §6.2.2: scheme and host in small letters, escapes in capitals and only
 * where they are needed, and what no URI may have escaped (RFC 3987 §3.1).
 */
export function normalUri(uri: string): string {
  const escaped = uri.replace(TO_ESCAPE, (found) => {
    if (!found.startsWith("%") || found.length !== 3) return encoded(found);
    const plain = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return UNRESERVED.test(plain) ? plain : found.toUpperCase();
  });
  return escaped.replace(
    START,
    (_, scheme: string, slashes = "", user = "", host = "") =>
      scheme.toLowerCase() + String(slashes) + String(user) + smallOf(String(host)),
  );
}

/**
 * A URI, and how a server that takes it apart may read it: without escapes, without what says nothing or leads elsewhere than it
 * says, and as WHATWG's URL standard has it.
 */
export function spellingsOf(uri: string): readonly string[] {
  const href = URL.canParse(uri) ? new URL(uri).href : uri;
  const plain = [uri, href].flatMap((text) => [
    unescaped(text),
    tidy(unescaped(text)),
    tidy(bare(unescaped(text))),
  ]);
  return [...new Set([uri, normalUri(uri), href, ...plain])];
}

/**
 * One text for URIs that a forgiving server may take for the same: without case, escapes, a fragment, and slashes and segments
 * that say nothing.
 */
export function foldedUri(uri: string): string {
  return withoutDots(bare(unescaped(uri)).toLowerCase())
    .split("/")
    .filter((part) => part !== "")
    .join("/");
}

/** A URI without its fragment. */
function bare(uri: string): string {
  const hash = uri.indexOf("#");
  return hash === -1 ? uri : uri.slice(0, hash);
}

/** A URI without segments that say nothing, but for the slashes behind its scheme. */
function tidy(uri: string): string {
  const path = withoutDots(uri);
  const scheme = /^[^/]*:\/*/.exec(path)?.[0] ?? "";
  const parts = path.slice(scheme.length).split("/");
  return scheme + parts.filter((part) => part !== "").join("/");
}

/** One UTF-8 sequence, escaped. */
const ESCAPED =
  /%[0-7][0-9A-F]|%[CD][0-9A-F]%[89AB][0-9A-F]|%E[0-9A-F](?:%[89AB][0-9A-F]){2}|%F[0-7](?:%[89AB][0-9A-F]){3}/gi;

/** A URI with its escapes read; those that are no UTF-8 stay. */
export function unescaped(uri: string): string {
  return uri.replace(ESCAPED, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/** RFC 3986 §5.2.4, also where an authority would stand; never further than behind the scheme. */
function withoutDots(uri: string): string {
  const kept: string[] = [];
  for (const part of uri.split("/")) {
    if (part === ".") continue;
    const before = kept.at(-1);
    if (part !== ".." || before === undefined) kept.push(part);
    else if (before !== "" && !(kept.length === 1 && before.endsWith(":"))) kept.pop();
  }
  return kept.join("/");
}

/** Half a surrogate pair has no bytes, and stays. */
function encoded(text: string): string {
  return /\p{Surrogate}/u.test(text) ? text : encodeURIComponent(text);
}

/** A host in small letters; the escapes in it stay in capitals. */
function smallOf(host: string): string {
  return host.replace(/%[0-9A-F]{2}|[A-Z]/g, (found) => (found.length === 1 ? found.toLowerCase() : found));
}
