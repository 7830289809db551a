/** `File`, `file` and `FILE` inside identifiers of every style, and in prose. */
const WORD = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g;
const SHORTEST_PLURAL = 5;

/** The words of a text, lower-cased; letters of the Latin alphabet only. */
export function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).map((word) => word.toLowerCase());
}

/** A plural in `s` without it, so that a thing keeps one name in both. */
export function singularOf(word: string): string {
  const isPlural = word.length >= SHORTEST_PLURAL && word.endsWith("s") && !word.endsWith("ss");
  return isPlural ? word.slice(0, -1) : word;
}

/** The text with words put in the place of others (singulars, lower-cased); case and plural stay. */
export function replaceWords(text: string, others: ReadonlyMap<string, string>): string {
  return text.replace(WORD, (word) => {
    const lower = word.toLowerCase();
    const singular = singularOf(lower);
    const other = others.get(singular);
    if (other === undefined) return word;
    const whole = singular === lower ? other : `${other}s`;
    if (word.length > 1 && word === word.toUpperCase()) return whole.toUpperCase();
    return word === lower ? whole : whole.charAt(0).toUpperCase() + whole.slice(1);
  });
}
