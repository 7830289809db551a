/** Findings of one check in a report: whoever has mended so many looks again. */
export const FINDINGS_PER_CHECK_MAX_COUNT = 20;
/** One quotation from an answer: enough to recognise a name or a sentence. */
export const SHOWN_MAX_CHARS = 160;
/** A status's reason, whole: two hashes and what is said of them. */
export const REASON_SHOWN_MAX_CHARS = 320;
/** One text of a finding: three reasons and the words around them. */
export const MEMBER_MAX_CHARS = 1_200;
/** Past it a quotation is not even looked at. */
export const LOOKED_AT_MAX_CHARS = 4_096;
/** Longer than a cold start with its first catalog takes on a healthy deployment. */
export const ASK_TIMEOUT_MS = 10_000;
/** A refresh waits for every server, each with a deadline of its own. */
export const REFRESH_TIMEOUT_MS = 60_000;
/** A page of the catalog is under a megabyte. */
export const ANSWER_MAX_BYTES = 4 * 1024 * 1024;
/** Twenty thousand tools: twice what the gateway is built for. */
export const CATALOG_PAGES_MAX_COUNT = 20;
/** A healthy deployment gives all pages in the time that one may take. */
export const CATALOG_TIMEOUTS_MAX_COUNT = 3;
/** A week is time enough to hand a new bearer out. */
export const TOKEN_EXPIRY_WARNING_DAYS = 7;
/** A catalog whose refresh was missed three times is not late by chance. */
export const REFRESH_MISSED_MAX_COUNT = 3;
