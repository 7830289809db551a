/**
 * Every bound of the system, with its unit in the name and the reason for the number. A section a room.
 */

// ── http ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The MCP SDK's own default for a request; arguments beyond it belong in a file, not in a call. */
export const REQUEST_BODY_MAX_BYTES = 4 * 1024 * 1024;
/** What a development machine reads of a body that was refused: past it the connection may as well break. */
export const DRAIN_MAX_BYTES = 64 * 1024 * 1024;
/** One POST must not queue more work than a person would start at once. */
export const REQUEST_BATCH_MAX_COUNT = 10;

// ── config ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Enough cards to choose from, few enough to read: about 500 tokens. */
export const BROWSE_TOP_K_DEFAULT = 10;
/** A page that still costs a model less than one large tool definition set. */
export const BROWSE_TOP_K_MAX = 50;
/** A tool that has not answered within this time has usually lost its caller too. */
export const UPSTREAM_TIMEOUT_DEFAULT_MS = 30_000;
/** Clients give up on a request after at most ten minutes; waiting longer answers nobody. */
export const UPSTREAM_TIMEOUT_MAX_MS = 600_000;
/** Tool lists change with deployments, not with minutes. */
export const REFRESH_INTERVAL_DEFAULT_SECONDS = 300;
/** Below this a refresh could outlast its own interval. */
export const REFRESH_INTERVAL_MIN_SECONDS = 30;
/** Seed 000 §4.4's generous defaults: real schemas stay far below all three. */
export const SCHEMA_MAX_BYTES_DEFAULT = 65_536;
export const SCHEMA_MAX_DEPTH_DEFAULT = 32;
export const SCHEMA_MAX_PROPERTIES_DEFAULT = 512;

// ── identity ────────────────────────────────────────────────────────────────────────────────────────────────────

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

// ── tokens ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The tokenizer's merge is quadratic in an unbroken run; at 256 units a run costs milliseconds, and no word is longer. */
export const TOKENIZER_RUN_MAX_CODE_UNITS = 256;
/** The longest entry of cl100k_base (128 spaces): a text of more bytes than this times n has more than n tokens. */
export const TOKENIZER_TOKEN_MAX_BYTES = 128;
/** Slices a counter remembers: what the probes of one truncation share, in at most 128 KiB. */
export const TOKENIZER_MEMO_MAX_COUNT = 256;

// ── catalog: cards ──────────────────────────────────────────────────────────────────────────────────────────────

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

// ── routing ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Longer words are encodings or noise; their beginning still tells them apart. */
export const ROUTING_TERM_MAX_CHARS = 64;
/** Twice the longest legal tool name, so that every real name is read whole. */
export const ROUTING_NAME_MAX_CHARS = 256;
/** A name of 128 characters holds fewer words than this. */
export const ROUTING_NAME_MAX_TOKENS = 64;
/** A first sentence longer than this is no summary any more. */
export const ROUTING_LEAD_MAX_CHARS = 400;
/** Longest real descriptions are manuals of about this size; what says what a tool does stands at the beginning. */
export const ROUTING_DESCRIPTION_MAX_CHARS = 16_384;
/** About four pages of prose: a megabyte of words cannot buy a tool more postings than this. */
export const ROUTING_DESCRIPTION_MAX_TOKENS = 1_024;
/** All parameters of a tool together, names and descriptions counted apart. */
export const ROUTING_PARAMETERS_MAX_CHARS = 16_384;
export const ROUTING_PARAMETERS_MAX_TOKENS = 1_024;
/** Schema nodes looked at for parameters; four times the properties that a healthy schema may have. */
export const ROUTING_SCHEMA_MAX_NODES = 2_048;
/** A whole task description fits; what follows cannot make the question clearer. */
export const ROUTING_QUERY_MAX_CHARS = 4_096;
/** Words of a query that are looked up: the work of a browse ends here however long the question is. */
export const ROUTING_QUERY_MAX_TERMS = 128;

// ── glob ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Longer than any tool id (240 characters), so every id can be named whole. */
export const GLOB_MAX_CHARS = 256;

// ── access ──────────────────────────────────────────────────────────────────────────────────────────────────────

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

// ── principal ───────────────────────────────────────────────────────────────────────────────────────────────────

