/**
 * The table's words inside a run of a script that is written without spaces: from the left, at each character the
 * longest word `has` knows, then on behind it. `tokenise` splits such runs in bigrams, whose terms are no keys of the
 * expansions; a query looks its runs up with this instead, lower-cased and NFKC, `has` being the search among
 * `Expansions.keys`. `maxChars` is the length of the longest word in UTF-16 units; the work is `run.length` × `maxChars`.
 */
export function wordsInRun(run: string, has: (word: string) => boolean, maxChars: number): string[] {
  const found: string[] = [];
  let at = 0;
  while (at < run.length) {
    const word = longestAt(run, at, has, maxChars);
    if (word !== undefined) found.push(word);
    at += word?.length ?? 1;
  }
  return found;
}

function longestAt(
  run: string,
  at: number,
  has: (word: string) => boolean,
  maxChars: number,
): string | undefined {
  for (let end = Math.min(run.length, at + maxChars); end > at; end -= 1) {
    const word = run.slice(at, end);
    if (has(word)) return word;
  }
  return undefined;
}
