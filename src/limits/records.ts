/** A cursor travels in a URL and through a model's context; positions of a package of twenty sources fit. */
export const RECORD_CURSOR_MAX_CHARS = 8_192;
/** PDPP's page: what is asked for above it is clamped, with a warning. */
export const RECORDS_PAGE_DEFAULT_COUNT = 25;
export const RECORDS_PAGE_MAX_COUNT = 100;
/** Scores are those of the moment the search began; an hour later nobody pages on. */
export const SEARCH_CURSOR_LIFETIME_MS = 60 * 60 * 1000;

// Search
/** No word that anybody looks for is longer; what stands behind it in a run of letters is noise of encodings. */
export const SEARCH_TERM_MAX_CODE_POINTS = 64;
/** What of a word is folded at all: each of its signs may carry a few accents. */
export const SEARCH_WORD_MAX_CHARS = 512;
/** A book's chapter: what is found of one field. A longer text is found by its beginning. */
export const SEARCH_FIELD_TEXT_MAX_CHARS = 524_288;
/** D1 takes values of 2,000,000 bytes. */
export const SEARCH_FIELD_TERMS_MAX_BYTES = 1_900_000;
/** Different words of one question, each looked up in every field; a sentence of a script without spaces is as many. */
export const SEARCH_WORDS_MAX_COUNT = 64;
/** Words times searched fields, each pair looked up in the index twice: a second or two. Only an owner of thousands of streams is near it. */
export const SEARCH_LOOKUPS_MAX_COUNT = 65_536;
/** Places of the words that one search ranks: half a second. What has more is searched among its newest records, and says so. */
export const SEARCH_PLACES_MAX_COUNT = 500_000;
/** About what a search page shows of a hit. */
export const SEARCH_SNIPPET_MAX_WORDS = 48;
/** Of words that are no words but encodings. */
export const SEARCH_SNIPPET_MAX_CHARS = 640;
/** Places in one text among which the best is looked for. */
export const SEARCH_SNIPPET_PLACES_MAX_COUNT = 512;
/** Text of one page's hits in which words are looked for: a second of work. Then only the beginnings are. */
export const SEARCH_PAGE_TEXT_MAX_CHARS = 4_194_304;
/** Of a long text whose page has no more left. */
export const SEARCH_BEGINNING_MAX_CHARS = 16_384;
/** Excerpts of one hit: what it was found by, not the record. */
export const SEARCH_EXCERPTS_MAX_COUNT = 3;
/** A hit's body up to here comes with the hit: a page of them is six megabytes at most. */
export const SEARCH_INLINE_BODY_MAX_BYTES = 65_536;

// Grants
/** Connections and sources of one bearer: a page of each is one statement of one round trip, and a cursor holds them all. */
export const GRANT_MEMBERS_MAX_COUNT = 32;
/** Records named one by one are a folder or a case, not an archive; each page looks its keys up. */
export const GRANT_RESOURCES_MAX_COUNT = 1_000;
/** Read with every request of the bearer. */
export const GRANT_STREAMS_MAX_BYTES = 65_536;
/** A listing fits one answer. */
export const GRANTS_LISTED_MAX_COUNT = 1_000;
/** Connectors in use by one isolate's bearers at a time; a manifest read is a few hundred small objects. */
export const MANIFEST_CACHE_MAX_COUNT = 64;
/** What an owner reads at once: more feeds than this are read a connection at a time. */
export const OWNER_FEEDS_MAX_COUNT = 5_000;
/** No route has more than four; what is longer is no path of ours and is not decoded. */
export const V1_PATH_MAX_SEGMENTS = 16;
/** A key of 512 code points, percent-encoded, a cursor and a long filter fit; the platform's own bound is 16 KiB. */
export const V1_URL_MAX_CHARS = 32_768;

