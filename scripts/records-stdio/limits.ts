/** The server takes 4 MiB of body; a longer line could only be refused there. */
export const LINE_MAX_BYTES = 4 * 1_024 * 1_024;
/** The largest document that the read surface gives is far below it; what a server sends past it is not kept. */
export const ANSWER_MAX_BYTES = 16 * 1_024 * 1_024;
/** More than a client asks at once; the rest waits in its pipe. */
export const REQUESTS_MAX_COUNT = 64;
/** Set-up has somebody waiting for it. */
export const CHECK_TIMEOUT_MS = 20_000;
/** A refusal's body is a line of JSON. */
export const REFUSAL_MAX_BYTES = 64 * 1_024;
/** Of what a server says about a refusal, for people. */
export const REFUSAL_MAX_CHARS = 500;
