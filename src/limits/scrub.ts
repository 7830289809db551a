/** A shorter value is a port or a flag that also stands in ordinary text; nothing so short keeps a secret. */
export const SCRUB_SECRET_MIN_CHARS = 6;
/** Escapes taken off a text to find secrets: JSON quoted inside JSON, and a URL or a page inside that. */
export const SCRUB_ESCAPE_LAYERS_COUNT = 3;
/** Deeper than any result or definition that is accepted (256); what walks a value recurses this deep. */
export const SCRUB_MAX_DEPTH = 320;
/**
 * How far a secret may reach in a text that comes in pieces: a variable of the platform has 5 kB, and each of its characters
 * takes twelve under two layers of the widest escapes.
 */
export const SCRUB_STREAM_REACH_CHARS = 65_536;
/** Four reaches, so that a text is read once and a third. */
export const SCRUB_STREAM_WINDOW_CHARS = 262_144;
/** Where an escape that is open at a place would have begun. */
export const SCRUB_STREAM_ESCAPE_CHARS = 16;
/** One record of the log: a stack, or a quoted error page, and far below what the platform's log takes. */
export const LOG_RECORD_MAX_CHARS = 4_096;

/** A shorter value behind `password:` is a word of a sentence as often as a secret. */
export const SECRET_VALUE_MIN_CHARS = 6;
/** As many cookies as browsers keep for a site; what goes on like this for longer is no header, and is not held back. */
export const COOKIES_MAX_COUNT = 180;
/** A command's password is there without doubt; what is shorter is a sign or a word of a sentence about the command. */
export const SECRET_PASSWORD_MIN_CHARS = 4;
/** `bearer` is a word of prose too; no credential that is worth one is shorter. */
export const SECRET_BEARER_MIN_CHARS = 10;
/** Twice a PGP block of an 8,192 bit key; beyond it a begin and an end mark belong to different keys. */
export const SECRET_PEM_MAX_CHARS = 32_768;
/** What a person reads before granting a call, and a hundred of them in one answer. */
export const REDACTED_ARGUMENTS_MAX_BYTES = 4_096;
/** A member's name is a word or two; a longer one is not there to be read. */
export const ARGUMENT_NAME_MAX_CHARS = 64;

/** How much of each part of a call's arguments is shown. */
export interface ArgumentWidth {
  /** Characters of a string. */
  readonly chars: number;
  /** Members of an object, items of an array. */
  readonly members: number;
  /** Levels of objects and arrays. */
  readonly depth: number;
}

/** The first that fits is used. Each character takes six bytes at most, so that the last one fits whatever the arguments. */
export const ARGUMENT_WIDTHS: readonly ArgumentWidth[] = [
  { chars: 2_048, members: 64, depth: 8 },
  { chars: 512, members: 32, depth: 6 },
  { chars: 128, members: 16, depth: 4 },
  { chars: 32, members: 8, depth: 2 },
  { chars: 24, members: 6, depth: 1 },
];

/** Longer than any name that says something of a secret; the phrases of longer ones would be looked for too often. */
export const HARMLESS_NAME_MAX_CHARS = 256;
/** What has been judged of names is kept for so many: more than a document has kinds of members. */
export const SECRET_NAMES_CACHED_COUNT = 1_024;
/** A kilobyte of names at most for each of them; a longer name is judged anew each time. */
export const SECRET_NAME_CACHED_MAX_CHARS = 128;
/** A name in a text is looked back at so far from the word that says secret: `continuation` is the longest before one. */
export const SECRET_NAME_BEFORE_CHARS = 64;
/** So much unbroken base64url before what begins like a token: the token is a part of it by chance. No name has so much. */
export const SECRET_CODE_BEFORE_CHARS = 32;
/** JSON in a string of JSON, and once more: a message in a queue's envelope in an answer. */
export const REDACT_JSON_LAYERS_COUNT = 3;
/** Deeper documents are read as plain texts; the frames of this many levels take less than 1 MiB. */
export const REDACT_JSON_MAX_DEPTH = 2_000;
/** How far a secret may reach in a text that comes in pieces: two keys in PEM. */
export const REDACT_STREAM_REACH_CHARS = 65_536;
/** Four reaches, so that a text is read once and a third. */
export const REDACT_STREAM_WINDOW_CHARS = 262_144;
/** Pieces of a JSON text are gathered to so much before they are looked at, so that tiny ones cost no more. */
export const REDACT_STREAM_STEP_CHARS = 4_096;
/** What stands before a place decides whether something begins there: as far back as a flag or a name is looked at. */
export const REDACT_STREAM_CONTEXT_CHARS = 160;
/** A longer value under a name that says secret stands for none (`unknown`, `<your token>`) no more. */
export const HIDDEN_MAY_BE_PLAIN_CHARS = 256;
/** A line is not split before it is known to be a header; a longer one is none. */
export const REDACT_HEADER_MAX_CHARS = 4_096;
/** A longer line is not looked at as a row: the whole of a 1 MiB Secret's value in base64 is one, and little else. */
export const REDACT_LINE_MAX_CHARS = 1_572_864;
/** Lines of a manifest that wait for its kind: all that a Kubernetes Secret may hold, 1 MiB, in base64 in lines of 64 characters. */
export const REDACT_MANIFEST_MAX_CHARS = 3_145_728;
/** What a line that waits takes besides its characters: a million empty ones would be held at no cost. */
export const REDACT_WAITING_LINE_CHARS = 64;
/** Lines of a record that goes on in quotes; a quote that nobody closed is given up behind them. */
export const REDACT_RECORD_MAX_CHARS = 65_536;
