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
 * says, without what some leave out, and as WHATWG's URL standard has it. Globs over URIs are tried on all of them.
 */
export function spellingsOf(uri: string): readonly string[] {
  const href = URL.canParse(uri) ? new URL(uri).href : uri;
  const spellings = new Set([uri, normalUri(uri), href]);
  // Some servers read escapes once more.
  for (const text of new Set([uri, href].map(unescaped).flatMap((once) => [once, unescaped(once)]))) {
    spellings.add(text);
    spellings.add(tidy(text));
    for (const part of formsOf(text).flatMap(partsOf)) {
      for (const spelling of slashed(tidy(cleaned(part)))) spellings.add(spelling);
    }
  }
  return [...spellings];
}

/** A URI, and the texts that it is to whoever reads its escapes, or reads it as WHATWG's URL standard does. */
export function readingsOf(uri: string): readonly string[] {
  const href = URL.canParse(uri) ? new URL(uri).href : uri;
  return [...new Set([uri, href].flatMap((text) => [text, unescaped(text)]))];
}

/**
 * One text for URIs that a forgiving server may take for the same: without case, escapes, a fragment, what no URI has in it,
 * slashes and segments that say nothing, and in one form of Unicode.
 */
export function foldedUri(uri: string): string {
  return foldedText(bare(decomposed(uri)));
}

/** The same of a URI and of what is left of it where a server heeds no query, no parameters of segments, or nothing behind NUL. */
export function foldedParts(uri: string): readonly string[] {
  return [...new Set(partsOf(decomposed(uri)).map(foldedText))];
}

/** A text in each form of Unicode that a server may hold it in, in its own case and in none. */
export function formsOf(text: string): readonly string[] {
  const forms = UNICODE_FORMS.map((form) => text.normalize(form));
  return [...new Set([...forms, ...forms.map((form) => form.toLowerCase())])];
}

const UNICODE_FORMS = ["NFC", "NFD", "NFKC"] as const;

/** Compatible characters may be slashes, dots and question marks: before anything is taken apart. */
function decomposed(uri: string): string {
  return unescaped(uri).toLowerCase().normalize("NFKC").toLowerCase().normalize("NFKC");
}

function foldedText(text: string): string {
  return withoutDots(cleaned(text))
    .split("/")
    .filter((part) => part !== "")
    .join("/");
}

/** A URI without its fragment, and that without its query, the parameters of its segments (RFC 3986 §3.3), and both. */
function partsOf(uri: string): readonly string[] {
  const whole = bare(uri);
  const nul = whole.indexOf("\0");
  return [whole, ...(nul === -1 ? [] : [whole.slice(0, nul)])].flatMap((text) => {
    const mark = text.indexOf("?");
    const path = mark === -1 ? text : text.slice(0, mark);
    const plain = path.replace(/;[^/\\]*/g, "");
    return [text, path, plain + text.slice(path.length), plain];
  });
}

/** A URI without what no URI has in it, and with slashes where some take a character for one. */
function cleaned(uri: string): string {
  const parts = uri
    .replace(/\\/g, "/")
    .replace(/\p{Cc}/gu, "")
    .split("/");
  return parts.map((part) => part.trim()).join("/");
}

/** Where a URI leads whose dot segments lead elsewhere, as forgiving servers find them; any other itself. */
export function ledTo(uri: string): string {
  const text = cleaned(unescaped(uri));
  return /[/:]\.{1,2}(?:[/?#;]|$)/.test(text) ? tidy(text.replace(/;[^/]*/g, "")) : uri;
}

/** A URI with each number of slashes behind its scheme that readers take for another. */
function slashed(uri: string): readonly string[] {
  const found = /^([^/?#:]*:)\/*/.exec(uri);
  if (found === null) return [uri];
  const [start, scheme = ""] = found;
  const rest = uri.slice(start.length);
  return [uri, ...["", "/", "//", "///"].map((slashes) => scheme + slashes + rest)];
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