/** A working day and the night after it. The expiry is sealed in the id, so it does not slide. */
export const SESSION_LIFETIME_SECONDS = 86_400;
/** Some clients open a session for every call, so the oldest give way; real side-by-side use stays far below. */
export const SESSIONS_LIVE_MAX_COUNT = 1000;
/** An ended id is remembered until it expires; at this many (about 1 MB) the oldest merely read as unknown. */
export const SESSIONS_ENDED_MAX_COUNT = 10_000;
/** Making room costs a scan, so it is made for this many sessions at once. */
export const SESSIONS_EVICTION_COUNT = 100;
/** Fifty full pages of ten; beyond it a model's context holds more cards than it reads. */
export const SEEN_CARDS_MAX_COUNT = 512;
/** 512 cards at the usual 500 bytes; six times this (all escaped) still fits the platform's 2 MB row. */
export const SEEN_CARDS_MAX_BYTES = 262_144;
/** One `admit` can arrange the largest path listing: a catalog's namespaces. */
export const ADMIT_CARDS_MAX_COUNT = 10_000;
/** A name or hash that the Worker chose: a token id, a session key, an upstream with its credential's hash. */
export const ADMIT_KEY_MAX_CHARS = 256;
/** Upstreams asked for in one call, and remembered for one principal; no configuration has more servers. */
export const UPSTREAM_SESSIONS_MAX_COUNT = 256;
/** Most servers forget an idle session within a day; a stale id costs one refused request. */
export const UPSTREAM_SESSION_LIFETIME_SECONDS = 86_400;
/** The pointer is at most minutes behind, so after a day no isolate can hold an older catalog. */
export const NEWEST_GENERATION_LIFETIME_SECONDS = 86_400;
/** Catalogs of differently configured deployments that one principal meets during roll-outs. */
export const NEWEST_GENERATIONS_MAX_COUNT = 8;
/** Expired rows are refused when read, so sweeping is only housekeeping, and an alarm costs a written row. */
export const SWEEP_INTERVAL_SECONDS = 3600;

// ── schema ──────────────────────────────────────────────────────────────────────────────────────────────────────

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
/** Units of one validation, a few microseconds each: a schema applied to a value, or eight members it looks at. */
export const VALIDATION_WORK_MAX_UNITS = 250_000;
/** A model mends a few mistakes at a time, and the schema stands beside them. */
export const ARGUMENT_ERRORS_MAX_COUNT = 16;
/** Keys are the caller's own words: enough to find the member, not enough to fill an answer. */
export const ARGUMENT_ERROR_PATH_MAX_CHARS = 256;
/** Compiled schemas an isolate keeps; a busy team uses a few dozen tools in an hour. */
export const VALIDATOR_CACHE_MAX_ENTRIES = 256;
/** Source bytes of all cached schemas together; compiled they take some ten times that of the 128 MB heap. */
export const VALIDATOR_CACHE_MAX_BYTES = 1024 * 1024;
/** CONTRACTS "Errors": what one wrong guess may cost to teach. */
export const COMPACT_SCHEMA_MAX_TOKENS = 300;
/** One sentence on a parameter; the rest is the tool's manual. */
export const COMPACT_DESCRIPTION_MAX_CHARS = 120;
/** Levels of nested parameters shown at all. */
export const COMPACT_SCHEMA_MAX_DEPTH = 6;
/** Members looked at for the rendering; far more than 300 tokens can name. */
export const COMPACT_SCHEMA_MAX_NODES = 2_048;

// ── upstream ────────────────────────────────────────────────────────────────────────────────────────────────────

