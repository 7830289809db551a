/** Seed 000 §2.3: what a card line is cut to, so that ten cards cost about 600 tokens. */
export const CARD_LINE_TARGET_TOKENS = 60;
/** Seed 000 §2.3: a line that stays above costs the tool its place in the catalog. */
export const CARD_LINE_HARD_TOKENS = 80;
/** Seed 000 §2.3: what a browse may cost beside its lines (notes, flags, line ends). */
export const BROWSE_PREAMBLE_TOKENS = 32;
/** Seed 000 §2.1: a display name, not an identity; the id carries the whole name. */
export const CARD_NAME_MAX_CODE_POINTS = 64;
/** Seed 000 §2.1: more tags than this describe nothing a description would not. */
export const CARD_MAX_TAGS_COUNT = 5;
/** Seed 000 §2.1: a tag is a word, not a sentence. */
export const CARD_TAG_MAX_CODE_POINTS = 24;

/** Seed 000 §3.2: one segment of a path. */
export const PATH_SEGMENT_MAX_CHARS = 64;
/** Longer texts are no slip of the pen, so no repair of them is offered. */
export const PATH_REPAIR_MAX_CHARS = 256;
/** What a wrong path is answered with: a choice, not a listing. */
export const PATH_SUGGESTIONS_MAX_ITEMS = 5;
/** Few enough to read at a glance; the number of seed 000's original. */
export const TREE_NODE_MAX_CHILDREN = 20;
/** The path of a navigation line: a card line's hard bound less what ` — 999999 tools` costs, and one. */
export const NAVIGATION_PATH_MAX_TOKENS = 74;
/** A cluster with less room than this for its name is a number. */
export const TREE_LABEL_MIN_TOKENS = 4;
/** Topics inside topics; below this names are told apart by the alphabet, which always ends. */
export const TREE_TOPIC_MAX_DEPTH = 4;
/** Tools an alphabetic range aims at: under the most a node lists, so that its ends can move to where names differ. */
export const TREE_RANGE_TARGET_ITEMS = 14;
/** Two ends of a range and the dash between them make a legal segment. */
export const TREE_RANGE_END_MAX_CHARS = 31;
/** The longest name part of a tool id (seed 000 §1.1). */
export const TREE_NAME_MAX_CHARS = 128;
/** Later words of a name tell no topic any more; it bounds the work on a hostile one. */
export const TREE_NAME_MAX_WORDS = 12;
/** Failures of the validator that are looked at to explain a refusal; the first few decide what is said. */
export const VALIDATION_FAILURES_MAX_COUNT = 4_096;

