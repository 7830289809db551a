import { format } from "@cfworker/json-schema";
import type { PatternProgram } from "./pattern-program.ts";
import { matchPattern } from "./pattern-match.ts";
import { GuardTrip, type WorkMeter } from "./work-meter.ts";

/**
 * Runs `run` while each pattern's name is a format that the validator knows. The validator compiles `pattern` with the engine's
 * own backtracking matcher and takes no other, but looks formats up in this table, in the place where the keyword stands; so a
 * pattern means the same under `anyOf` and `not` as anywhere. Validation is synchronous, so nobody else ever sees the entries.
 */
export function withPatternFormats<Value>(
  programs: ReadonlyMap<string, PatternProgram>,
  meter: WorkMeter,
  run: () => Value,
): Value {
  for (const [name, program] of programs) {
    format[name] = (text) => {
      const outcome = matchPattern(program, text, meter.patterns);
      if (outcome === "exhausted") throw new GuardTrip("work_exceeded");
      return outcome === "match";
    };
  }
  try {
    return run();
  } finally {
    for (const name of programs.keys()) Reflect.deleteProperty(format, name);
  }
}
