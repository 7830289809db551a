import { letterTokens } from "./name-tokens.ts";
import { utf8Length } from "./utf8-length.ts";

/** Words and runs of marks that make up rendered schemas, each one token of cl100k (a test counts them). */
export const SINGLE_TOKENS: ReadonlySet<string> = new Set(
  [
    "type string object number integer boolean array null properties required items enum const default description format",
    "pattern minimum maximum additional true false the of to for and in is or a name id path query file user list value",
    `":{" ":" "," "}," ":[" "]," {" "} ": }," "]`,
  ].flatMap((pieces) => pieces.split(" ")),
);

const PIECES = /[a-z]+|[A-Z]|[0-9]+|["{}[\]:,]+|[\p{ASCII}]|[^\p{ASCII}]+/gu;

/**
 * A cheap bound on the cl100k tokens of a rendered schema, from above: for where no tokenizer may run. Known pieces count one; digits go
 * three to a token and never join anything else; small letters go in pairs but for rare ones, so that about a third of a run is
 * saved; everything else counts a token each character, or each byte of UTF-8. It is loose: about two to three times the real
 * count, so whoever can count (ingest) should.
 */
export function tokenBound(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) tokens += SINGLE_TOKENS.has(piece) ? 1 : pieceBound(piece);
  return tokens;
}

function pieceBound(piece: string): number {
  const unit = piece.charCodeAt(0);
  const { length } = piece;
  if (unit >= 0x80) return utf8Length(piece);
  if (unit >= 0x61 && unit <= 0x7a) return letterTokens(piece);
  if (unit >= 0x30 && unit <= 0x39) return Math.ceil(length / 3);
  return length;
}
