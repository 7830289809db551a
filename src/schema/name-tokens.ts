/**
 * The pairs of small letters that cl100k has no token for, by their first letter (a test counts all 676). Everything else
 * follows: the encoding never leaves two neighbours apart that make a token together.
 */
const APART: ReadonlyMap<string, string> = new Map(
  "bq fjz gjkq hj jgvwxyz kqxz lq mz nq oq qfgjkoyz rj tjq uq vqz wqvz xghjkquvw yfjqv zgjqrv"
    .split(" ")
    .map((letters) => [letters.slice(0, 1), letters.slice(1)]),
);

/** A run's own tokens are never more than its bound; one that reaches across, as `_a` may, is counted with its mark. */
const RUNS = /[a-z]+|[0-9]+|[^a-z0-9]/g;

/**
 * The most tokens that a run of small letters can have: single letters stand side by side only where they make no token
 * together, so in most words every second token has two letters at least.
 */
export function letterTokens(run: string): number {
  // The most tokens up to here with the last letter alone and in any way, and in any way up to the letter before.
  let [alone, most, mostBefore] = [0, 0, 0];
  // The same where the last token has two letters or more.
  let longer = 0;
  let before = "";
  for (const letter of run) {
    const apart = before === "" || APART.get(before)?.includes(letter) === true;
    const joined = before === "" ? 0 : Math.max(longer, mostBefore + 1);
    alone = Math.max(longer, apart ? alone : 0) + 1;
    [longer, mostBefore, most, before] = [joined, most, Math.max(alone, joined), letter];
  }
  return most;
}

/**
 * A bound from above on the cl100k tokens of an ASCII name or path without capitals, or of many in a row: letters by
 * `letterTokens`, digits three to a token, each mark one. Near the real count for names that are no words, about two to
 * three times that of English.
 */
export function nameTokens(name: string): number {
  let tokens = 0;
  for (const [run] of name.matchAll(RUNS)) tokens += runTokens(run);
  return tokens;
}

function runTokens(run: string): number {
  if (/^[a-z]/.test(run)) return letterTokens(run);
  return /^[0-9]/.test(run) ? Math.ceil(run.length / 3) : 1;
}
