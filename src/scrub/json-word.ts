const NUMBER_RUN = /[-+.\deE]+/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
const LITERAL = /true|false|null/y;
const LITERAL_MAX_CHARS = 5;

/** A number, or one of JSON's three words: where it ends, and which of the two it is. */
export interface JsonWord {
  readonly end: number;
  readonly isNumber: boolean;
}

/**
 * The word that begins at `start`; `more` where the text ends before it may, which counts while no more than `reach`
 * characters of it are there and more may come.
 */
export function wordAt(
  text: string,
  start: number,
  { isLast, reach }: { readonly isLast: boolean; readonly reach: number },
): JsonWord | "more" | "faulty" {
  const isNumber = text.charCodeAt(start) <= 0x39;
  const run = isNumber ? NUMBER_RUN : LITERAL;
  run.lastIndex = start;
  const end = run.test(text) ? run.lastIndex : start;
  const [had, left] = [end - start, text.length - start];
  if (!isLast && left <= reach && (isNumber ? had === left : left < LITERAL_MAX_CHARS)) return "more";
  if (had === 0 || (isNumber && !NUMBER.test(text.slice(start, end)))) return "faulty";
  return { end, isNumber };
}
