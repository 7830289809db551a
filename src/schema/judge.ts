import { type OutputUnit, validate, type ValidationResult } from "@cfworker/json-schema";
import { findDuplicates } from "./duplicates.ts";
import { boundedPath } from "./bounded-path.ts";
import { type ArgumentError, explainErrors } from "./explain-errors.ts";
import { type ArgumentsShape, inspectArguments } from "./inspect-arguments.ts";
import { bareObject } from "../json.ts";
import { withPatternFormats } from "./pattern-formats.ts";
import { matchPattern } from "./pattern-match.ts";
import type { PatternProgram } from "./pattern-program.ts";
import { type Prepared, type PreparedSchema, schemaOf } from "./prepare.ts";
import { type Guard, GuardTrip, type WorkMeter } from "./work-meter.ts";

/**
 * Whether arguments satisfy a schema. `errors` are never empty and never contain values. With `guard`, the arguments were
 * refused unjudged: that error's keyword is the guard's name, its path where it was reached.
 */
export type Verdict =
  | { readonly valid: true }
  | { readonly valid: false; readonly errors: readonly ArgumentError[]; readonly guard?: Guard };

/** Judges with a schema that is already prepared: what meta-validation, itself a part of preparing, is left with. */
export function judge(instance: unknown, schema: PreparedSchema, meter: WorkMeter): Verdict {
  const shape = inspectArguments(instance);
  if (!shape.ok) return refused(shape.reason.guard, shape.reason.path);
  meter.reset();
  try {
    arm(instance, shape.value, schema, meter);
    return withPatternFormats(schema.formats, meter, () => verdict(instance, schema, meter));
  } catch (error) {
    return refused(error instanceof GuardTrip ? error.guard : "validator_failed", "");
  }
}

function refused(guard: Guard, path: string): Verdict {
  return { valid: false, errors: [{ path: boundedPath(path), keyword: guard }], guard };
}

/** Prepares the meter, and the schema's own `patternProperties`, for this one instance. */
function arm(instance: unknown, shape: ArgumentsShape, schema: PreparedSchema, meter: WorkMeter): void {
  meter.surcharge = shape.widest >>> 9;
  if (schema.asksUnique && shape.arrays > 0) {
    const { any, pairwise } = findDuplicates(instance);
    meter.duplicates = any;
    meter.pairwise = pairwise;
  }
  for (const { node, properties, patterns } of schema.patternObjects) {
    const decided = bareObject<Prepared>();
    for (const [name, property] of Object.entries(properties)) decided[name] = property;
    for (const name of shape.keys) {
      const matching = patterns
        .filter(({ program }) => matches(program, name, meter))
        .map((pattern) => pattern.schema);
      if (matching.length === 0) continue;
      const property = decided[name];
      decided[name] = schemaOf("allOf", property === undefined ? matching : [property, ...matching]);
      meter.surcharge += 1 / 512;
    }
    node.properties = decided;
  }
}

function matches(program: PatternProgram, name: string, meter: WorkMeter): boolean {
  const outcome = matchPattern(program, name, meter.patterns);
  if (outcome === "exhausted") throw new GuardTrip("work_exceeded");
  return outcome === "match";
}

function verdict(instance: unknown, schema: PreparedSchema, meter: WorkMeter): Verdict {
  const first = run(instance, schema, true);
  if (first.valid) return { valid: true };
  return {
    valid: false,
    errors: explainErrors(allErrors(instance, schema, meter) ?? first.errors, instance, schema),
  };
}

/** Beyond the first mistake, as far as a second budget goes; the first pass's answer stands in any case. */
function allErrors(
  instance: unknown,
  schema: PreparedSchema,
  meter: WorkMeter,
): readonly OutputUnit[] | undefined {
  try {
    const { surcharge, duplicates, pairwise } = meter;
    meter.reset();
    Object.assign(meter, { surcharge, duplicates, pairwise });
    return run(instance, schema, false).errors;
  } catch {
    return undefined;
  }
}

function run(instance: unknown, { root, lookup }: PreparedSchema, shortCircuit: boolean): ValidationResult {
  // Everything draft-specific has been settled in preparing; what the validator does under this name is what is left.
  return validate(instance, root, "2019-09", lookup, shortCircuit);
}