/** One definition as JSON: under the platform's 2 MB row, above the largest schema that is ever read. */
export const DEFINITION_MAX_BYTES = 1_572_864;
/** Twice the schema ceiling, so that the schema's own finding speaks first; what walks a definition recurses this deep. */
export const DEFINITION_MAX_DEPTH = 256;
/** Four times the schema ceiling: a definition holds two schemas and little else. */
export const DEFINITION_MAX_NODES = 262_144;
/** One stored row, under the platform's 2 MB, which local runs do not enforce. */
export const CATALOG_ROW_MAX_BYTES = 1_900_000;
/** A value too long for one row is kept in pieces of this size. */
export const CATALOG_ROW_CHUNK_BYTES = 1_048_576;
/** Cards, lines and index entries of all tools: 2 KiB each for 10,000 tools, and the snapshot stays under KV's 25 MiB. */
export const CATALOG_ENTRIES_MAX_BYTES = 20 * 1024 * 1024;
/** A KV value is at most 25 MiB. */
export const CATALOG_VALUE_MAX_BYTES = 24 * 1024 * 1024;
/** Definitions of all tools: 10,000 of 9 KiB; in the smallest shards, 768 writes of the 1,000 that one run may make. */
export const CATALOG_DEFINITIONS_MAX_BYTES = 96 * 1024 * 1024;
/** A shard ends after this at the earliest, so that a large catalog has few hundred. */
export const SHARD_MIN_BYTES = 131_072;
/** A shard ends before this at the latest (a larger definition stands alone): parsing one costs milliseconds. */
export const SHARD_MAX_BYTES = 524_288;
/** One id in so many ends a shard, so that a tool more or less moves the ends of one or two shards only. */
export const SHARD_CUT_ONE_IN_COUNT = 16;
/** A foreign name in a report: the longest legal one. */
export const REPORT_NAME_MAX_CODE_POINTS = 128;
/** Entries of one kind in one server's report; the rest is counted. */
export const REPORT_ENTRIES_MAX_COUNT = 500;
/** The platform opens six connections at once; one is left for KV. */
export const REFRESH_SERVERS_AT_ONCE_COUNT = 5;
/** Refreshes that nobody ordered by hand are answered from the last one for this long. */
export const REFRESH_COALESCE_MS = 10_000;
/** How soon a publication that failed half-way is tried again. */
export const REFRESH_RETRY_MS = 30_000;
/** A generation that has been replaced is kept this long: isolates that still read it look again within a minute. */
export const GENERATION_KEPT_MS = 86_400_000;
/** What a configuration nobody asks for any more leaves behind is kept for a roll-back this long. */
export const CONFIG_KEPT_MS = 7 * 86_400_000;
/** Configurations known at once: a roll-out has two. */
export const CONFIGS_MAX_COUNT = 8;
/** A configuration's text: the platform's largest variable is 5 KB, a bundled file rarely 100. */
export const CONFIG_TEXT_MAX_CHARS = 1_048_576;
/** Old KV values deleted by one run, beside its writes and within its 1,000 operations. */
export const CATALOG_DELETES_PER_RUN_COUNT = 100;
/** Old rows deleted by one run. */
export const CATALOG_ROWS_PER_RUN_COUNT = 1_000;
/** How old the pointer's last look may be before it is looked at again, behind the answer: KV's shortest cache. */
export const POINTER_LOOK_MS = 30_000;
/** Listing one server, whatever its calls may take: below the wait of a first use, or one that hangs spoils it for all. */
export const REFRESH_LISTING_MAX_MS = 20_000;
/** How long a first use waits for the first refresh; clients commonly wait a minute. */
export const FIRST_REFRESH_WAIT_MS = 25_000;
/** Reads of a KV value before the object is asked for it. */
export const CATALOG_READ_ATTEMPTS_COUNT = 2;
/** Of each kind: the snapshot in use and the one before it, or another configuration's during a roll-out. */
export const SNAPSHOTS_CACHED_MAX_COUNT = 2;
/** Tools in the parts of trees that are kept for bearers who see part of a namespace: some megabytes, a snapshot. */
export const VISIBLE_TREES_CACHED_MAX_COUNT = 20_000;
/** Sets of scopes whose visible tools an isolate keeps for each snapshot: a byte a tool, 640 kB at 10,000. */
export const VISIBLE_SETS_CACHED_MAX_COUNT = 64;
/** Whether two snapshots differ for a set of scopes, three kinds each: as many sets as are kept, and a few refreshes. */
export const VISIBLE_CHANGES_CACHED_MAX_COUNT = 512;
/** Source bytes of the parsed shards an isolate keeps; as objects they take some five times that. */
export const SHARDS_CACHED_MAX_BYTES = 4 * 1024 * 1024;
/** A page of the operator's catalog listing: about half a megabyte. */
export const CATALOG_PAGE_MAX_COUNT = 1_000;
/** Immutable values are cached at the edge for a day. */
export const CATALOG_VALUE_CACHE_SECONDS = 86_400;
/** One letter of a shorter name makes it another name; also the letters that plurals may add to a name's words. */
export const SIMILAR_SLIP_MIN_CHARS = 4;
/** Two slips leave most of a name this long; in a shorter one they join strangers (`read_file`, `send_file`). */
export const SIMILAR_TWO_SLIPS_MIN_CHARS = 10;
/** A shorter beginning is a verb's at best. */
export const SIMILAR_PREFIX_MIN_CHARS = 3;
/** A name that was asked for with something behind it: a shorter one begins too many texts. */
export const SIMILAR_ADDITION_MIN_CHARS = 5;
/** Tools put into a snapshot at one stretch: a few milliseconds, then others may have a turn. */
export const SNAPSHOT_TOOLS_PER_STEP_COUNT = 512;
/** Definitions hashed at one stretch: a few milliseconds, and their texts are let go again. */
export const DEFINITIONS_HASHED_AT_ONCE_COUNT = 256;
/** Of a listing's texts hashed as one: more are hashed apart, so that no second copy of a large listing is in memory. */
export const LISTING_STRETCH_MAX_CHARS = 1_048_576;
/** Definitions judged at one stretch: lint, card and tokens of each cost some milliseconds, and a stretch under a hundred. */
export const DEFINITIONS_JUDGED_AT_ONCE_COUNT = 16;
/** Targets of one server that are known by their generation: edits of its address over years. An older one begins anew. */
export const TARGETS_KEPT_MAX_COUNT = 32;
/** Candidates of one server that are known not to answer: two for each configuration that is kept. */
export const REJECTIONS_KEPT_MAX_COUNT = 16;
/** The longest tool id behind its kind (`resource::`) and before its place among equal ones (`~10000`), and some room. */
export const CATALOG_ID_MAX_CHARS = 264;
/** A stripped entry of the proxy's list, as JSON: a thousand tools for 80,000 tokens. */
export const LISTED_ENTRY_MAX_TOKENS = 80;
/** A resource's URI or template, or a prompt's name: what web servers accept of an address. A longer one costs its place. */
export const PRIMITIVE_NAME_MAX_CHARS = 8_192;
/** Addresses of a server that its block leaves out and a template could give, as JSON: a thousand and more, and a snapshot's small part. */
export const LEFT_OUT_MAX_BYTES = 128 * 1024;
/** What a line's arguments leave to its description: a few words that say what they are for. */
export const CARD_DESCRIPTION_ROOM_TOKENS = 12;
