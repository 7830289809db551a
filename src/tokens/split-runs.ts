import { TOKENIZER_RUN_MAX_CODE_UNITS } from "../limits.ts";

const SPACE = 0x20;
const FIRST_WIDE_SPACE = 0xa0;
const WHITE_SPACE = /\s/;

function isWhiteSpace(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  if (unit < FIRST_WIDE_SPACE) return unit === SPACE || (unit >= 0x09 && unit <= 0x0d);
  return WHITE_SPACE.test(text.charAt(index));
}

function isInsidePair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/**
 * The text in slices, cut wherever a run of white space, or of anything else, grows past the limit (UTF-16 units), and
 * never inside a surrogate pair. Slices join to the text; a text without long runs is one slice. The cuts in front of an
 * offset depend only on what stands before it, so every prefix of a text is cut like the text.
 */
export function* splitRuns(text: string): Generator<string, void, void> {
  let sliceStart = 0;
  let runStart = 0;
  let runIsSpace = false;
  // A text this short holds no longer run, and almost every text is this short.
  const end = text.length > TOKENIZER_RUN_MAX_CODE_UNITS ? text.length : 0;
  for (let index = 0; index < end; index += 1) {
    const space = isWhiteSpace(text, index);
    if (space !== runIsSpace) {
      runIsSpace = space;
      runStart = index;
    } else if (index - runStart === TOKENIZER_RUN_MAX_CODE_UNITS) {
      const cut = isInsidePair(text, index) ? index - 1 : index;
      yield text.slice(sliceStart, cut);
      sliceStart = cut;
      runStart = cut;
    }
  }
  if (sliceStart < text.length) yield text.slice(sliceStart);
}
