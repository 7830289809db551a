const STOP_WORDS: ReadonlySet<string> = new Set("a an the and or of to in on for with".split(" "));

/** An ending that is cut, and how many letters a word must have for it; the first that fits. */
const ENDINGS = [
  ["ing", 5],
  ["ed", 4],
  ["es", 4],
  ["s", 3],
] as const;

/** Latin words and numbers, and each Han character by itself. */
const WORD = /[a-z0-9]+|[\u4e00-\u9fff]/g;

function lightStem(word: string): string {
  const found = ENDINGS.find(
    ([ending, shortest]) =>
      word.length >= shortest && word.endsWith(ending) && !(ending === "s" && word.endsWith("ss")),
  );
  return found === undefined ? word : word.slice(0, -found[0].length);
}

/**
 * The words of a text as the baseline reads it: identifiers split at case and at what is no letter or digit, lower-cased,
 * without the eleven commonest English words, endings of inflection cut. Of the plain ways to read a text that were
 * tried, this one comes nearest to the published figures of the sets (recall@5 within half a point on all four).
 */
export function plainWords(text: string): string[] {
  const split = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  const words: readonly string[] = split.toLowerCase().match(WORD) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word)).map(lightStem);
}