// Sources.
/** As many grants as one package answers from: more would not fit one cursor. */
export const RECORD_SOURCES_MAX_COUNT = 20;
/** Names stand in cursors and warnings. */
export const RECORD_SOURCE_NAME_MAX_CHARS = 64;
/** A model waits for it, and the other sources of a package with it. */
export const RECORD_SOURCE_TIMEOUT_DEFAULT_MS = 10_000;
/** What clients wait for a tool at most. */
export const RECORD_SOURCE_TIMEOUT_MAX_MS = 60_000;
/** Of that time, for each further call of one request to a source that has let all of it pass: enough for one that is only slow to wake. */
export const RECORD_SOURCE_HUNG_PERCENT = 20;
/** A page of a hundred records of forty kilobytes; as much as any upstream's buffered answer. */
export const RECORD_ANSWER_MAX_BYTES = 4 * 1024 * 1024;
/** An error object with twelve candidates is a few kilobytes; a page of HTML is not read to its end. */
export const RECORD_ERROR_BODY_MAX_BYTES = 64 * 1024;
/** An external server's words in an error, which a model reads. */
export const RECORD_ERROR_MESSAGE_MAX_CHARS = 1_000;
/** Ours are UUIDs. */
export const RECORD_REQUEST_ID_MAX_CHARS = 128;
/** PDPP: how long at most what a token is may be remembered. */
export const RECORD_TOKEN_KIND_MEMORY_MS = 60_000;
/** Bearers whose standing an isolate remembers; the configuration has twenty. */
export const RECORD_SOURCE_MEMORY_MAX_COUNT = 64;
/** What D1 keeps of one external source's schema, read with every request of its bearers: a hundred connections with their streams. */
export const RECORD_SOURCE_LEARNED_MAX_BYTES = 65_536;
/** How long making a bearer waits for the sources that it is for: who made it is waiting, and one that is down is learnt later. */
export const RECORD_SOURCE_LEARN_MS = 4_000;
/** Sources asked at the same time: a Worker has six connections, and a seventh request would only wait. */
export const PACKAGE_FANOUT_MAX_COUNT = 6;
/** How long a package waits for a source: longer than any source's own deadline, for one that has none. */
export const PACKAGE_MEMBER_MAX_MS = 65_000;
/** Pages that one search reads of a member at most: the rest of one, the next one, and one more where others ran out. */
export const PACKAGE_SEARCH_ROUNDS_MAX_COUNT = 3;
/** A member that failed so often in a row in one search is given up: its walk would never end. */
export const PACKAGE_MEMBER_FAILURES_MAX_COUNT = 2;
/** Hits that a search remembers where two of its sources have the same connection. */
export const PACKAGE_SHARED_HITS_MAX_COUNT = 300;
/** What one ambiguity lists of connections; the rest is counted. */
export const AMBIGUOUS_CANDIDATES_MAX_COUNT = 12;

// Manifests and ingest
/** Held in one row, which D1 bounds at 2,000,000 bytes; the largest published manifest has 60 KB. */
export const MANIFEST_MAX_BYTES = 786_432;
/** A field's schema is a few levels deep; what is deeper is nobody's declaration. */
export const MANIFEST_MAX_DEPTH = 48;
/** The schema index names every stream; a connector of a hundred is unheard of. */
export const MANIFEST_STREAMS_MAX_COUNT = 200;
/** A wide table; each field is a line of schema. */
export const MANIFEST_FIELDS_MAX_COUNT = 300;
/** Views, relations and the like of one stream. */
export const MANIFEST_DECLARATIONS_MAX_COUNT = 64;
/** Names stand in paths, schema texts and parameters. */
export const MANIFEST_NAME_MAX_CHARS = 128;
/** A person mends these and asks again for the rest. */
export const MANIFEST_PROBLEMS_MAX_COUNT = 20;
/** Children a parent, where the relation declares none, and what may be asked for then. */
export const EXPAND_DEFAULT_COUNT = 10;
export const EXPAND_MAX_COUNT = 50;
/** No relation offers more children a parent than a page has rows. */
export const EXPAND_DECLARED_MAX_COUNT = 100;
/** A typed text column and its index hold as much of a value; it leaves room for a record's key, which children refer to. */
export const SLOT_TEXT_MAX_CHARS = 1_024;

// Filters and aggregates
/** As many as leave room in D1's hundred values of a statement for what the grant says. */
export const FILTERS_MAX_COUNT = 32;
/** Longer than any double written out. */
export const FILTER_NUMBER_MAX_CHARS = 400;

// Pages
/** Bodies of one answer together; it is held parsed and written at the same time, in an isolate of 128 MB. At least one record is always given. */
export const RECORDS_PAGE_MAX_BYTES = 8 * 1024 * 1024;
/** Feeds that one page is merged from: each is a statement of one batch. An owner of more chooses a connection. */
export const RECORDS_PAGE_FEEDS_MAX_COUNT = 32;
/** Versions that one page of changes looks through: most may be replaced ones, or of records that are not covered. */
export const CHANGES_SCAN_MAX_COUNT = 1_000;
/** Such looks, where none before showed anything: a second of work. A page without changes follows more than sixteen thousand that are hidden. */
export const CHANGES_SCANS_MAX_COUNT = 16;
/** Bodies read from the bucket at a time: a Worker has six connections. */
export const RECORD_BODIES_AT_ONCE_COUNT = 6;

