/** How likely a sentence is what is asked for, among sentences: a story around a question is told in statements. */
export type Asking = "asks" | "open" | "states";

function listOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** What people tell a program to do, in the form in which they do. */
const ORDERS = listOf(
  "acknowledge activate add adjust alert allow amend analyse analyze append apply approve archive arrange ask " +
    "assign attach block book break bring build calculate call cancel change charge check choose clean clear click " +
    "clone close collect combine comment commit compare complete compose compress compute condense configure confirm " +
    "connect convert copy correct count create cut deactivate debug decode decrypt define delete deploy describe " +
    "detect determine disable discover dismiss display divide download draft drag draw drop dump duplicate edit email " +
    "enable encode encrypt enter enumerate erase estimate evaluate examine execute explain explore export extract " +
    "fetch figure fill filter find fix flag follow fork format forward gather generate get give go grab group hide " +
    "highlight identify import include insert inspect install invite invoke issue join jot keep kick kill label " +
    "launch let list listen load locate lock log look lookup make map mark measure merge message modify monitor move " +
    "multiply name navigate notify obtain open order organise organize outline paste pause perform pick ping place " +
    "plan play plot post predict prepare present press print process produce provide provision publish pull push put " +
    "query rank react read rebuild receive recommend record recover refund regenerate register reindex reject release " +
    "reload remind remove rename replace reply report request rerun research reset resize resolve restart restore " +
    "resume retrieve return revert review rewrite roll rotate run save scan schedule scrape scroll search see select " +
    "send set share shorten show shrink shut sign solve sort speak split stage start stop store stream strip submit " +
    "subscribe subtract suggest summarise summarize supply switch sync take tell test toggle track transcode " +
    "transcribe transfer transform translate trigger turn type undo uninstall unlock unstage unsubscribe update " +
    "upgrade upload use validate verify view visit visualise visualize wait warn watch write zip zoom",
);
/** What a question begins with, whatever sign it ends with. */
const QUESTIONS = listOf("what which who whose how where why is are was were do does did has");
/** How a request is made that is neither; the words of a clause, joined by spaces. */
const REQUEST =
  /\bplease\b|\b(?:can|could|would|will) you\b|\b(?:i|we) (?:need|want|must|have to|wish|would like|d like|(?:am|m|are|re) (?:looking|trying to))\b|\bhelp me\b|\blet u?s\b/;
/** What a statement begins with: somebody or something it is about. No order and no heading does. */
const SUBJECTS = listOf(
  "i we he she it they you my our his her their your its this that these those there the a an " +
    "nobody nothing everyone everybody everything someone somebody something neither whoever",
);
/** What opens a circumstance; whether a statement follows is told by a person in it. */
const CIRCUMSTANCES = listOf(
  "yesterday today tomorrow last since on in at during between after before because when while if although though despite " +
    "with for from to by until as not even ever once back every sometimes lately meanwhile two three several half most some many",
);
const PERSONS = listOf("i we he she they nobody everyone everybody someone somebody");
/** Verbs that a statement has, and an order only behind one of those that begin a clause. */
const FINITE = listOf("is are was were am has had have will would did does isn wasn weren aren");
const CLAUSE_BEGINNINGS = listOf("who which what when where how why that whether if whatever");
/** What stands before a sentence's beginning and says nothing of what follows, beside adverbs. */
const OPENINGS = listOf(
  "then and also next finally first now just so but or well ok okay yes no anyway hi hello hey dear sorry",
);
const WORD = /[\p{L}\p{N}]+/gu;
const CLAUSE_END = /[,:—–]/u;
/** How far a sentence's verb is looked for. */
const NEAR_WORDS = 7;

/** Whether a word is something that people tell a program to do. */
export function isOrder(word: string): boolean {
  return ORDERS.has(word);
}

function isSkipped(word: string): boolean {
  return OPENINGS.has(word) || (word.endsWith("ly") && !ORDERS.has(word));
}

function wordsOf(text: string): readonly string[] {
  const words = text.match(WORD) ?? [];
  const first = words.findIndex((word) => !isSkipped(word));
  return first < 0 ? [] : words.slice(first);
}

/** Whether one of the first words is a verb that a statement has: none of a clause that hangs on an order. */
function hasNearVerb(words: readonly string[]): boolean {
  for (const word of words.slice(1, NEAR_WORDS)) {
    if (CLAUSE_BEGINNINGS.has(word)) return false;
    if (FINITE.has(word)) return true;
  }
  return false;
}

/** Whether a sentence asks, as far as its form tells. English alone is known; a sentence in another language stays open. */
export function askingOf(sentence: string, isQuestion: boolean): Asking {
  if (isQuestion) return "asks";
  const clauses = sentence.toLowerCase().split(CLAUSE_END).map(wordsOf);
  if (clauses.some((words) => REQUEST.test(words.join(" ")))) return "asks";
  const [words = [], ...more] = clauses.filter(({ length }) => length > 0);
  const first = words[0] ?? "";
  if (first === "what" && (words[1] === "a" || words[1] === "an")) return "states";
  if (QUESTIONS.has(first) || more.some(([word = ""]) => ORDERS.has(word))) return "asks";
  if (SUBJECTS.has(first)) return "states";
  if (CIRCUMSTANCES.has(first)) {
    return [words.slice(1), ...more].flat().some((word) => PERSONS.has(word)) ? "states" : "open";
  }
  if (hasNearVerb(words)) return "states";
  return ORDERS.has(first) ? "asks" : "open";
}
