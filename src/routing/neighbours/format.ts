/**
 * The layout of the neighbour table, little-endian throughout:
 *
 *     0  4 bytes   "LGNB"
 *     4  u32       version
 *     8  u32       words
 *    12  u32       neighbours of all words together
 *    16  u32       bytes of the text
 *    20  32 bytes  SHA-256 of the word lists the table was made with
 *    52  u8 × words       UTF-16 units a word shares with the word before
 *        u8 × words       UTF-16 units that follow them
 *        u8 × words       how many neighbours the word has
 *        u24 × neighbours index of the neighbour's word << 6 | level 1–63, nearest first
 *        text             what follows the shared units, all words joined, UTF-8
 *
 * Words stand in code point order, each once. A word without neighbours is there to be another's.
 */
export const NEIGHBOURS_MAGIC = 0x42_4e_47_4c;
export const NEIGHBOURS_VERSION = 1;
export const NEIGHBOURS_HEADER_BYTES = 52;
export const DIGEST_OFFSET = 20;
export const NEIGHBOUR_BYTES = 3;
export const LEVEL_BITS = 6;
export const LEVELS = (1 << LEVEL_BITS) - 1;
