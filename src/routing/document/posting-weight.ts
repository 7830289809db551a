/**
 * What a posting says, in 16 bits: how often the term counts (13 bits, five-hundredths of one occurrence in a field of
 * weight 1 and usual length, at most 16.38), and whether it is a word of the tool's name, as the number of words that the
 * name has (3 bits; 7 stands for 7 and more, 0 for a term that is not in it).
 */
const UNITS_PER_OCCURRENCE = 500;
const COUNT_BITS = 13;
const COUNT_MAX = (1 << COUNT_BITS) - 1;
const NAME_WORDS_MAX = 7;

/** `nameWords` is 0 for a term that is not in the name. A term that counts at all counts at least one unit. */
export function packWeight(occurrences: number, nameWords: number): number {
  const units = Math.max(1, Math.min(COUNT_MAX, Math.round(occurrences * UNITS_PER_OCCURRENCE)));
  return (Math.min(NAME_WORDS_MAX, nameWords) << COUNT_BITS) | units;
}

/** How often the term counts. */
export function occurrencesOf(weight: number): number {
  return (weight & COUNT_MAX) / UNITS_PER_OCCURRENCE;
}

/** The share of the tool's name that the term is, 0 to 1. */
export function nameShareOf(weight: number): number {
  const words = weight >>> COUNT_BITS;
  return words === 0 ? 0 : 1 / words;
}
