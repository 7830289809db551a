/** The tokenizer's merge is quadratic in an unbroken run; at 256 units a run costs milliseconds, and no word is longer. */
export const TOKENIZER_RUN_MAX_CODE_UNITS = 256;
/** The longest entry of cl100k_base (128 spaces): a text of more bytes than this times n has more than n tokens. */
export const TOKENIZER_TOKEN_MAX_BYTES = 128;
/** Slices a counter remembers: what the probes of one truncation share, in at most 128 KiB. */
export const TOKENIZER_MEMO_MAX_COUNT = 256;
/** The packed ranks of cl100k are 1.2 MB; a static file that is much larger is another one. */
export const TOKENIZER_VOCABULARY_MAX_BYTES = 2_097_152;
