/** Shorter words are left alone: cutting them joins strangers (`use`, `bus`, `red`). */
const SHORTEST = 4;
/** A stem begins as its word does, for so many UTF-16 units: `tries` is `try`. */
export const STEM_KEEPS_CHARS = 2;
const PLAIN = /^[a-z]+$/;
const VOWEL = /[aeiouy]/;
const SIBILANT_PLURAL = /(?:x|z|ch|sh|ss)es$/;
/** `news` without its s is another word, and one that half of all tools have. */
const NOT_A_PLURAL = /(?:ss|us|is|news)$/;
const DOUBLED = /([bdfgmnprt])\1$/;
const CONSONANT_VOWEL_CONSONANT = /^[^aeiou][aeiou][^aeiouwxy]$/;

function singular(word: string): string {
  if (word.endsWith("ies")) return word.length > SHORTEST ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  if (SIBILANT_PLURAL.test(word)) return word.slice(0, -2);
  return word.endsWith("s") && !NOT_A_PLURAL.test(word) ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string): string {
  if (word.endsWith("ied")) return word.length > SHORTEST ? `${word.slice(0, -3)}y` : word;
  const cut = word.endsWith("ing") ? 3 : word.endsWith("ed") && !word.endsWith("eed") ? 2 : 0;
  const root = cut === 0 ? word : word.slice(0, -cut);
  if (cut === 0 || root.length < 3 || !VOWEL.test(root)) return word;
  if (root.length > 3 && DOUBLED.test(root)) return root.slice(0, -1);
  return CONSONANT_VOWEL_CONSONANT.test(root) ? `${root}e` : root;
}

/**
 * A light English stem: plurals, `-ing`, `-ed`, `-tion` and a final `e`, so that create, creates, created, creating and
 * creation are one term. Suffixes that change what a word means (`-er`, `-ment`, `-ly`) stay: in tool names `server` is
 * no form of `serve`. Words with other letters than a–z come back as they are.
 */
export function stem(word: string): string {
  if (word.length < SHORTEST || !PLAIN.test(word)) return word;
  const verb = withoutVerbEnding(singular(word));
  const base = verb.length > 6 && verb.endsWith("tion") ? verb.slice(0, -3) : verb;
  return base.length > SHORTEST && base.endsWith("e") ? base.slice(0, -1) : base;
}
