/**
 * English function words: they join a sentence and say nothing of a tool. Words that tools are told apart by are not
 * among them: verbs and quantifiers (`get`, `all`, `no`, `new`), nor questions (`when` asks a calendar, `where` a
 * map). The single letters are what an apostrophe leaves behind.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the this that these those it its there here " +
    "i me my we us our you your he she him her his they them their " +
    "am is are was were be been being do does did has have had will would shall should can could may might must " +
    "of to in on at by for from with as into onto about than then and or but if so because " +
    "also just very too please want wants need needs like such any some each " +
    "s t d m l ll re ve"
  ).split(" "),
);

/** Whether a lower-cased, unstemmed word carries no meaning of its own. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
