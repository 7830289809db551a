/** Levels as they are counted, the worst first. */
export const LEVELS = ["FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"] as const;
export type Level = (typeof LEVELS)[number];

const NAMES: ReadonlyMap<string, Level> = new Map(
  Object.entries({
    FATAL: "FATAL CRITICAL CRIT EMERGENCY EMERG ALERT PANIC",
    ERROR: "ERROR ERR SEVERE",
    WARN: "WARN WARNING",
    INFO: "INFO INFORMATION NOTICE",
    DEBUG: "DEBUG",
    TRACE: "TRACE VERBOSE FINE FINER FINEST",
  } satisfies Record<Level, string>).flatMap(([level, names]) =>
    names.split(" ").map((name): [string, Level] => [name, LEVELS.find((each) => each === level) ?? "INFO"]),
  ),
);

/** Where a level stands: behind time and place, in front of the message. */
const PREFIX_CHARS = 160;
/** A word that is alone between spaces and marks. */
const CAPITALS = /(?:^|[\s[(<|:\]])([A-Z]{3,11})(?=$|[\s\]):>|,])/g;
/** The same in small letters is a level in brackets, or with a colon at the line's beginning. */
const BRACKETED = /\[(?:[a-z_0-9]+:)?([a-z]{3,11})\]/;
const LEADING = /^(?:[^A-Za-z]*\s)?([A-Za-z]{3,11}):\s/;
/** `level=error` of logfmt, `"level":"error"` and `"severity": "ERROR"` of JSON. */
const KEYED =
  /(?:^|[\s,{])"?(?:log\.?level|level|lvl|severity|levelname|log_level|loglevel|@l)"?\s*[=:]\s*"?([A-Za-z]{3,11}|[1-6]0)\b/i;
/** The numbers of bunyan and pino. */
const NUMBERS: ReadonlyMap<string, Level> = new Map([
  ["10", "TRACE"],
  ["20", "DEBUG"],
  ["30", "INFO"],
  ["40", "WARN"],
  ["50", "ERROR"],
  ["60", "FATAL"],
]);
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

export function namedLevel(head: string): { readonly level: Level; readonly form: LevelForm } | undefined {
  const keyed = KEYED.exec(head)?.[1];
  if (keyed !== undefined) {
    const number = NUMBERS.get(keyed);
    if (number !== undefined) return { level: number, form: "number" };
    const level = NAMES.get(keyed.toUpperCase());
    if (level !== undefined) return { level, form: "word" };
  }
  const glog = GLOG_LEVELS.get(GLOG.exec(head)?.[1] ?? "");
  if (glog !== undefined) return { level: glog, form: "glog" };
  const level = wordLevel(head);
  return level === undefined ? undefined : { level, form: "word" };
}

function wordLevel(head: string): Level | undefined {
  const prefix = head.slice(0, PREFIX_CHARS);
  for (const match of prefix.matchAll(CAPITALS)) {
    const level = NAMES.get(match[1] ?? "");
    if (level !== undefined) return level;
  }
  const small = BRACKETED.exec(prefix)?.[1] ?? LEADING.exec(prefix)?.[1];
  return small === undefined ? undefined : NAMES.get(small.toUpperCase());
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
