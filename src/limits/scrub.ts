/** A shorter value is a port or a flag that also stands in ordinary text; nothing so short keeps a secret. */
export const SCRUB_SECRET_MIN_CHARS = 6;
/** Escapes taken off a text to find secrets: JSON quoted inside JSON, and a URL or a page inside that. */
export const SCRUB_ESCAPE_LAYERS_COUNT = 3;
/** Deeper than any result or definition that is accepted (256); what walks a value recurses this deep. */
export const SCRUB_MAX_DEPTH = 320;
/** One record of the log: a stack, or a quoted error page, and far below what the platform's log takes. */
export const LOG_RECORD_MAX_CHARS = 4_096;

/** A shorter value behind `password:` is a word of a sentence as often as a secret. */
export const SECRET_VALUE_MIN_CHARS = 6;
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
