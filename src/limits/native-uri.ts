// native-uri
/** Templates of other servers, or resources, that one URI or template is held against; with more it counts as contested. */
export const CONTEST_CANDIDATES_MAX_COUNT = 64;
/** Steps of matching for one of them: 64 templates of five variables against 100 characters take 32,000. */
export const CONTEST_STEPS_MAX_COUNT = 50_000;
/** No `_meta` of use is deeper; what lies below stays as it is. */
export const LINK_META_DEPTH_MAX_COUNT = 32;
/** Values looked at in the `_meta` of one result; a page of links with theirs takes hundreds. */
export const LINK_META_VALUES_MAX_COUNT = 10_000;
/** Sets of scopes for which an isolate remembers who has which URIs, of one catalog. */
export const URI_OWNERS_CACHED_MAX_COUNT = 16;
/** Of one page of a native list, as JSON: definitions may be large, and a page is one message. */
export const NATIVE_PAGE_MAX_CHARS = 1_048_576;
/** MCP 2025-11-25, "Completion": at most so many values. */
export const COMPLETION_VALUES_MAX_COUNT = 100;
/** A completion that comes later than this is for a word that was typed on long ago. */
export const COMPLETION_TIMEOUT_MS = 5_000;
/** Of one value, which stands in a line of a picker. */
export const COMPLETION_VALUE_MAX_CHARS = 2_048;
