import { isLightWord } from "../text/light-words.ts";
import { stem } from "../text/stem.ts";
import { isStopWord } from "../text/stop-words.ts";
import { isOrder } from "./asking.ts";

function listOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** What a thing's name stands behind: articles, possessives, quantities, prepositions. */
const OPENERS = listOf(
  "a an the this that these those my our your his her its their any some each every both no all which whose " +
    "of in on at by for from with without into onto about as within between through across against via per under over " +
    "behind beside around near along during after before until since to like another other next last first second third " +
    "one two three four five six seven eight nine ten twenty thirty forty fifty hundred thousand",
);
/** Behind these an order is an order again: `and add`, `to open`. */
const JOINTS = listOf("and or to then");
/** Behind these stands a name that somebody chose. */
const NAMERS = listOf("called named titled labelled labeled");
/** Behind these no name goes on. */
const CLOSERS = listOf(
  "whether if else itself themselves himself herself myself yourself neither either rather instead ago already once twice later meanwhile " +
    "whatever whoever everybody everyone everything somebody someone something anybody anyone anything nobody nothing",
);
/** When is no thing that a tool must know of. */
const TIMES = listOf(
  "minute minutes hour hours day days week weeks month months year years moment meantime " +
    "morning noon afternoon evening night today tomorrow yesterday",
);
const PIECE = /\S+/gu;
/** From a piece's first letter or digit to its last. */
const CORE = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/u;
const QUOTED = /(?<![\p{L}\p{N}])(['"])[^'"]{1,80}\1(?![\p{L}\p{N}])|[“„«‘][^”“»’]{1,80}[”“»’]/gu;
/** Digits, an inner capital, or what stands inside paths, addresses and identifiers. */
const LITERAL = /[0-9_@#/\\$]|[\p{L}\p{N}][.:][\p{L}\p{N}]|\p{Ll}\p{Lu}/u;
const CAPITALISED = /^\p{Lu}\p{Ll}/u;
const PLAIN = /^[a-z]{3,}$/;
const NO_NAME_ENDING = /.{3}(?:ly|ed|able|ible|ous|ful|less)$/;
const POSSESSIVE = /['’]s$/u;
const NEGATED = /n['’]t$/u;
const PAUSE = /[,:;()–—]$/u;
/** Letters that no English word has, but for a borrowed one. */
const OTHER_LETTERS = /(?![a-z])\p{L}/iu;
/** So many function words make a sentence English; one does where it is short. */
const ENGLISH_WORDS = 2;
const SHORT_PIECES = 6;

/**
 * The words of an English sentence that name things, as far as its form tells, as terms: what stands behind an article, a
 * preposition, an order or the first word, and is no verb, adverb, time or name that somebody gave. None of another language's.
 */
export function thingsOf(sentence: string): ReadonlySet<string> {
  const things = new Set<string>();
  if (OTHER_LETTERS.test(sentence)) return things;
  // How long a quotation is hangs on its words, not on the space between them.
  const spaced = (sentence.match(PIECE) ?? []).join(" ");
  const pieces = spaced.replace(QUOTED, " ' ").match(PIECE) ?? [];
  let isOpen = false;
  let before = "";
  let functionWords = 0;
  for (const [at, piece] of pieces.entries()) {
    const core = CORE.exec(piece)?.[0].replace(POSSESSIVE, "") ?? "";
    const isLiteral = LITERAL.test(core) || NAMERS.has(before) || (at > 0 && CAPITALISED.test(core));
    if (NEGATED.test(core)) isOpen = false;
    for (const word of core.replace(NEGATED, "").toLowerCase().split(/['’-]/u)) {
      if (isStopWord(word)) functionWords += 1;
      if (OPENERS.has(word)) isOpen = true;
      else if (CLOSERS.has(word)) isOpen = false;
      else if (!JOINTS.has(word) && !isLightWord(stem(word))) {
        if (isStopWord(word)) isOpen = false;
        else if (at === 0 || (isOrder(word) && (!isOpen || JOINTS.has(before)))) isOpen = true;
        else if (isOpen && !isLiteral && isName(word)) things.add(stem(word));
      }
      before = word;
    }
    if (PAUSE.test(piece)) isOpen = false;
  }
  return functionWords >= (pieces.length < SHORT_PIECES ? 1 : ENGLISH_WORDS) ? things : new Set();
}

function isName(word: string): boolean {
  return PLAIN.test(word) && !NO_NAME_ENDING.test(word) && !TIMES.has(word);
}
