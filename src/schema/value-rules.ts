import type { Schema } from "@cfworker/json-schema";
import { isJsonArray } from "../json.ts";
import {
  compareDecimals,
  type Decimal,
  decimalOf,
  decimalText,
  isInteger,
  isMultiple,
  isSameDecimal,
} from "../exact-json/decimal.ts";
import { isRounded } from "./rounded-numbers.ts";
import { setKeyword } from "./prepared-schema.ts";
import type { TextCheck } from "./text-checks.ts";

/** What a prepared schema asks of a single number or string. */
export interface ValueRules {
  readonly made: Schema;
  readonly types: readonly unknown[] | undefined;
  readonly bounds: readonly (readonly [keyword: Bound, bound: Decimal])[];
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly format: string | undefined;
}

const BOUNDS = {
  minimum: (value: Decimal, bound: Decimal) => compareDecimals(value, bound) >= 0,
  maximum: (value: Decimal, bound: Decimal) => compareDecimals(value, bound) <= 0,
  exclusiveMinimum: (value: Decimal, bound: Decimal) => compareDecimals(value, bound) > 0,
  exclusiveMaximum: (value: Decimal, bound: Decimal) => compareDecimals(value, bound) < 0,
  multipleOf: isMultiple,
} as const;

type Bound = keyof typeof BOUNDS;

const BOUND_KEYWORDS: readonly Bound[] = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
];

/** The rules of a schema that is ready for the validator; undefined where it has none. */
export function valueRulesOf(made: Schema): ValueRules | undefined {
  const type: unknown = made.type;
  const bounds = BOUND_KEYWORDS.flatMap((keyword): (readonly [Bound, Decimal])[] => {
    const bound: unknown = made[keyword];
    return typeof bound === "number" ? [[keyword, decimalOf(String(bound))]] : [];
  });
  const { minLength, maxLength, format } = made;
  if (type === undefined && bounds.length === 0 && format === undefined) return undefined;
  const types = type === undefined || isJsonArray(type) ? type : [type];
  return { made, types, bounds, minLength, maxLength, format };
}

/**
 * The keyword that a string, or the number that it stands for, does not satisfy. `passes` judges a string by the schema's
 * pattern.
 */
export function brokenRule(
  { types, bounds, minLength, maxLength }: ValueRules,
  text: string,
  number: Decimal | undefined,
  passes: TextCheck,
): string | undefined {
  if (number !== undefined) {
    const isAsked =
      types?.includes("number") === true || (types?.includes("integer") === true && isInteger(number));
    if (types !== undefined && !isAsked) return "type";
    return bounds.find(
      ([keyword, bound]) => !BOUNDS[keyword](number, bound) && !isAtBound(keyword, number, bound),
    )?.[0];
  }
  if (types !== undefined && !types.includes("string")) return "type";
  // It charges for the text, which is then counted.
  const matches = passes(text);
  if (minLength !== undefined || maxLength !== undefined) {
    const length = countCodePoints(text, Math.max(minLength ?? 0, (maxLength ?? 0) + 1));
    if (minLength !== undefined && length < minLength) return "minLength";
    if (maxLength !== undefined && length > maxLength) return "maxLength";
  }
  return matches ? undefined : "pattern";
}

/** A bound past 2^53 may have been rounded when the schema was read: what rounds to it counts as it. */
function isAtBound(keyword: Bound, number: Decimal, bound: Decimal): boolean {
  if (keyword !== "minimum" && keyword !== "maximum") return false;
  const nearest = Number(decimalText(number));
  return isRounded(nearest) && isSameDecimal(decimalOf(String(nearest)), bound);
}

/** As far as anybody asks. */
function countCodePoints(text: string, most: number): number {
  let count = 0;
  for (const _ of text) {
    if (count >= most) break;
    count += 1;
  }
  return count;
}

/**
 * Runs `run` while strings that stand for numbers are judged as the numbers they are: everything that a schema asks of a
 * number or a string is a check of ours then, and the validator's own look at the type lets strings pass. The schemas
 * then are as before.
 */
export function withExactNumbers<Value>(
  rules: readonly ValueRules[],
  numbers: ReadonlyMap<string, Decimal>,
  checks: Map<string, TextCheck>,
  run: () => Value,
): Value {
  if (numbers.size === 0) return run();
  const kept = rules.map(({ made }): unknown => made.type);
  try {
    for (const [index, rule] of rules.entries()) {
      const name = `loomgate-value-${index}`;
      const passes = checks.get(rule.format ?? "") ?? (() => true);
      checks.set(name, (text) => brokenRule(rule, text, numbers.get(text), passes) === undefined);
      setKeyword(rule.made, "format", name);
      if (rule.types !== undefined) setKeyword(rule.made, "type", withStrings(rule.types));
      delete rule.made.minLength;
      delete rule.made.maxLength;
    }
    return run();
  } finally {
    for (const [index, { made, format, minLength, maxLength }] of rules.entries()) {
      restore(made, "type", kept[index]);
      restore(made, "format", format);
      restore(made, "minLength", minLength);
      restore(made, "maxLength", maxLength);
    }
  }
}

/** Where numbers are asked for, their stand-ins have to reach the check. Anything else is no number and no string either. */
function withStrings(types: readonly unknown[]): readonly unknown[] {
  return types.includes("number") || types.includes("integer") ? [...types, "string"] : types;
}

function restore(made: Schema, keyword: string, value: unknown): void {
  if (value === undefined) Reflect.deleteProperty(made, keyword);
  else setKeyword(made, keyword, value);
}
