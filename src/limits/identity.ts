/** Seed 000 §1.1: 235 of them are the longest its parts can make, so this only stops a scan of something absurd early. */
export const TOOL_ID_MAX_CHARS = 240;
/** Seed 000 §1.1. */
export const NAMESPACE_MAX_CHARS = 64;
/** Seed 000 §1.1: the longest tool names that MCP itself recommends. */
export const TOOL_NAME_MAX_CHARS = 128;
/** Seed 000 §1.1: room for a semantic version with a pre-release tag. */
export const TOOL_VERSION_MAX_CHARS = 32;
/** What model APIs accept as the name of a tool. */
export const LISTED_NAME_MAX_CHARS = 64;
/** 128 bits: an upstream that searches for two ids with one listed name needs 2^64 tries. In hex. */
export const LISTED_NAME_DIGEST_HEX_CHARS = 32;
