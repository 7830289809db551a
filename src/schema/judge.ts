import { type OutputUnit, validate, type ValidationResult } from "@cfworker/json-schema";
import { EXPLANATION_WORK_MAX_UNITS } from "../limits.ts";
import { boundedPath } from "./bounded-path.ts";
import { findDuplicates } from "./duplicates.ts";
import { type ArgumentError, explainErrors } from "./explain-errors.ts";
import { type ArgumentsShape, inspectArguments } from "./inspect-arguments.ts";
import { withNamedPatterns } from "./pattern-properties.ts";
import type { PreparedSchema } from "./prepared-schema.ts";
import { roundedNumbers } from "./rounded-numbers.ts";
import { standIn, type StoodIn } from "./stand-ins.ts";
import { textChecks, withTextChecks } from "./text-checks.ts";
import { withExactNumbers } from "./value-rules.ts";
import { type Dearness, type Guard, GuardTrip, type WorkMeter } from "./work-meter.ts";

/**
 * Whether arguments satisfy a schema. `errors` are never empty and never contain values. With `guard`, the arguments were
 * refused unjudged: that error's keyword is the guard's name, its path where it was reached.
 */
export type Verdict =
  | { readonly valid: true }
  | { readonly valid: false; readonly errors: readonly ArgumentError[]; readonly guard?: Guard };

/**
 * Names of the widest object that cost a unit each time that object is looked at, and schemas made for names by patterns:
 * listing either takes the engine about as long.
 */
const MEMBERS_PER_UNIT = 128;

/**
 * Judges with a schema that is already prepared: what meta-validation, itself a part of preparing, is left with. A `trusted`
 * schema is ours and looks at each object a few times, so that wide objects cost it no more than many small ones.
 */
export function judge(instance: unknown, schema: PreparedSchema, meter: WorkMeter, trusted = false): Verdict {
  const shape = inspectArguments(instance);
  if (!shape.ok) return refused(shape.reason.guard, shape.reason.path);
  const judged = shape.value.exact
    ? standIn(instance, roundedNumbers(schema))
    : { instance, numbers: NO_NUMBERS };
  if (judged === undefined) return refused("arguments_not_json", "");
  try {
    const dear = dearness(judged.instance, trusted ? { ...shape.value, widest: 0 } : shape.value, schema);
    meter.reset(dear);
    return withNamedPatterns(schema.patternObjects, shape.value.keys, meter, (named) => {
      meter.dear = { ...dear, surcharge: Math.floor(dear.surcharge + named / MEMBERS_PER_UNIT) };
      const checks = textChecks(schema.formats, meter);
      return withExactNumbers(schema.valueRules, judged.numbers, checks, () =>
        withTextChecks(checks, () => verdict(judged, schema, meter)),
      );
    });
  } catch (error) {
    return refused(error instanceof GuardTrip ? error.guard : "validator_failed", "");
  }
}

const NO_NUMBERS: StoodIn["numbers"] = new Map();

function refused(guard: Guard, path: string): Verdict {
  return { valid: false, errors: [{ path: boundedPath(path), keyword: guard }], guard };
}

function dearness(instance: unknown, { widest, arrays }: ArgumentsShape, schema: PreparedSchema): Dearness {
  const { any, pairwise } =
    schema.asksUnique && arrays > 0 ? findDuplicates(instance) : { any: false, pairwise: 0 };
  return { surcharge: Math.floor(widest / MEMBERS_PER_UNIT), widest, duplicates: any, pairwise };
}

function verdict({ instance, numbers }: StoodIn, schema: PreparedSchema, meter: WorkMeter): Verdict {
  const first = run(instance, schema, true);
  if (first.valid) return { valid: true };
  const units = allErrors(instance, schema, meter) ?? first.errors;
  return { valid: false, errors: explainErrors(units, instance, schema, numbers) };
}

/** Beyond the first mistake, as far as a second, smaller budget goes; the first pass's answer stands in any case. */
function allErrors(
  instance: unknown,
  schema: PreparedSchema,
  meter: WorkMeter,
): readonly OutputUnit[] | undefined {
  try {
    meter.reset(meter.dear, EXPLANATION_WORK_MAX_UNITS);
    return run(instance, schema, false).errors;
  } catch {
    return undefined;
  }
}

function run(instance: unknown, { root, lookup }: PreparedSchema, shortCircuit: boolean): ValidationResult {
  // Everything draft-specific has been settled in preparing; what the validator does under this name is what is left.
  return validate(instance, root, "2019-09", lookup, shortCircuit);
}
