/** Prose and code have three to five, so only what an estimate of tokens got wrong meets the bound in bytes. */
export const INLINE_BYTES_PER_TOKEN = 8;
/** JSON's quotes come to less than one a token, and the tabs and line ends of code to a half. */
export const INLINE_ESCAPES_PER_TOKEN = 2;
/** What one answer shows beside its text, as JSON: two images of a screen in base64. */
export const ANSWER_PARTS_MIN_BYTES = 524_288;
/** What a part says beside its payload, text parts' extras and foreign members: names and addresses are a tenth of it. */
export const PART_REST_MAX_BYTES = 8_000;
/** After the call's deadline its last bytes are written and given their handles: a few round trips. */
export const LARGE_SINKS_GRACE_MS = 30_000;
/** The upstream's `_meta`, and what kept parts say beside their bytes: trace ids and addresses; no model sees either. */
export const RESULT_META_MAX_BYTES = 16_384;
/** The name of an artifact in the envelope: most addresses fit. */
export const ARTIFACT_LABEL_MAX_CODE_POINTS = 200;
/** The same where a model reads it, for up to 32 artifacts in a row. */
export const ARTIFACT_NAME_SHOWN_MAX_CODE_POINTS = 80;
/** Seed 001: what stands for a large text, its mark of a cut included. */
export const SUMMARY_MAX_CODE_POINTS = 500;
/** What is shown of a text that could not be kept, in place of a handle. */
export const UNKEPT_TEXT_MAX_CODE_POINTS = 4_000;
/** Artifacts of one result; each is a write that the answer waits for. */
export const RESULT_ARTIFACTS_MAX_COUNT = 32;
/** Of a result that is a list of things of any length: each takes a line of 60 tokens, and the rest are one artifact. */
export const BUNDLED_ARTIFACTS_MAX_COUNT = 3;
/** A smaller one is not worth such a line. */
export const BUNDLED_ARTIFACT_MIN_BYTES = 512;
/** Pictures and other binary parts of such a result that stay: models pay for each, however small. */
export const BUNDLED_BINARIES_MAX_COUNT = 8;
/** All summaries of such a result: a structured one, and a short paragraph beside it. */
export const BUNDLED_SUMMARIES_MAX_TOKENS = 500;
/** The name of an artifact of such a result: most paths fit. */
export const BUNDLED_NAME_MAX_TOKENS = 24;
/** Nesting of a result: serialisers and clients recurse, and nothing a tool means to say is this deep. */
export const RESULT_MAX_DEPTH = 256;
/** Audiences and priorities of some fifty parts. */
export const ANNOTATIONS_MAX_CHARS = 4_000;
/** Of one answer's artifacts: the text, the structured content, and a resource. Of others the line tells name and size. */
export const SUMMARIES_MAX_COUNT = 3;
/** Seed 001: facts are a glance at structured content. */
export const FACTS_MAX_COUNT = 20;
/** Seed 001: a longer value is content, not a fact. */
export const FACT_MAX_CHARS = 200;
/** The longest registered media types are half of this; it is written in lines that models read. */
export const MEDIA_TYPE_MAX_CHARS = 127;
/** Lines of a text whose beginning is noted: ten characters each, little more than half of what may stand beside an object. */
export const LINE_INDEX_MAX_COUNT = 128;
/** Distance of two entries, doubled until they are few enough: as much again as an answer may hold. */
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
/** Rows are wider than lines: enough to see what they are. */
export const VIEW_ROWS_PROPOSED_COUNT = 10;
// view
/** The design's bound of one scan: a second or two of work, and a third of what an isolate may hold. */
export const VIEW_SCAN_MAX_BYTES = 8_388_608;
/** The design's bound for RFC 9535, whose queries need the whole document as a tree. */
export const VIEW_JSON_TREE_MAX_BYTES = 4_194_304;
/** Names of keys or columns in one selector: a table that is wider than this is read as it is. */
export const VIEW_NAMES_MAX_COUNT = 64;
/** Keys, or what `next` hands on, as JSON: a selector is a few lines, and every answer repeats it. */
export const VIEW_SELECTOR_MAX_CHARS = 2_048;
/** A query that people write has some dozen segments. */
export const VIEW_PATH_MAX_CHARS = 1_024;
/** A pattern that people write is a line. */
export const VIEW_PATTERN_MAX_CHARS = 512;
/** Half a page on either side of a match. */
export const VIEW_GREP_CONTEXT_MAX_COUNT = 20;
// artifacts
/** The design's end of an answer and of an artifact. */
export const ARTIFACT_MAX_BYTES = 67_108_864;
/** The same once secrets are taken out: a mark that says so is longer than a short secret. An eighth is a mark every 80 bytes. */
export const ARTIFACT_STORED_MAX_BYTES = ARTIFACT_MAX_BYTES + ARTIFACT_MAX_BYTES / 8;
/** R2's smallest part of a multipart upload, and its only size but for the last: what one upload holds in memory. */
export const ARTIFACT_PART_BYTES = 5_242_880;
/** The first piece of memory for a part, which grows fourfold three times: one only just too large for the answer fits. */
export const ARTIFACT_BUFFER_PIECE_BYTES = ARTIFACT_PART_BYTES / 64;
/** What is decoded, filtered and summarised in one go: a piece of any size comes in, and its text takes twice as much again. */
export const ARTIFACT_PASS_BYTES = 65_536;
/** By its beginning a blob of no known type is taken for a text: in so many bytes any other format has one that no text has. */
export const BLOB_JUDGED_BYTES = 1_024;
/** What is shown of a text that could not be kept, and one more by which a cut is seen. */
export const LARGE_HEAD_MAX_CODE_POINTS = 4_001;
/** Beside an object: R2 takes 8,192, but its local stand-in no more than this, and both must hold the longest index. */
export const ARTIFACT_METADATA_MAX_BYTES = 2_048;
/** One write a second is R2's bound for a key: half of it is enough for another's write to be seen. */
export const ARTIFACT_WRITE_RETRY_MS = 500;
/** R2's bound for one deletion. */
export const ARTIFACT_REMOVE_MAX_KEYS = 1_000;
// summary
/** What a kind is judged by: some hundred lines, or a few records of a wide table. */
export const SUMMARY_SNIFF_CHARS = 16_384;
/** A third of a page: shape, ranges and some examples have room, a dump has not. The marks of cuts are included. */
export const SUMMARY_STRUCTURED_MAX_CODE_POINTS = 1_200;
/** The same for scripts and data that take more tokens than English. */
export const SUMMARY_STRUCTURED_MAX_TOKENS = 400;
/** All that a summariser may hold while a text of any length goes by, at two bytes a character. */
export const SUMMARY_STATE_MAX_BYTES = 262_144;
/** What a paragraph is cut from; escape sequences that are dropped from it have room beside its 500 characters. */
export const SUMMARY_TEXT_HEAD_CHARS = 4_096;
/** Of a line: where logs have time and level, and headings their words. */
export const SUMMARY_LINE_HEAD_CHARS = 512;
/** Of a line, what is looked through for something that may stand anywhere in it: the longest request that web servers take. */
export const SUMMARY_LINE_JUDGED_CHARS = 8_192;
/** Views proposed with a summary. */
export const SUMMARY_VIEWS_MAX_COUNT = 5;
/** Places in a JSON tree whose values are told apart: two wide records with what is nested in them. */
export const SUMMARY_SHAPES_MAX_COUNT = 224;
/** Keys of one record: the widest of well-known APIs have about 80. */
export const SUMMARY_SHAPE_KEYS_MAX_COUNT = 96;
/** An object with more keys, all with objects or all with arrays in them, is a map and no record. */
export const SUMMARY_RECORD_KEYS_MAX_COUNT = 24;
/** Nesting below which values are counted and not told apart. */
export const SUMMARY_SHAPE_MAX_DEPTH = 8;
/** Nesting up to which brackets are matched; a bit each. */
export const SUMMARY_JSON_MAX_DEPTH = 32_768;
/** Of a string, a number or a key, what is kept to be shown; a key that is longer is told apart from no other. */
export const SUMMARY_VALUE_HEAD_CHARS = 64;
/** Values of a field that are counted one by one. */
export const SUMMARY_DISTINCT_MAX_COUNT = 6;
/** A value that is longer is no category. */
export const SUMMARY_DISTINCT_MAX_CHARS = 40;
/** Arrays and maps of which the first and the last element are kept. */
export const SUMMARY_SAMPLED_MAX_COUNT = 16;
/** One element as it is shown. */
export const SUMMARY_SAMPLE_MAX_CHARS = 320;
/** Columns of a table that are told apart. */
export const SUMMARY_COLUMNS_MAX_COUNT = 64;
/** Headings, definitions, files: more than a summary can show, so that the best can be chosen. */
export const SUMMARY_OUTLINE_MAX_COUNT = 96;
/** Of a heading or a path. */
export const SUMMARY_OUTLINE_ENTRY_MAX_CHARS = 160;
/** Four megabytes of base64: what the models' own interfaces take as one image is five. */
export const VIEW_CONTENT_MAX_BYTES = 3_145_728;
/** Names that exist, told where one was asked for that does not: enough to see the right one, or how they are made. */
export const VIEW_NAMES_SHOWN_MAX_COUNT = 20;
export const VIEW_NAME_SHOWN_MAX_CODE_POINTS = 64;
/** Brackets and filters inside each other in one query; each takes a few frames of the call stack. */
export const JSON_PATH_MAX_DEPTH = 32;
/** Instructions of one compiled pattern; what people write has some dozens. */
export const REGEXP_MAX_COUNT = 1_000;
/** Nodes looked at by one JSONPath query, filters' included: a 4 MiB document several times over, in a second or two. */
export const JSON_PATH_MAX_STEPS_COUNT = 4_000_000;
/** Nodes that a query selects, at any of its segments: each takes some 50 bytes until the answer is made. */
export const JSON_PATH_MATCHES_MAX_COUNT = 250_000;
/** Different patterns of one query's `match` and `search`: most have one, and documents may hold their own. */
export const REGEXP_PATTERNS_MAX_COUNT = 64;
/** Nesting of a document that is queried: twice what a result itself may have. */
export const VIEW_JSON_DEPTH_MAX_COUNT = 512;
/** Names and indexes in the locations of the matches that one answer shows. */
export const VIEW_JSON_LOCATIONS_MAX_COUNT = 262_144;
/** What is looked at to see whether a text is a table: some pages, and some rows of it. */
export const TABLE_SNIFF_BYTES = 65_536;
export const TABLE_SNIFF_RECORDS_COUNT = 20;
/** Children that must be JSON for a text without a media type to be taken for it: prose in brackets fails at the first. */
export const ROWS_SNIFF_ELEMENTS_COUNT = 16;
/** The longest child that is parsed to see it; longer ones in a row of such are JSON. */
export const ROWS_SNIFF_VALUE_MAX_BYTES = 65_536;
/** Rows of which a few members are shown may be long; those that are longer are read by their bytes. */
export const VIEW_ROWS_PROJECTED_READ_BYTES = 1_048_576;
/** Instructions times bytes of one search: all of a read for a dozen words, and three seconds for the worst of patterns, as measured. */
export const VIEW_GREP_WORK_MAX_COUNT = 134_217_728;
/** Searched whatever the pattern. */
export const VIEW_GREP_MIN_READ_BYTES = 65_536;
/** Of a line that is longer: a few lines of a terminal around the match, a quarter of it before. */
export const VIEW_GREP_LINE_MAX_CHARS = 400;
export const VIEW_GREP_LEAD_CHARS = 100;
/** A search for where a match ends may go through all of this, once for every match shown. */
export const VIEW_GREP_PIECE_MAX_CHARS = 65_536;
/** The last line, with its six numbers of a text of 64 MiB and more. */
export const VIEW_GREP_FOOT_MAX_BYTES = 192;
/** Read to go on inside a value that is being shown: an answer, and as much white space as an indented document has. */
export const VIEW_CUT_READ_BYTES = 262_144;
/** A read of the bucket and what is made of it; a Worker that ends before gives its room back by then. */
export const VIEW_ROOM_LIFETIME_MS = 30_000;
/** Longer texts cost a tenth of a second a megabyte to estimate whole; of them so many pieces are, and the rest by those. */
export const TOKENS_ESTIMATED_WHOLE_MAX_CHARS = 131_072;
export const TOKENS_SAMPLED_PIECES_COUNT = 32;
export const TOKENS_SAMPLED_PIECE_CHARS = 2_048;
/** 500 characters of most scripts, of Chinese too; of emoji and rare scripts two thirds of them and less. */
export const SUMMARY_TEXT_MAX_TOKENS = 750;
/** Who a part is for: a word. */
export const READER_MAX_CODE_POINTS = 40;
/** What `artifacts.keep` selects of an answer that is read in pieces: it is held beside the room of 24 MiB, for a call or two. */
export const PROJECTED_LARGE_MAX_CHARS = 524_288;
