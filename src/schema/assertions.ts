import type { Dialect } from "./dialect.ts";
import { isJsonArray, isRecord } from "../json.ts";

const TYPES: ReadonlySet<unknown> = new Set([
  "array",
  "boolean",
  "integer",
  "null",
  "number",
  "object",
  "string",
]);

type Check = (value: unknown) => boolean;

const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isFlag: Check = (value) => typeof value === "boolean";
const isNames: Check = (value) => isJsonArray(value) && value.every((name) => typeof name === "string");

/** Keywords whose value the validator reads as it is: which draft brought them, and what the value has to be. */
const ASSERTIONS: readonly (readonly [keyword: string, since: Dialect, check: Check])[] = [
  [
    "type",
    "4",
    (value) => TYPES.has(value) || (isJsonArray(value) && value.every((name) => TYPES.has(name))),
  ],
  ["enum", "4", isJsonArray],
  ["const", "7", (value) => value !== undefined],
  ["multipleOf", "4", (value) => isNumber(value) && Number(value) > 0],
  ["maximum", "4", isNumber],
  ["minimum", "4", isNumber],
  ["exclusiveMaximum", "7", isNumber],
  ["exclusiveMinimum", "7", isNumber],
  ["maxLength", "4", isCount],
  ["minLength", "4", isCount],
  ["pattern", "4", (value) => typeof value === "string"],
  ["maxItems", "4", isCount],
  ["minItems", "4", isCount],
  ["uniqueItems", "4", isFlag],
  ["minContains", "2019-09", isCount],
  ["maxContains", "2019-09", isCount],
  ["maxProperties", "4", isCount],
  ["minProperties", "4", isCount],
  ["required", "4", isNames],
  ["dependentRequired", "2019-09", (value) => isRecord(value) && Object.values(value).every(isNames)],
  ["properties", "4", isRecord],
  ["patternProperties", "4", isRecord],
  ["definitions", "4", isRecord],
  ["$defs", "2019-09", isRecord],
  ["dependentSchemas", "2019-09", isRecord],
  ["allOf", "4", isJsonArray],
  ["anyOf", "4", isJsonArray],
  ["oneOf", "4", isJsonArray],
  ["prefixItems", "2020-12", isJsonArray],
  ["items", "4", (value) => isRecord(value) || isFlag(value) || isJsonArray(value)],
];

const ORDER: readonly Dialect[] = ["4", "7", "2019-09", "2020-12"];

function has(dialect: Dialect, since: Dialect): boolean {
  return ORDER.indexOf(dialect) >= ORDER.indexOf(since);
}

/** The assertions of one draft. Draft 4's exclusive bounds are flags and come with the bound that they change. */
export function assertionsOf(dialect: Dialect): readonly (readonly [keyword: string, check: Check])[] {
  const known = ASSERTIONS.filter(([, since]) => has(dialect, since)).map(
    ([keyword, , check]) => [keyword, check] as const,
  );
  if (dialect === "2020-12")
    return known.map(([keyword, check]) => [keyword, keyword === "items" ? notTuple(check) : check]);
  if (dialect === "4") return [...known, ["exclusiveMaximum", isFlag], ["exclusiveMinimum", isFlag]];
  return known;
}

function notTuple(check: Check): Check {
  return (value) => check(value) && !isJsonArray(value);
}
