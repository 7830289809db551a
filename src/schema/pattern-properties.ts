import type { Schema } from "@cfworker/json-schema";
import { bareObject } from "../json.ts";
import type { PatternProgram } from "./pattern-program.ts";
import { type Prepared, schemaOf } from "./prepared-schema.ts";
import { matches } from "./text-checks.ts";
import type { WorkMeter } from "./work-meter.ts";

/** An object schema whose `patternProperties` are decided anew for each instance, from the names that occur in it. */
export interface PatternObject {
  readonly made: Schema;
  readonly properties: Readonly<Record<string, Prepared>>;
  readonly patterns: readonly { readonly program: PatternProgram; readonly schema: Prepared }[];
}

/** A schema made for one name, and its place among the others. */
const UNITS_PER_NAME = 4;

/**
 * Runs `run` while each object schema names, beside its own properties, those of `names` that its patterns match. Returns what
 * `run` does; the schemas then are as before, and what was made for these names is garbage.
 */
export function withNamedPatterns<Value>(
  objects: readonly PatternObject[],
  names: ReadonlySet<string>,
  meter: WorkMeter,
  run: (named: number) => Value,
): Value {
  try {
    let named = 0;
    for (const object of objects) named += nameMatching(object, names, meter);
    return run(named);
  } finally {
    for (const { made, properties } of objects) made.properties = properties;
  }
}

function nameMatching(
  { made, properties, patterns }: PatternObject,
  names: ReadonlySet<string>,
  meter: WorkMeter,
): number {
  const decided = bareObject<Prepared>();
  for (const [name, property] of Object.entries(properties)) decided[name] = property;
  let named = 0;
  for (const name of names) {
    const matching = patterns
      .filter(({ program }) => matches(program, name, meter))
      .map(({ schema }) => schema);
    if (matching.length === 0) continue;
    meter.spend(UNITS_PER_NAME);
    const property = decided[name];
    decided[name] = schemaOf("allOf", property === undefined ? matching : [property, ...matching]);
    named += 1;
  }
  made.properties = decided;
  return named;
}
