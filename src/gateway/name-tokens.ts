const RUNS = /[a-z]+|[0-9]+|[_-]/g;
const VOWELS = /[aeiouy]/g;

/**
 * About how many cl100k tokens a namespace's name has, from above for a list of names: letters that can be spoken go at
 * least in pairs (English goes in whole words), the others at least in groups of three to two tokens, digits in threes. A
 * single name may be a token more; some twenty together are not, which a test counts.
 */
export function nameTokens(name: string): number {
  let tokens = 0;
  for (const [run] of name.matchAll(RUNS)) tokens += runTokens(run);
  return tokens;
}

function runTokens(run: string): number {
  if (run === "-" || run === "_") return 1;
  if (/^[0-9]/.test(run)) return Math.ceil(run.length / 3);
  const vowels = run.match(VOWELS)?.length ?? 0;
  return Math.ceil(vowels * 4 >= run.length ? run.length / 2 : (run.length * 2) / 3);
}
