/** Parts of a media type (RFC 6838) that say nothing of what a thing is. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  "application",
  "text",
  "x",
  "vnd",
  "prs",
  "plain",
  "octet",
  "stream",
]);

/** What a media type is called in words: `csv` of `text/csv; charset=utf-8`, `image svg xml` of `image/svg+xml`. */
export function mediaTypeWords(type: string): string {
  const [essence = ""] = type.split(";", 1);
  return essence
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "" && !SAYS_NOTHING.has(word))
    .join(" ");
}

/** An address as a person reads it: without escapes, where they are UTF-8. */
export function addressWords(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
