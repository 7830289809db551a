/** The words of tool names that are no topics, by the part they play. All lower-case, as `splitWords` gives them. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** What can be done to anything: says nothing of what a tool is about, wherever it stands. */
export const COMMON_VERBS = words(
  "add append apply archive assign attach authenticate batch bulk can change clear clone close compute " +
    "configure convert count create customize debug delete describe detach disable discover download " +
    "duplicate edit enable ensure exists extract fetch find force generate get has initialize insert " +
    "install invoke is list load lookup make manage merge modify move multi open patch perform populate " +
    "put read reload remove rename replace reset resolve restart restore resume retrieve run save scan " +
    "search select send set setup show start stop submit swap sync toggle trigger unarchive undo " +
    "uninstall unset update upload upsert use validate verify view wait write deprecated",
);

/** Verbs that are nouns as often: a verb at the head of a name that has an object, a noun elsewhere. */
export const NOUN_VERBS = words(
  "access alert analyze assert audit ban block book build buy call cancel capture chat check click " +
    "comment commit compare complete confirm connect copy deploy design display draw evaluate execute " +
    "expect explain export filter follow fork format forward go import index inspect invite join kill " +
    "label leave link lock log map mark match measure monitor mute navigate notify order pause pin play " +
    "plot post press preview print process promote publish pull purge push query rate reply report " +
    "request review rotate schedule score scrape share sort split star subscribe summarize switch tag " +
    "take terminate test track transfer translate trash type unfollow unlock unpin unprotect unsubscribe " +
    "untrash watch dismiss approve reject accept decline demote decompile disassemble protect optimize",
);

/** A topic of last resort must say more than that something is read or written. */
export const ACTIONS = words(
  "archive click clone compute convert debug download extract go install lookup merge navigate open " +
    "restore run scan scrape search send start stop sync test upload validate verify wait watch",
);

/** Words that only qualify the noun beside them, and joining words. */
export const QUALIFIERS = words(
  "a active all an and any auto available base basic both by current custom default each every existing " +
    "first full generic given global last latest local many me mini minimal more multiple my new next no " +
    "not old only or other own per previous quick random raw recent related required selected self shared " +
    "simple single smart some specific sub that the their this today top total unread up us visible your",
);

/** What follows one of these is a circumstance of the tool, seldom its topic. */
export const PREPOSITIONS = words(
  "about across after against as associated at based before between by during for from in inside into " +
    "of on onto out over since than through to under until using via when where which with within without",
);

/** Verbs of things that can be counted: their object has a plural. */
export const COUNTING_VERBS = words("add create delete insert list remove");

/** Nouns that go with every other: they name a topic only where nothing else does. */
export const VAGUE_NOUNS = words(
  "config configuration content count data detail id info information item list metadata name option " +
    "param parameter process property result setting size state statistic stat status summary type url " +
    "value",
);
