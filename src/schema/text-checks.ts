import { format } from "@cfworker/json-schema";
import type { PatternProgram } from "./pattern-program.ts";
import { matchPattern } from "./pattern-match.ts";
import { GuardTrip, type WorkMeter } from "./work-meter.ts";

export type TextCheck = (text: string) => boolean;

/** The format of a schema that has the length of a string counted and no pattern of its own: it charges for the counting. */
export const COUNTED_TEXT = "loomgate-text";

/** Characters that the validator counts in the time of one unit. */
const CHARS_PER_UNIT = 2048;

/** Patterns as checks that charge the meter, by the names that the prepared schema gives them. */
export function textChecks(
  programs: ReadonlyMap<string, PatternProgram>,
  meter: WorkMeter,
): Map<string, TextCheck> {
  const charge = (text: string): void => {
    meter.spend(Math.floor(text.length / CHARS_PER_UNIT));
  };
  const checks = new Map<string, TextCheck>();
  checks.set(COUNTED_TEXT, (text) => {
    charge(text);
    return true;
  });
  for (const [name, program] of programs) {
    checks.set(name, (text) => {
      charge(text);
      return matches(program, text, meter);
    });
  }
  return checks;
}

/** Whether a pattern matches; stops the validation where its budget ends. */
export function matches(program: PatternProgram, text: string, meter: WorkMeter): boolean {
  const outcome = matchPattern(program, text, meter.patterns);
  if (outcome === "exhausted") throw new GuardTrip("work_exceeded");
  return outcome === "match";
}

/**
 * Runs `run` while each check's name is a format that the validator knows. The validator compiles `pattern` with the engine's
 * own backtracking matcher and takes no other, but looks formats up in this table, in the place where the keyword stands; so a
 * pattern means the same under `anyOf` and `not` as anywhere. Validation is synchronous, so nobody else ever sees the entries.
 */
export function withTextChecks<Value>(checks: ReadonlyMap<string, TextCheck>, run: () => Value): Value {
  for (const [name, check] of checks) format[name] = check;
  try {
    return run();
  } finally {
    for (const name of checks.keys()) Reflect.deleteProperty(format, name);
  }
}
