/** A secret in hexadecimal has 128 bits at this length; anything shorter can be guessed off line from one bearer. */
export const KEY_SECRET_MIN_BYTES = 32;
/** What the platform allows a secret to hold. */
export const KEY_SECRET_MAX_BYTES = 5120;
/** One entry a configuration; a second and third live only while a rotation is rolled out. */
export const KEYRING_CACHE_MAX_ENTRIES = 4;
/** Half of what common HTTP servers accept for all headers together; checked before any other work. */
export const BEARER_MAX_CHARS = 4096;
/** Room for an e-mail address (254 bytes) or a service's path. */
export const PRINCIPAL_MAX_BYTES = 256;
/** More scopes than this is a policy, which belongs in the configuration; they travel in every request. */
export const SCOPES_MAX_COUNT = 32;
/** A year: long enough to live in a client's configuration file, short enough that forgotten bearers end. */
export const TOKEN_LIFETIME_DEFAULT_SECONDS = 365 * 86_400;
/** A revocation is remembered until its token's expiry, so no token lives for ever. */
export const TOKEN_LIFETIME_MAX_SECONDS = 5 * 365 * 86_400;
/** A label for people, in one line of a listing. */
export const TOKEN_NAME_MAX_CHARS = 128;
/** A listing fits one answer; a team with more tokens than this revokes by id. */
export const TOKENS_LISTED_MAX_COUNT = 1000;

/** A person answers a handful of requests; a principal with more than this waiting should not be heard above the others. */
export const APPROVALS_PER_PRINCIPAL_MAX_COUNT = 32;
/** A page of a list with their arguments is under half a megabyte. */
export const APPROVALS_PAGE_MAX_COUNT = 100;
/** Ids are the Worker's own, and far shorter; what is longer is none. */
export const APPROVAL_ID_MAX_CHARS = 128;