/** One JSON answer, or one event of a stream, held in memory: an isolate has 128 MB for all its requests. */
export const UPSTREAM_ANSWER_MAX_BYTES = 4 * 1024 * 1024;
/** All that is read of one answer, held or drained: past it the connection is dropped and the end stays unknown. */
export const UPSTREAM_STREAM_MAX_BYTES = 64 * 1024 * 1024;
/** Foreign answers in memory at one time, all calls and listings of the isolate together: a fifth of its 128 MB. */
export const UPSTREAM_BUFFERS_MAX_BYTES = 24 * 1024 * 1024;
/** After its deadline an operation only has promises to settle; one that is not over then was stopped by the runtime. */
export const UPSTREAM_BUFFERS_GRACE_MS = 1_000;
/** The first piece of memory for an answer: most are smaller, and a larger one takes twice the last piece each time. */
export const UPSTREAM_BUFFER_PIECE_BYTES = 1_024;
/** Enough of an error page for a JSON-RPC error and for the log. */
export const UPSTREAM_ERROR_BODY_MAX_BYTES = 16 * 1024;
/** The status is known already; a body that drips does not hold up what it means. */
export const UPSTREAM_ERROR_BODY_MAX_MS = 1_000;
/** The MCP SDK's own number, and one less than most browsers' patience by far. */
export const UPSTREAM_REDIRECT_MAX_HOPS = 5;
/** Pings and refused questions answered in one operation: each answer is a request of ours, which a server must not multiply. */
export const UPSTREAM_SERVER_REQUEST_MAX_COUNT = 32;
/** 500 pages of the usual 50 hold more tools than a catalog may. */
export const UPSTREAM_LIST_MAX_PAGES = 500;
/** Twice the largest catalog that the design speaks of. */
export const UPSTREAM_LIST_MAX_ITEMS = 20_000;
/** 20,000 tools of 800 bytes; under the 24 MiB of buffers that an isolate may hold. */
export const UPSTREAM_LIST_MAX_BYTES = 16 * 1024 * 1024;
/** Session ids are UUIDs or signed tokens; a longer one is a payload in every later request's headers. */
export const UPSTREAM_SESSION_ID_MAX_CHARS = 1_024;
/** Ending a session is a courtesy to the upstream, outside the operation's own deadline. */
export const UPSTREAM_SESSION_END_MAX_MS = 2_000;
/** A day: a longer wait is an outage, not a pause. */
export const UPSTREAM_RETRY_AFTER_MAX_SECONDS = 86_400;
/** Longer addresses do not pass common proxies. */
export const UPSTREAM_URL_MAX_CHARS = 2_048;
/** Seed 000 §3.4: what a message may cost a model, the ellipsis included. */
export const UPSTREAM_MESSAGE_MAX_CODE_POINTS = 256;
/** The longest delay a timer takes; a longer one would fire at once. */
export const UPSTREAM_DEADLINE_MAX_MS = 2_147_483_647;
/**
 * How much of a foreign text a failure's detail holds: whatever is read of an error page. The log cuts it further once it is
 * scrubbed; a cut made before that would leave half a secret standing.
 */
export const UPSTREAM_DETAIL_MAX_CHARS = 17 * 1024;

// ── catalog: paths ──────────────────────────────────────────────────────────────────────────────────────────────

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

// ── gateway ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** The design's promise: what a model pays to have the gateway's tools in view, whatever the catalog. */
export const TOOLS_LIST_MAX_TOKENS = 600;
/** What names of namespaces may add to `tools/list`; the fixed definitions take the rest of its budget, with a margin. */
export const TOOLS_LIST_NAMESPACES_MAX_TOKENS = 200;
/** The design's promise: what it costs to learn that nothing matched. */
export const BROWSE_EMPTY_MAX_TOKENS = 200;
/** The tokens of an empty answer's own words in the longer of its two renders, with a generation of 15 digits. */
export const BROWSE_EMPTY_FRAME_TOKENS = 20;
/** Namespaces named where nothing matched: enough to see what kind of catalog it is. */
export const BROWSE_NAMESPACES_MAX_COUNT = 20;
/** Near misses offered for an unknown id: a choice, not a listing. */
export const DID_YOU_MEAN_MAX_COUNT = 3;
/** An error names what was asked for, which may be anything: longer than every legal id, and no payload. */
export const ERROR_PATH_MAX_CHARS = 256;

// ── firewall ────────────────────────────────────────────────────────────────────────────────────────────────────

