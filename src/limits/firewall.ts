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
