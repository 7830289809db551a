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

/** Artifacts that one call asks about. */
export const ADMIT_ARTIFACTS_MAX_COUNT = 16;
/** A line index as text, with room to spare. */
export const ARTIFACT_INDEX_MAX_CHARS = 8_192;

/** Seed 000 §4.5: a limit of calls a minute counts those of the last sixty seconds. */
export const RATE_WINDOW_MS = 60_000;
/** A call counts for its meta-tool and for its tool; the rest is room for later kinds. */
export const RATE_BUCKETS_MAX_COUNT = 4;
/** Ten times what a configuration may ask for, so that an object of an older version can follow; 200 KB of a 2 MB row. */
export const RATE_PER_MINUTE_MAX_COUNT = 100_000;
/** A Worker repeats `admit` at once; an object makes fewer written calls than this in two seconds. 8 KB of a row. */
export const RATE_ATTEMPTS_REMEMBERED_MAX_COUNT = 1024;
/** Counts of one principal's sessions and tools, mostly under a kilobyte each; beyond it the first to expire give way. */
export const RATE_ROWS_MAX_COUNT = 20_000;
/** Making room costs a scan, so it is made for this many rows at once. */
export const RATE_ROWS_EVICTION_COUNT = 500;

/** A person is asked while the model still waits for an answer; later the call is stale, and asking again is cheap. */
export const APPROVAL_PENDING_LIFETIME_SECONDS = 3600;
/** Whoever asked must hear of the consent and repeat the call. */
export const APPROVAL_GRANTED_LIFETIME_SECONDS = 900;
/** How long at least a used-up approval is remembered, for the repetition of the attempt that used it. */
export const APPROVAL_USED_LIFETIME_SECONDS = 60;
/** More open questions than a person reads; a model that varies its arguments must not fill the object. */
export const APPROVALS_OPEN_MAX_COUNT = 100;
/** Refused and used ones. Forgetting one asks a person again, so it is safe; each was made by a person's decision. */
export const APPROVALS_CLOSED_MAX_COUNT = 100;
/** 128 bits: nobody guesses an approval's id. */
export const APPROVAL_ID_RANDOM_BYTES = 16;

/** DESIGN "Replay": the time after a call's deadline in which its report may still come before its outcome counts as unknown. */
export const JOURNAL_LEASE_GRACE_MS = 5_000;
/** After a lease's end, so that an alarm which goes off a little early finds it ended. */
export const JOURNAL_LAPSE_DELAY_MS = 1_000;
/** The longest deadline of a configuration with its grace, and room for a version that allows more. */
export const JOURNAL_LEASE_MAX_MS = 900_000;
/** DESIGN "Replay": a duplicate comes from a client that lost an answer, within minutes. */
export const JOURNAL_ANSWER_LIFETIME_SECONDS = 600;
/** DESIGN "Replay": a larger answer is an artifact, and its handle is remembered. */
export const JOURNAL_ANSWER_MAX_BYTES = 32_768;
/** Whoever does not know whether a write took effect looks today; as long as a session, whose request ids it remembers. */
export const JOURNAL_UNKNOWN_LIFETIME_SECONDS = 86_400;
/** Finished calls of ten minutes at a hundred a minute; 32 MB where every answer is as long as can be. */
export const JOURNAL_ROWS_MAX_COUNT = 1_000;
/** Making room costs a scan, so it is made for this many rows at once. */
export const JOURNAL_ROWS_EVICTION_COUNT = 50;
/**
 * Calls of one principal under way at one time, half a kilobyte each, about as many as the journal has room for: one more is refused,
 * since of one that is not noted nobody would learn that its isolate died.
 */
export const FLIGHTS_MAX_COUNT = 1_024;
/** With those that were taken back and told of, whose rows wait for their Workers, until their deadline at most: 4 MB. */
export const FLIGHT_ROWS_MAX_COUNT = 8 * FLIGHTS_MAX_COUNT;
/** Most calls end within seconds, and asking again costs one `admit`. */
export const UNDER_WAY_RETRY_MS = 5_000;
/**
 * After a call was taken back, what its own Worker may take to end and report it: as long as passing the word on may take, the
 * grace for an answer that crosses it, and the report. Then the principal's object ends it.
 */
export const TAKEN_BACK_LEASE_MS = 5_000;
/** A report is of one call, which ends once. */
export const TOLD_ENTRIES_MAX_COUNT = 4;

/** Twice what a result and its first answer for a repetition come to, so that an object of an older version can follow. */
export const SETTLED_ARTIFACTS_MAX_COUNT = 64;
/** What a call may ask room for: ten times the longest answer. */
export const ARTIFACT_RESERVED_MAX_BYTES = 671_088_640;
/** Ten times what a result is kept as, and more. */
export const ARTIFACT_RESERVED_MAX_COUNT = 512;
/** Ten times what a configuration may ask for, so that an object of an older version can follow. */
export const ARTIFACT_QUOTA_MAX_BYTES = 10_995_116_277_760;
/** Ten times what a configuration may ask for, as above. */
export const ARTIFACT_QUOTA_MAX_COUNT = 1_000_000;
/** Whatever is kept, a call is let in where an answer that is read whole has room. */
export const ARTIFACT_ROOM_MAX_BYTES = 4_194_304;
/** Of a small quota, a sixteenth is room enough: it must not be full when it is nearly empty. */
export const ARTIFACT_ROOM_SHARE = 16;
/** Calls under way whose room is remembered, a hundred bytes each; beyond it those are forgotten whose leases end first. */
export const ARTIFACT_RESERVATIONS_MAX_COUNT = 1_024;
/** Most calls end within seconds, and asking again costs one `admit`. */
export const ARTIFACT_ROOM_RETRY_MS = 5_000;
/** Finding the oldest reads every row, so a hundredth of the quota is made free at once. */
export const ARTIFACT_EVICTION_SHARE = 100;
/** What gives way at one report: a quota that was lowered is met by a few of them. */
export const ARTIFACTS_EVICTED_MAX_COUNT = 500;
/** What one Worker deletes for an operator: three operations each, of the thousand that a request may have. */
export const ARTIFACTS_HANDED_OUT_MAX_COUNT = 100;
/** What it deletes behind one call, of ten in a batch: 600 operations in all, which leaves their own to the calls. */
export const ARTIFACTS_HANDED_OUT_BEHIND_CALL_COUNT = 20;
/** What an operator is shown at once of one principal's: 200 KB. */
export const ARTIFACTS_LISTED_MAX_COUNT = 1_000;
/** Whoever deletes is long done by then, or gone. */
export const ARTIFACTS_HANDED_OUT_RETRY_MS = 600_000;
/** Handles of which it is known that they gave way, a hundred bytes each. */
export const ARTIFACTS_GONE_REMEMBERED_COUNT = 1_000;
/** How long everything lived that was kept before rows said when they were kept. */
export const ARTIFACT_FIRST_LIFETIME_MS = 604_800_000;
