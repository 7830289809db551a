/** Beyond the configured limits a schema is flagged; beyond this it is never read. The largest real one is a tenth. */
export const SCHEMA_CEILING_BYTES = 1024 * 1024;
/** Four times the flagged depth; nothing a person writes nests like this. */
export const SCHEMA_CEILING_DEPTH = 128;
/** One megabyte of JSON with the few bytes a node that a real schema has. */
export const SCHEMA_CEILING_NODES = 65_536;
/** Values of one `enum`: a longer list is a table, and every call would compare against all of it. */
export const SCHEMA_ENUM_MAX_VALUES = 4_096;
/** Schemas applied to one value one inside another (`$ref`, `allOf` …): what keeps the validator's stack flat. */
export const SCHEMA_MAX_CHAIN = 64;
/** Ways through `anyOf`, `allOf`, `oneOf` and `$ref` for one value; doubling twenty times is an attack. */
export const SCHEMA_MAX_BRANCHES = 100_000;
/** Findings kept of one schema; the first ones say what is wrong with it. */
export const SCHEMA_FINDINGS_MAX_COUNT = 32;
/** States of one compiled pattern: room for `^.{1,2000}$`, none for nested counted repetition. */
export const PATTERN_MAX_STATES = 8_192;
/** States of all patterns of one schema: a few megabytes of heap. */
export const SCHEMA_PATTERNS_MAX_STATES = 32_768;
/** States written while compiling one schema's patterns, those of patterns that then prove too large included: some ten milliseconds. */
export const PATTERN_COMPILE_MAX_STATES = 131_072;
/** What `\p{…}` counts as in states: the engine takes up to a tenth of a millisecond to look one up, on every compilation. */
export const PATTERN_PROPERTY_ESCAPE_STATES = 512;
/** What a class counts as in states: each has an expression of the engine's own. */
export const PATTERN_CLASS_STATES = 16;
/** Steps that a match takes before its first: setting up its memory. */
export const PATTERN_MATCH_MIN_STEPS = 16;
/** Addresses are read again for every reference relative to them; real ones are a twentieth. */
export const SCHEMA_URI_MAX_CHARS = 2_048;
/** The longest real patterns (addresses, dates, versions) are a tenth of this. */
export const PATTERN_MAX_CHARS = 4_096;
/** Groups inside groups; the parser's own stack. */
export const PATTERN_MAX_GROUP_DEPTH = 64;
/** States times positions remembered by one match: four megabytes of bits. */
export const PATTERN_MAX_VISITED_BITS = 32 * 1024 * 1024;
/** Matcher steps of one validation, at some ten nanoseconds each. */
export const PATTERN_WORK_MAX_STEPS = 10_000_000;
/** Arguments deeper than this are data, and belong in a string; three validator frames a level fit the stack. */
export const ARGUMENTS_MAX_DEPTH = 128;
/** Six thousand rows of ten columns. */
export const ARGUMENTS_MAX_NODES = 65_536;
/** Half a request: more than a model writes in one call, and a file of a megabyte and a half in base64. Larger ones belong behind an address. */
export const ARGUMENTS_MAX_BYTES = 2 * 1024 * 1024;
/** Above the 767 digits that a double can have; arithmetic on longer numbers is no longer cheap. */
export const ARGUMENT_NUMBER_MAX_CHARS = 1_024;
/** Characters of all places of one validation's failures, kept while the first few are chosen. */
export const FAILURE_LOCATIONS_MAX_CHARS = 4 * 1024 * 1024;
/** Units of one validation, a few microseconds each: a schema applied to a value, or eight members it looks at. */
export const VALIDATION_WORK_MAX_UNITS = 250_000;
/** Of those, what explaining a refusal may take beside: each failure kept is some hundred bytes, and the first pass keeps its own. */
export const EXPLANATION_WORK_MAX_UNITS = 50_000;
/** A model mends a few mistakes at a time, and the schema stands beside them. */
export const ARGUMENT_ERRORS_MAX_COUNT = 16;
/** Keys are the caller's own words: enough to find the member, not enough to fill an answer. */
export const ARGUMENT_ERROR_PATH_MAX_CHARS = 256;
/** Compiled schemas an isolate keeps; a busy team uses a few dozen tools in an hour. */
export const VALIDATOR_CACHE_MAX_ENTRIES = 256;
/** Source bytes of all cached schemas together; compiled they take some ten times that of the 128 MB heap. */
export const VALIDATOR_CACHE_MAX_BYTES = 1024 * 1024;
/** What a compiled pattern's state counts as among the bytes of cached schemas, by the same factor. */
export const PATTERN_STATE_BYTES = 8;
/** CONTRACTS "Errors": what one wrong guess may cost to teach. */
export const COMPACT_SCHEMA_MAX_TOKENS = 300;
/** One sentence on a parameter; the rest is the tool's manual. */
export const COMPACT_DESCRIPTION_MAX_CHARS = 120;
/** Levels of nested parameters shown at all. */
export const COMPACT_SCHEMA_MAX_DEPTH = 6;
/** Members looked at for the rendering; far more than 300 tokens can name. */
export const COMPACT_SCHEMA_MAX_NODES = 2_048;
