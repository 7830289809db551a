import {
  EXPLANATION_WORK_MAX_UNITS,
  PATTERN_WORK_MAX_STEPS,
  VALIDATION_WORK_MAX_UNITS,
} from "../../src/limits.ts";
import { analyseSchema } from "../../src/schema/analyse.ts";
import { judge, type Verdict } from "../../src/schema/judge.ts";

export type Json = Readonly<Record<string, unknown>>;

export const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
export const named = (count: number, item: (index: number) => unknown, name = "k"): Json =>
  Object.fromEntries(many(count, (index) => [`${name}${index}`, item(index)]));
export const object = (properties: Json, more: Json = {}): Json => ({ type: "object", properties, ...more });

/** So many ways for one value, out of a handful of subschemas. */
export const fan = (leaf: unknown, ways: readonly [number, number, number] = [20, 40, 40]): Json => {
  const [outer, middle, inner] = ways;
  return object(
    { a: { $ref: "#/$defs/outer" } },
    {
      $defs: {
        leaf,
        inner: { allOf: many(inner, () => ({ $ref: "#/$defs/leaf" })) },
        middle: { allOf: many(middle, () => ({ $ref: "#/$defs/inner" })) },
        outer: { allOf: many(outer, () => ({ $ref: "#/$defs/middle" })) },
      },
    },
  );
};

/** One more level of both kinds for each: the schema grows by one, what it asks doubles. */
export const doubling = (levels: number, level: (below: Json) => Json): Json => {
  const $defs: Record<string, unknown> = { l0: { type: "integer" } };
  for (let index = 1; index <= levels; index += 1) {
    $defs[`l${index}`] = level({ $ref: `#/$defs/l${index - 1}` });
  }
  return object({ a: { $ref: `#/$defs/l${levels}` } }, { $defs });
};

export const nest = (levels: number, innermost: unknown): unknown => {
  let value = innermost;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
};

/** `code` of each finding, fatal ones with a mark. */
export function findings(schema: unknown): readonly string[] {
  return analyseSchema(schema, {}).findings.map(({ code, fatal }) => `${code}${fatal ? "!" : ""}`);
}

/** Judges, and tells what the meter counted. */
export function work(schema: unknown, args: unknown) {
  const { usable, findings: found } = analyseSchema(schema, {});
  if (usable === undefined) throw new Error(JSON.stringify(found));
  const verdict: Verdict = judge(args, usable.prepared, usable.meter);
  const guard = verdict.valid ? undefined : verdict.guard;
  // Explaining has a budget of its own.
  const budget =
    verdict.valid || guard !== undefined ? VALIDATION_WORK_MAX_UNITS : EXPLANATION_WORK_MAX_UNITS;
  const units = budget - usable.meter.units;
  const steps = PATTERN_WORK_MAX_STEPS - usable.meter.patterns.steps;
  return { verdict, guard, units, steps };
}

/** The same value; each member that is read and each name that is listed counts as a look. */
export function watched(value: unknown, looks: { count: number }): unknown {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get: (target, key) => {
      looks.count += 1;
      return watched(Reflect.get(target, key), looks);
    },
    ownKeys: (target) => {
      const keys = Reflect.ownKeys(target);
      looks.count += keys.length;
      return keys;
    },
    getOwnPropertyDescriptor: (target, key) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
      if (descriptor === undefined || descriptor.configurable !== true) return descriptor;
      return { ...descriptor, value: watched(descriptor.value, looks) };
    },
  });
}
