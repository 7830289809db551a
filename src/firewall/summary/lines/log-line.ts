import { JsonLineLevel } from "./json-level.ts";
import { type Level, levelNumbered, levelWord } from "./levels.ts";

/** Where a level stands: behind time and place, in front of the message. */
const PREFIX_CHARS = 160;
/** A word that is alone between spaces and marks. */
const CAPITALS = /(?:^|[\s[(<|:\]])([A-Z]{3,11})(?=$|[\s\]):>|,])/dg;
/** The same in small letters is a level in brackets, or with a colon at the line's beginning. */
const BRACKETED = /\[(?:[a-z_0-9]+:)?([a-z]{3,11})\]/d;
const LEADING = /^(?:[^A-Za-z]*\s)?([A-Za-z]{3,11}):\s/d;
/** `level=error` of logfmt, `"level":"error"` and `"severity": "ERROR"` of JSON. */
const KEYED =
  /(?:^|[\s,{])"?(?:log\.?level|level|lvl|severity|levelname|log_level|loglevel|@l)"?\s*[=:]\s*"?([A-Za-z]{3,11}|[1-6]0)\b/i;
/** One `key=value` of logfmt; what stands in quotes is one value. */
const LOGFMT = /([\w.@-]{1,64})=(?:"((?:[^"\\]|\\.)*)"?|(\S*))/g;
const LOGFMT_BEGINS = /^\s*[\w.@-]{1,64}=/;
const LOGFMT_KEY = /^(?:log\.?level|level|lvl|severity|levelname|log_level)$/i;
/** The tag of a program in syslog, and the level behind it. */
const TAGGED =
  /^(?:<[0-9]{1,3}>)?[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} \S{1,64} [^\s:]{1,64}: ([A-Za-z]{3,11}):(?=\s)/d;
/** Of glog and klog: `E0102 15:04:05.678901`. */
const GLOG = /^([IWEF])[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}/;
const GLOG_LEVELS: ReadonlyMap<string, Level> = new Map([
  ["I", "INFO"],
  ["W", "WARN"],
  ["E", "ERROR"],
  ["F", "FATAL"],
]);

/** How a line names its level. */
export type LevelForm = "word" | "number" | "glog";

/** Patterns that find lines of FATAL and ERROR, and of WARN, for `grep` without regard to capitals. */
export const LEVEL_PATTERNS: Readonly<Record<LevelForm, { readonly bad: string; readonly warning: string }>> =
  {
    word: {
      bad: "\\b(fatal|crit(ical)?|emerg(ency)?|alert|panic|err(or)?|severe)\\b",
      warning: "\\bwarn(ing)?\\b",
    },
    number: { bad: '"level": ?[56]0\\b', warning: '"level": ?40\\b' },
    glog: { bad: "^[EF][0-9]{4} ", warning: "^W[0-9]{4} " },
  };

/** The level that a line of a log names, if it does. */
export function levelOf(head: string): Level | undefined {
  return namedLevel(head)?.level;
}

export interface NamedLevel {
  readonly level: Level;
  readonly form: LevelForm;
}

/** By the members of an object, by the keys of logfmt, else by what stands first: what the message says comes later. */
function namedLevel(head: string): NamedLevel | undefined {
  if (!/^\s*\{/.test(head)) return textLevel(head);
  const object = new JsonLineLevel();
  object.push(head);
  return object.isObject ? object.found : textLevel(head);
}

/** Of a line that is no JSON. */
export function textLevel(head: string): NamedLevel | undefined {
  const glog = GLOG_LEVELS.get(GLOG.exec(head)?.[1] ?? "");
  if (glog !== undefined) return { level: glog, form: "glog" };
  if (LOGFMT_BEGINS.test(head)) {
    for (const [, key = "", quoted, bare = ""] of head.matchAll(LOGFMT)) {
      const level = LOGFMT_KEY.test(key) ? levelWord(quoted ?? bare) : undefined;
      if (level !== undefined) return { level, form: "word" };
    }
    return undefined;
  }
  const keyed = KEYED.exec(head);
  const word = firstWord(head.slice(0, PREFIX_CHARS));
  if (keyed?.[1] !== undefined && keyed.index < (word?.at ?? Number.POSITIVE_INFINITY)) {
    const numbered = levelNumbered(keyed[1]);
    if (numbered !== undefined) return { level: numbered, form: "number" };
    const level = levelWord(keyed[1]);
    if (level !== undefined) return { level, form: "word" };
  }
  return word === undefined ? undefined : { level: word.level, form: "word" };
}

interface PlacedLevel {
  readonly level: Level;
  readonly at: number;
}

/** Of the words that could be a level, the one that stands first. */
function firstWord(prefix: string): PlacedLevel | undefined {
  const tagged = placed(TAGGED.exec(prefix));
  const small = [tagged, placed(BRACKETED.exec(prefix)), placed(LEADING.exec(prefix))];
  const capitals = [...prefix.matchAll(CAPITALS)].map(placed).find((each) => each !== undefined);
  return [...small, capitals]
    .filter((each) => each !== undefined)
    .reduce<PlacedLevel | undefined>(
      (first, each) => (each.at < (first?.at ?? Infinity) ? each : first),
      undefined,
    );
}

function placed(match: RegExpExecArray | null): PlacedLevel | undefined {
  const level = levelWord(match?.[1] ?? "");
  const at = match?.indices?.[1]?.[0];
  return level === undefined || at === undefined ? undefined : { level, at };
}

const TIMES = [
  // ISO 8601 and what is like it: 2026-01-02T03:04:05.678Z, 2026/01/02 03:04:05,678.
  /^[[(]?([0-9]{4}[-/][0-9]{2}[-/][0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z| ?[-+][0-9]{2}:?[0-9]{2})?)/,
  // syslog: Jan  2 03:04:05.
  /^(?:<[0-9]{1,3}>)?((?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2})/,
  // glog: I0102 15:04:05.678901.
  /^[IWEF]([0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?)/,
  // Web servers: 10.0.0.1 - - [02/Jan/2026:03:04:05 +0000].
  /^\S{1,64} \S{1,64} \S{1,64} \[([0-9]{2}\/[A-Z][a-z]{2}\/[0-9]{4}:[0-9]{2}:[0-9]{2}:[0-9]{2} [-+][0-9]{4})\]/,
  // A time alone.
  /^[[(]?([0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?)(?=[\s\])])/,
];
const KEYED_TIME =
  /(?:^|[\s,{])"?(?:timestamp|time|ts|@timestamp|@t|datetime)"?\s*[=:]\s*"?([0-9][0-9T:. +Z/-]{5,40})/;

/** The time with which a line of a log begins, or that it names, as it is written. */
export function timeOf(head: string): string | undefined {
  for (const time of TIMES) {
    const found = time.exec(head)?.[1];
    if (found !== undefined) return found;
  }
  return /^\S*[={]/.test(head.slice(0, PREFIX_CHARS)) ? KEYED_TIME.exec(head)?.[1]?.trim() : undefined;
}

const STATUS = /" ([1-5])[0-9]{2}(?: |$)/;

/** The first digit of an HTTP status in a web server's log. */
export function statusClassOf(head: string): string | undefined {
  return STATUS.exec(head)?.[1];
}
