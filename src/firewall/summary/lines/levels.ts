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

/** The numbers of bunyan and pino. */
const NUMBERS: ReadonlyMap<string, Level> = new Map([
  ["10", "TRACE"],
  ["20", "DEBUG"],
  ["30", "INFO"],
  ["40", "WARN"],
  ["50", "ERROR"],
  ["60", "FATAL"],
]);

/** The level of this name, in any letters. */
export function levelWord(name: string): Level | undefined {
  return NAMES.get(name.toUpperCase());
}

export function levelNumbered(number: string): Level | undefined {
  return NUMBERS.get(number);
}
