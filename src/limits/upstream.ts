/** One JSON answer, or one event of a stream, held in memory: an isolate has 128 MB for all its requests. */
export const UPSTREAM_ANSWER_MAX_BYTES = 4 * 1024 * 1024;
/** All that is read of one answer, held or drained: past it the connection is dropped and the end stays unknown. */
export const UPSTREAM_STREAM_MAX_BYTES = 64 * 1024 * 1024;
/** Foreign answers in memory at one time, all calls and listings of the isolate together: a fifth of its 128 MB. */
export const UPSTREAM_BUFFERS_MAX_BYTES = 24 * 1024 * 1024;
/** After its deadline an operation only has promises to settle; one that is not over then was stopped by the runtime. */
export const UPSTREAM_BUFFERS_GRACE_MS = 1_000;
/** Beside them, for answers that are small: 32 of them at a time get through whatever the large ones do. */
export const UPSTREAM_BUFFERS_RESERVE_BYTES = 2 * 1024 * 1024;
/** An answer that may take from it: most tools' answers are smaller. */
export const UPSTREAM_BUFFERS_RESERVE_ANSWER_BYTES = 64 * 1024;
/** The first piece of memory for an answer: most are smaller, and a larger one takes twice the last piece each time. */
export const UPSTREAM_BUFFER_PIECE_BYTES = 1_024;
/** And at most so much more: eight steps to the longest answer, and one that stops on its way is charged little too much. */
export const UPSTREAM_BUFFER_STEP_MAX_BYTES = 512 * 1024;
/** Enough of an error page for a JSON-RPC error and for the log. */
export const UPSTREAM_ERROR_BODY_MAX_BYTES = 16 * 1024;
/** The status is known already; a body that drips does not hold up what it means. */
export const UPSTREAM_ERROR_BODY_MAX_MS = 1_000;
/** The MCP SDK's own number, and one less than most browsers' patience by far. */
export const UPSTREAM_REDIRECT_MAX_HOPS = 5;
/** Pings answered in one operation, and refused questions: each answer is a request of ours, which a server must not multiply. */
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
/** The longest delay a timer takes; a longer one would fire at once. */
export const UPSTREAM_DEADLINE_MAX_MS = 2_147_483_647;
/**
 * How much of a foreign text a failure's detail holds: whatever is read of an error page. The log cuts it further once it is
 * scrubbed; a cut made before that would leave half a secret standing.
 */
export const UPSTREAM_DETAIL_MAX_CHARS = 17 * 1024;
// large
/** A string of an answer that is too large to hold goes to the store from here on; what is smaller stays where it was. */
export const UPSTREAM_LARGE_PAYLOAD_MIN_BYTES = 64 * 1024;
/** What stays of such an answer in memory, as JSON: as much as an answer may have that is held whole. */
export const UPSTREAM_LARGE_REST_MAX_BYTES = 4 * 1024 * 1024;
/** All that reading it takes beside that: a part of 128 KiB, a piece as bytes, as text and as bytes again, and small change. */
export const UPSTREAM_LARGE_READER_BYTES = 512 * 1024;
/** Read at a time; what it gives waits for the store before the next one is looked at. */
export const UPSTREAM_LARGE_PIECE_BYTES = 32 * 1024;
/** Parts with an artifact of their own: room is left for the text, the structured content, `_meta` and what goes together. */
export const UPSTREAM_LARGE_PARTS_MAX_COUNT = 24;
/** Other members of a result with an artifact of their own; MCP names none, so more are no result but an attack. */
export const UPSTREAM_LARGE_MEMBERS_MAX_COUNT = 2;
/** A member's name, and whatever else is compared: longer ones are nobody's word. */
export const UPSTREAM_LARGE_NAME_MAX_CHARS = 1_024;
/** Digests of JSON texts that may prove to be the structured content: servers send one or two. */
export const UPSTREAM_LARGE_DIGESTS_MAX_COUNT = 64;
// what an upstream says while it works
/** A call that takes its time is pinged for as long: beside those at once, one ping for each such while is answered. */
export const UPSTREAM_PING_INTERVAL_MS = 5_000;
/** Progress of one call that reaches its caller: more than anybody looks at, and a flood ends there. */
export const UPSTREAM_PROGRESS_MAX_COUNT = 1_000;
/** A line of progress; what is longer is an output, not a line. */
export const UPSTREAM_PROGRESS_MESSAGE_MAX_CHARS = 1_024;
/** Different things an upstream wanted of a person in one call: a model acts on one or two. */
export const UPSTREAM_WANTED_MAX_COUNT = 8;
/** What an upstream said to that person: two sentences. */
export const UPSTREAM_WANTED_MESSAGE_MAX_CHARS = 300;
/** A method's name: MCP's longest has 38. */
export const UPSTREAM_WANTED_METHOD_MAX_CHARS = 64;
/**
 * What an upstream says beside its result is kept whole up to here, eight times what is shown of it: a text that was cut may
 * end inside of a secret, which nobody finds any more. A longer one is an output and is not told at all.
 */
export const UPSTREAM_WORDS_MAX_CHARS = 8_192;
/** A message that says nobody waits any more is a courtesy, outside the operation's own deadline. */
export const UPSTREAM_CANCEL_MAX_MS = 2_000;
/** A caller's reason, which the upstream puts into a log. */
export const UPSTREAM_CANCEL_REASON_MAX_CHARS = 300;
/** A member of a notice that is too large to hold: one more than words may have, so that what was cut here is seen to be. */
export const UPSTREAM_PARAMS_MAX_CHARS = UPSTREAM_WORDS_MAX_CHARS + 1;
