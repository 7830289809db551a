import { isExactNumber } from "../../exact-json/exact-number.ts";
import { isRecord } from "../../json.ts";
import { RECORD_ARGUMENT_MAX_CHARS, RECORD_ARGUMENT_MAX_COUNT } from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import { RANGE_OPERATORS } from "../manifest/manifest.ts";
import type { AdapterProblem } from "./answers.ts";
import type { Pairs } from "./arguments.ts";
import { nameText, oneLine } from "./line.ts";

const FILTER_FORM = '{"field":"value"} or {"field":{"gte":1,"lt":9}}';

/** A typed filter as parameters: `{"f": v}` is `filter[f]=v`, `{"f": {"gte": v}}` is `filter[f][gte]=v`. */
export function encodeFilter(value: unknown): Result<Pairs, AdapterProblem> {
  if (!isRecord(value)) return invalidFilter(`filter is an object: ${FILTER_FORM}.`);
  const fields = Object.entries(value);
  if (fields.length === 0) return invalidFilter(`filter is empty: name a field, ${FILTER_FORM}.`);
  if (fields.length > RECORD_ARGUMENT_MAX_COUNT) {
    return invalidFilter(`filter has at most ${RECORD_ARGUMENT_MAX_COUNT} fields.`);
  }
  const pairs: [string, string][] = [];
  for (const [field, condition] of fields) {
    if (!isKey(field))
      return invalidFilter(`filter takes plain field names: ${FILTER_FORM}, without brackets.`);
    const shown = nameText(oneLine(field, 64));
    if (!isRecord(condition)) {
      const text = scalarText(condition);
      if (text === undefined) {
        return invalidFilter(`The filter of ${shown} is a string, number, boolean or range: ${FILTER_FORM}.`);
      }
      pairs.push([`filter[${field}]`, text]);
      continue;
    }
    const range = rangeOf(condition);
    if (typeof range === "string") return invalidFilter(`The range of ${shown} ${range}.`);
    pairs.push(
      ...range.map(([operator, text]) => [`filter[${field}][${operator}]`, text] as [string, string]),
    );
  }
  return ok(pairs);
}

/** Operators with their values, or what is wrong with them. */
function rangeOf(condition: Readonly<Record<string, unknown>>): [string, string][] | string {
  const known: readonly string[] = RANGE_OPERATORS;
  const operators = Object.entries(condition);
  if (operators.length === 0) return `is empty: give ${known.join(", ")}`;
  const range: [string, string][] = [];
  for (const [operator, value] of operators) {
    if (!known.includes(operator)) {
      return `has an unknown operator ${nameText(oneLine(operator, 32))}: allowed are ${known.join(", ")}`;
    }
    const text = scalarText(value);
    if (text === undefined) return `has an operator ${operator} without a string, number or boolean`;
    range.push([operator, text]);
  }
  return range;
}

/** A scalar as a parameter has it; a number to its last digit. */
function scalarText(value: unknown): string | undefined {
  if (isExactNumber(value)) return value.text;
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)))
    return String(value);
  const isText = typeof value === "string" && value.length <= RECORD_ARGUMENT_MAX_CHARS;
  return isText && !/\p{Surrogate}/u.test(value) ? value : undefined;
}

/** `{"messages": 3}` is `expand_limit[messages]=3`. */
export function encodeExpandLimit(value: unknown): Result<Pairs, AdapterProblem> {
  const form = 'expand_limit is an object of whole numbers above zero: {"messages":3}.';
  if (!isRecord(value)) return invalidExpand(form);
  const relations = Object.entries(value);
  if (relations.length === 0 || relations.length > RECORD_ARGUMENT_MAX_COUNT) return invalidExpand(form);
  const pairs: [string, string][] = [];
  for (const [relation, limit] of relations) {
    if (!isKey(relation)) return invalidExpand("expand_limit takes plain relation names, without brackets.");
    const number = isExactNumber(limit) ? Number(limit.text) : limit;
    if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 1) return invalidExpand(form);
    pairs.push([`expand_limit[${relation}]`, String(number)]);
  }
  return ok(pairs);
}

function isKey(name: string): boolean {
  return name !== "" && name.length <= RECORD_ARGUMENT_MAX_CHARS && !/[[\]\p{Surrogate}]/u.test(name);
}

function invalidFilter(message: string): Result<never, AdapterProblem> {
  return fail({ code: "invalid_filter", message, param: "filter" });
}

function invalidExpand(message: string): Result<never, AdapterProblem> {
  return fail({ code: "invalid_expand", message, param: "expand_limit" });
}