/** A page of text: below it a summary and a second call cost a model more than they save. */
export const INLINE_MAX_TOKENS = 1_000;
/** Eight bytes a token: prose and code have three to five, so only what an estimate of tokens got wrong meets this bound. */
export const INLINE_TEXT_MAX_BYTES = 8 * INLINE_MAX_TOKENS;
/** What one answer shows beside its text, as JSON: an image at its own bound, in base64, and half as much again. */
export const ANSWER_PARTS_MAX_BYTES = 524_288;
/** The upstream's `_meta`, and what kept parts say beside their bytes: trace ids and addresses; no model sees either. */
export const RESULT_META_MAX_BYTES = 16_384;
/** The name of an artifact in the envelope: most addresses fit. */
export const ARTIFACT_LABEL_MAX_CODE_POINTS = 200;
/** The same where a model reads it, for up to 32 artifacts in a row. */
export const ARTIFACT_NAME_SHOWN_MAX_CODE_POINTS = 80;
/** An image of a screen as PNG; larger ones are photographs, which models are shown scaled down. */
export const INLINE_BINARY_MAX_BYTES = 262_144;
/** Seed 001: what stands for a large text, its mark of a cut included. */
export const SUMMARY_MAX_CODE_POINTS = 500;
/** What is shown of a text that could not be kept, in place of a handle. */
export const UNKEPT_TEXT_MAX_CODE_POINTS = 4_000;
/** Artifacts of one result; each is a write that the answer waits for. */
export const RESULT_ARTIFACTS_MAX_COUNT = 32;
/** Nesting of a result: serialisers and clients recurse, and nothing a tool means to say is this deep. */
export const RESULT_MAX_DEPTH = 256;
/** Seed 001: facts are a glance at structured content. */
export const FACTS_MAX_COUNT = 20;
/** Seed 001: a longer value is content, not a fact. */
export const FACT_MAX_CHARS = 200;
/** The longest registered media types are half of this; it is written in lines that models read. */
export const MEDIA_TYPE_MAX_CHARS = 127;
/** A week: long enough to come back to a conversation, short enough to be no archive. */
export const ARTIFACT_LIFETIME_SECONDS = 7 * 86_400;
/** Entries of a text's line index: a few kilobytes, half of what R2 keeps beside an object. */
export const LINE_INDEX_MAX_COUNT = 256;
/** Distance of two entries: as much again as an answer may hold, so a view by lines reads twice what it shows. */
export const LINE_INDEX_STEP_BYTES = 16_384;
/** CONTRACTS "View": one answer of `tool_view`. */
export const VIEW_MAX_BYTES = 16_384;
/** Base64 makes four characters of three bytes, and the answer has the same bound. */
export const VIEW_BINARY_MAX_BYTES = 12_288;
/** CONTRACTS "View object". */
export const VIEW_HEAD_DEFAULT_CHARS = 500;
/** CONTRACTS "View object". */
export const VIEW_BYTES_DEFAULT_BYTES = 4_096;
/** What the line of a kept text proposes to read. */
export const VIEW_LINES_PROPOSED_COUNT = 100;

// ── principal: artifacts ────────────────────────────────────────────────────────────────────────────────────────

/** Rows of one principal, a few kilobytes each at most; what has no row any more is still found by its handle. */
export const ARTIFACT_ROWS_MAX_COUNT = 2_000;
/** Making room costs a scan, so it is made for this many rows at once. */
export const ARTIFACT_ROWS_EVICTION_COUNT = 100;
/** Artifacts that one call asks about. */
export const ADMIT_ARTIFACTS_MAX_COUNT = 16;
/** A line index as text, with room to spare. */
export const ARTIFACT_INDEX_MAX_CHARS = 8_192;

// ── scrub ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** A shorter value is a port or a flag that also stands in ordinary text; nothing so short keeps a secret. */
export const SCRUB_SECRET_MIN_CHARS = 6;
/** Escapes taken off a text to find secrets: JSON quoted inside JSON, and a URL or a page inside that. */
export const SCRUB_ESCAPE_LAYERS_COUNT = 3;
/** Deeper than any result or definition that is accepted (256); what walks a value recurses this deep. */
export const SCRUB_MAX_DEPTH = 320;
/** One record of the log: a stack, or a quoted error page, and far below what the platform's log takes. */
export const LOG_RECORD_MAX_CHARS = 4_096;

// ── catalog: ingest, snapshot, refresh, reader ──────────────────────────────────────────────────────────────────

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
/** The snapshot in use and the one before it, or another configuration's during a roll-out. */
export const SNAPSHOTS_CACHED_MAX_COUNT = 2;
/** Tools in the parts of trees that are kept for bearers who see part of a namespace: some megabytes, a snapshot. */
export const VISIBLE_TREES_CACHED_MAX_COUNT = 20_000;
/** Source bytes of the parsed shards an isolate keeps; as objects they take some five times that. */
export const SHARDS_CACHED_MAX_BYTES = 4 * 1024 * 1024;
/** A page of the operator's catalog listing: about half a megabyte. */
export const CATALOG_PAGE_MAX_COUNT = 1_000;
/** Immutable values are cached at the edge for a day. */
export const CATALOG_VALUE_CACHE_SECONDS = 86_400;

// ── dispatch ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The protocol knows five hints; a server may have a few of its own. */
export const DRY_RUN_ANNOTATIONS_MAX_COUNT = 16;
/** A title, at most. */
export const DRY_RUN_ANNOTATION_MAX_CHARS = 128;