// Adapter
/** A schema answer's text that every host shows. */
export const SCHEMA_TEXT_MAX_BYTES = 8_000;
/** The same where less would leave out names: eighty streams of twenty connections, or a stream of a hundred and more fields. */
export const SCHEMA_LONG_TEXT_MAX_BYTES = 18_000;
/** A name's part in a text; no name is longer, but for one that is meant to fill a context. */
export const RECORD_NAME_MAX_CHARS = 512;
/** The same as structured output: the index, one stream's compact rows, and one stream's whole JSON Schema. */
export const SCHEMA_INDEX_MAX_BYTES = 60_000;
export const SCHEMA_SCOPED_MAX_BYTES = 6_000;
export const SCHEMA_FULL_MAX_BYTES = 48_000;
/** A row of a scoped schema with less room tells nothing that a next call could use. */
export const SCHEMA_ROW_MIN_BYTES = 400;
/** Text of a page of records and of an aggregate, handles among it. */
export const RECORDS_TEXT_MAX_BYTES = 1_800;
/** Handles may be longer than that text: records and groups have so much in any case. */
export const RECORDS_TEXT_MIN_BYTES = 600;
/** One record's share of the text: five stand in it. */
export const RECORD_LINE_MAX_BYTES = 250;
/** What the ids of a page's other records may take of the text: twenty-five short ones stand in it. */
export const RECORD_MORE_IDS_MAX_BYTES = 480;
/** Ten hits with their handles. */
export const SEARCH_TEXT_MAX_BYTES = 4_000;
/** A snippet in the structured output, and in text, its tags among it: three marked words take forty. */
export const SNIPPET_MAX_CHARS = 320;
export const SNIPPET_TEXT_MAX_CHARS = 128;
/** A word without a break that is longer is no text: a key, a picture, an attachment. */
export const RECORD_ENCODED_MIN_CHARS = 200;
/** A heading is read at a glance. */
export const RECORD_TITLE_MAX_CHARS = 120;
export const RECORD_LABEL_MAX_CHARS = 80;
/** Longer addresses are tracking. */
export const RECORD_ADDRESS_MAX_CHARS = 2_048;
/** A document is exact up to here: a long report, and what a host takes as one result. */
export const DOCUMENT_TEXT_MAX_BYTES = 262_144;
/** A document's metadata identifies and dates it. */
export const DOCUMENT_METADATA_MAX_COUNT = 32;
export const DOCUMENT_METADATA_MAX_CHARS = 512;
/** Warnings of one answer that text tells, and how much of each. */
export const WARNINGS_SHOWN_MAX_COUNT = 5;
export const WARNING_MAX_CHARS = 160;
/** The names of sources that gave no answer, in one warning: twenty of thirty characters. */
export const WARNINGS_UNAVAILABLE_MAX_BYTES = 640;
/** Warnings of one answer in structured output: a grant's members and some more. */
export const WARNINGS_KEPT_MAX_COUNT = 64;
/** No argument is longer than a cursor. */
export const RECORD_ARGUMENT_MAX_CHARS = 8_192;
/** Items of one list, or members of one object, among the arguments. */
export const RECORD_ARGUMENT_MAX_COUNT = 100;
/** A source's error with all that it says; what is longer loses everything but its code, message and what to retry with. */
export const RECORD_ERROR_MAX_BYTES = 8_000;
/** Each attempt reads anew; somebody else loaded or wrote a first record in between so often only in a test. */
export const MANIFEST_RELOAD_MAX_ATTEMPTS = 5;
/** A label that fits a line of a listing. */
export const CONNECTION_NAME_MAX_CHARS = 120;
/** Rows of the operator's listing: a stream of a connection each. */
export const CONNECTIONS_LISTED_MAX_COUNT = 5_000;
/** What a schema may tell of an external source and be remembered of it: half a megabyte of names. */
export const SCHEMA_CONNECTIONS_MAX_COUNT = 512;
export const SCHEMA_STREAMS_MAX_COUNT = 8_192;
/** PDPP's longest code has thirty. */
export const RECORD_ERROR_CODE_MAX_CHARS = 128;
/** What servers read of a request's first line and headers is 16 KiB; a key of 512 code points has 6 KiB, a cursor 8. */
export const RECORD_URL_MAX_CHARS = 15_360;
/** The longest of IANA's names has 32. */
export const ZONE_NAME_MAX_CHARS = 64;
/** Zones whose offsets an isolate remembers; each at most 700 years of two changes. */
export const ZONE_CACHE_MAX_COUNT = 32;
/** PDPP's record keys are ids of other systems; the bound that grants and cursors count on. */
export const RECORD_KEY_MAX_CODE_POINTS = 512;
/** SQLite's JSON functions stop at 1,000 levels; what is a tenth as deep is no record. */
export const RECORD_DATA_MAX_DEPTH = 100;
/** A body up to here lies in its row, where conditions reach all of it; an eighth of what D1 takes, and few mails are larger. */
export const RECORD_ROW_BODY_MAX_BYTES = 262_144;
/** What conditions find of a body that lies in the bucket: the scalars that have no column, well within a row and a parameter of D1. */
export const RECORD_ROW_SCALARS_MAX_BYTES = 524_288;
/** No condition names a longer value: it would not fit an address (`V1_URL_MAX_CHARS`). */
export const RECORD_ROW_SCALAR_MAX_BYTES = 32_768;
/** One D1 batch, which has 30 s, and one report. */
export const INGEST_LINES_MAX_COUNT = 1_000;
/** A bound text of D1 has 2,000,000 bytes at most; one item more may stand beside as much as this. */
export const INGEST_PARAMETER_BYTES = 786_432;
/** A batch that another one overtook is planned anew; each time somebody else's has been written, so that so many writers all get through. */
export const INGEST_MAX_ATTEMPTS = 32;
/** Waited before each further attempt, longer every time, by chance up to this: writers that meet once should not meet again. */
export const INGEST_RETRY_STEP_MS = 20;
/** A reader who has not come back for so long begins anew (410). */
export const RECORD_VERSIONS_KEPT_MS = 90 * 24 * 60 * 60 * 1000;
/** Old versions that one batch clears away: half as many again as its own lines at most, so that they end. */
export const RECORD_VERSIONS_PRUNED_COUNT = 1_500;
/** Objects of the bucket that are written or removed at a time; Workers wait for six. */
export const RECORD_OBJECTS_AT_ONCE_COUNT = 6;
/** PDPP's groups; a hundred are a page. */
export const AGGREGATE_GROUPS_DEFAULT_COUNT = 10;
export const AGGREGATE_GROUPS_MAX_COUNT = 100;
/** D1's bound of values in one statement. */
export const SQL_VALUES_MAX_COUNT = 100;
/** workerd's bound of SELECTs in one compound. */
export const SQL_COMPOUND_MAX_COUNT = 5;
/** Offset segments in one statement's text: a century of two changes a year, looked through for each row. */
export const SEGMENTS_MAX_COUNT = 256;
/** Ranges of the index that one statement counts, in a value of 120 KB. */
export const RANGES_MAX_COUNT = 2_048;
/** Twenty-two years of days; what has more is sorted instead. */
export const BUCKET_RANGES_MAX_COUNT = 8_192;
/** R2 deletes so many objects in one call. */
export const RECORD_OBJECTS_REMOVED_COUNT = 1_000;
/** Rounds in which a year may turn up that had no record before; who writes faster than that reads the rest later. */
export const YEARS_READ_MAX_COUNT = 3;
/** Names of streams or fields that one message lists. */
export const NAMES_SHOWN_MAX_COUNT = 30;
/** Manifests of one request, each a few statements. */
export const MANIFESTS_AT_ONCE_COUNT = 50;
/** Rows of each table that one request of a removal takes away: about what a batch of ingest costs. */
export const RECORD_REMOVAL_ROWS_COUNT = 1_000;
/** An object that is younger may belong to a batch under way, which ends well within it. */
export const RECORD_LEFTOVER_MIN_AGE_MS = 60 * 60 * 1000;
/** Records that one step of indexing anew reads and writes, and their bodies together: well within one D1 batch and 128 MB. */
export const REINDEX_ROWS_COUNT = 500;
export const REINDEX_BYTES = 8_388_608;
/** Steps that loading a manifest takes itself, so that small connections are done with it. */
export const REINDEX_STEPS_AT_LOAD_COUNT = 6;
