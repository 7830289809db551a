/** The protocol knows five hints; a server may have a few of its own. */
export const DRY_RUN_ANNOTATIONS_MAX_COUNT = 16;
/** A title, at most. */
export const DRY_RUN_ANNOTATION_MAX_CHARS = 128;
/** 128 bits of a policy rule's content, in hex: an approval holds on to it for as long as the rule stays as it is. */
export const POLICY_RULE_HASH_CHARS = 32;
/** A third of the isolate's room for buffers; a team's reference data, not its archive. */
export const RESULT_CACHE_MAX_BYTES = 8 * 1024 * 1024;
/** One answer may displace this share of all others, no more. */
export const RESULT_CACHE_ENTRY_MAX_SHARE = 1 / 8;
/** What an answer costs besides its own bytes: its key of 64 characters, its place in the map, its times. */
export const RESULT_CACHE_ENTRY_OVERHEAD_BYTES = 256;
/** A question this long is hardly asked twice, and writing it in order costs more than it spares. */
export const CACHED_ARGUMENTS_MAX_CHARS = 65_536;
