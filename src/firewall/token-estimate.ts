/** Letters of one token in a longer word: what cl100k makes of English and of most identifiers. */
const LETTERS_IN_A_TOKEN = 6;
/** cl100k never joins more digits. */
const DIGITS_IN_A_TOKEN = 3;

type Kind = "letter" | "digit" | "space" | "mark" | "wide" | "other";

/**
 * About how many cl100k tokens a text has, in one pass and without a tokenizer, whose tables have no place on the request
 * path. Good to within a factor of two; it decides what is shown at once, and exactness is not needed for that.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let run = 0;
  let before: Kind = "space";
  for (let index = 0; index <= text.length; index += 1) {
    const kind = index < text.length ? kindOf(text.charCodeAt(index)) : "space";
    if (kind === before && index < text.length) {
      run += 1;
      continue;
    }
    tokens += runTokens(before, run);
    // Only letters and marks take a space before them into their token.
    if (before === "space" && run === 1 && kind === "digit") tokens += 1;
    before = kind;
    run = 1;
  }
  return Math.ceil(tokens);
}

function kindOf(unit: number): Kind {
  if (unit === 32 || (unit >= 9 && unit <= 13)) return "space";
  if (unit >= 0x30 && unit <= 0x39) return "digit";
  if ((unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a)) return "letter";
  if (unit < 0x80) return "mark";
  return unit < 0x900 ? "other" : "wide";
}

function runTokens(kind: Kind, run: number): number {
  switch (kind) {
    // One space belongs to the word behind it, and a longer run is a token or two.
    case "space":
      return run > 1 ? 1 + run / 64 : 0;
    case "digit":
      return Math.ceil(run / DIGITS_IN_A_TOKEN);
    case "letter":
      return Math.ceil(run / LETTERS_IN_A_TOKEN);
    case "mark":
      return Math.ceil(run / 2);
    case "other":
      return Math.ceil(run / 2);
    case "wide":
      return run;
  }
}
