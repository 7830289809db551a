/** Lines of words without comments and empty lines. */
function readLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim().normalize("NFKC").toLowerCase())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** Groups of words, one a line. */
export function readGroups(text: string): string[][] {
  return readLines(text).map((line) => line.split(/\s+/));
}

/** Words of another language with the English words for them, the best first: `datei: file document`. */
export function readTranslations(text: string): Map<string, string[]> {
  const translations = new Map<string, string[]>();
  for (const line of readLines(text)) {
    const colon = line.indexOf(":");
    const word = line.slice(0, colon).trim();
    if (colon < 1 || word.includes(" ")) throw new Error(`not a translation of one word: ${line}`);
    translations.set(word, [
      ...(translations.get(word) ?? []),
      ...line
        .slice(colon + 1)
        .trim()
        .split(/[\s,]+/),
    ]);
  }
  return translations;
}
