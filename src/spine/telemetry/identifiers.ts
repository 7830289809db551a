import {
  ERROR_CODE_MAX_CHARS,
  EVENT_ID_MAX_CHARS,
  EVENT_REQUEST_ID_MAX_CHARS,
  PATH_NAME_MAX_CHARS,
  SESSION_DIGEST_HEX_CHARS,
} from "../../limits/spine.ts";

// What may stand in an event as text. Each is one plain character class after another, so that no input is slow to
// refuse, and none admits a space, a quote, a control character or anything beyond ASCII: no sentence fits in.

const CATALOG_ID =
  /^(?:resource::|prompt::)?[a-z][a-z0-9_-]{0,63}:[A-Za-z_][A-Za-z0-9_.-]{0,127}(?=[@#])(?:@[A-Za-z0-9._-]{1,32})?(?:#[0-9a-f]{8})?$/;
/** The key of a resource or a prompt that shares its id with others (seed 000 §9.3). */
const RANKED_ID =
  /^(?:resource::|prompt::)[a-z][a-z0-9_-]{0,63}:[A-Za-z_][A-Za-z0-9_.-]{0,127}#[0-9a-f]{8}~[1-9][0-9]{0,9}$/;
const NAMESPACE = /^[a-z][a-z0-9_-]{0,63}$/;
const STREAM_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const GRANT_ID = /^(?:grt|pkg)_[0-9a-f]{32}$/;
const ERROR_CODE = /^(?:[A-Z]+(?:_[A-Z]+)*|[a-z]+(?:_[a-z]+)*)$/;
const SESSION_DIGEST = new RegExp(`^[0-9a-f]{${SESSION_DIGEST_HEX_CHARS}}$`);
const PATH_NAME = /^[A-Za-z0-9._~!$&'()*+,;=:@/?%#-]+$/;
const REQUEST_ID = /^[A-Za-z0-9_.:/-]+$/;

/** The canonical id of a tool, a resource or a prompt (seed 000 §1.1 and §9.1). */
export function isCatalogId(value: unknown): value is string {
  if (typeof value !== "string" || value.length > EVENT_ID_MAX_CHARS) return false;
  return CATALOG_ID.test(value) || RANKED_ID.test(value);
}

export function isNamespace(value: unknown): value is string {
  return typeof value === "string" && NAMESPACE.test(value);
}

/** The name of a stream of records, as far as a log takes it: one that is longer, or has other characters, stays out. */
export function isStreamName(value: unknown): value is string {
  return typeof value === "string" && STREAM_NAME.test(value);
}

/** The id of a grant or of a package of them, which an operator revokes by it; it opens nothing. */
export function isGrantId(value: unknown): value is string {
  return typeof value === "string" && GRANT_ID.test(value);
}

/** Words of letters in one case, joined by `_`: no digit, so that nothing drawn at random passes for a code. */
export function isErrorCode(value: unknown): value is string {
  return typeof value === "string" && value.length <= ERROR_CODE_MAX_CHARS && ERROR_CODE.test(value);
}

/** The first digits of a hash over a session's id. A session's id itself opens the session and is not of this form. */
export function isSessionDigest(value: unknown): value is string {
  return typeof value === "string" && SESSION_DIGEST.test(value);
}

/** A path or a URI in the characters that URIs are written in (RFC 3986); a tool's id is one too. */
export function isPathName(value: unknown): value is string {
  return typeof value === "string" && value.length <= PATH_NAME_MAX_CHARS && PATH_NAME.test(value);
}

/** A path as a name: everything outside the characters of URIs percent-encoded; null where that is too long or no text. */
export function pathName(path: string): string | null {
  // A lone surrogate has no UTF-8, and `encodeURI` throws at it. A path too long as it is grows no shorter.
  if (path.length > PATH_NAME_MAX_CHARS || /\p{Surrogate}/u.test(path)) return null;
  const name = encodeURI(path);
  return isPathName(name) ? name : null;
}

/** A JSON-RPC id that may be recorded as it is. Any other text is a client's own, and is recorded by a digest of it. */
export function isRecordedRequestId(value: unknown): value is string | number {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value === "string" && value.length <= EVENT_REQUEST_ID_MAX_CHARS && REQUEST_ID.test(value);
}
