import { cutAtCodePoint } from "../../../code-points.ts";
import { canonicalTime } from "../../time/canonical-time.ts";
import { decimalOf, int64Digits } from "../../../exact-json/decimal.ts";
import { FILTER_NUMBER_MAX_CHARS, FILTERS_MAX_COUNT } from "../../../limits/records.ts";
import { fail, ok, type Result } from "../../../result.ts";
import type { CoveredFeed } from "../../grant/coverage.ts";
import { RANGE_OPERATORS, type FieldDeclaration, type RangeOperator } from "../../manifest/manifest.ts";
import { problem, type PdppProblem } from "../../problem.ts";
import { nameList } from "../../name-list.ts";
import type { KeyedParameter } from "../parameters.ts";

/** One condition on one field. All of a request's hold together. */
export interface FieldFilter {
  readonly field: FieldDeclaration;
  readonly operator: "eq" | RangeOperator;
  /** As columns hold it: a text, `true` or `false`, a number's text, a canonical time. */
  readonly value: string;
}

/**
 * The filter parameters of a request against what one feed declares and its grant covers. `unknown_field`,
 * `field_not_granted`, or `invalid_request` for what is malformed, undeclared or of another type.
 */
export function parseFilters(
  parameters: readonly KeyedParameter[],
  feed: CoveredFeed,
): Result<readonly FieldFilter[], PdppProblem> {
  if (parameters.length > FILTERS_MAX_COUNT) {
    return fail(
      problem("invalid_request", `At most ${FILTERS_MAX_COUNT} filters are taken.`, { param: "filter" }),
    );
  }
  const filters: FieldFilter[] = [];
  for (const parameter of parameters) {
    const read = parseFilter(parameter, feed);
    if (!read.ok) return read;
    filters.push(read.value);
  }
  return ok(filters);
}

function parseFilter(
  { name, key, operator, value }: KeyedParameter,
  feed: CoveredFeed,
): Result<FieldFilter, PdppProblem> {
  const refuse = (message: string) => fail(problem("invalid_request", message, { param: shown(name) }));
  if (key === "" || operator === "") {
    return refuse("A filter is filter[field]=value or filter[field][operator]=value.");
  }
  const found = readableField(feed, key, name);
  if (!found.ok) return found;
  const field = found.value;
  if (field.kind === "other") {
    return refuse(`${shown(key)} is no single text, number, boolean or time: it cannot be filtered by.`);
  }
  const compared = operator === null ? "eq" : RANGE_OPERATORS.find((known) => known === operator);
  const declared = feed.stream.rangeFilters.get(key) ?? [];
  if (compared === undefined || (compared !== "eq" && !declared.includes(compared))) {
    const offer = declared.length === 0 ? "it takes exact values only" : `it takes ${declared.join(", ")}`;
    return refuse(`${shown(key)} has no filter operator ${shown(operator ?? "")}: ${offer}.`);
  }
  const read = valueOf(field, value);
  return typeof read === "string" ? ok({ field, operator: compared, value: read }) : refuse(read.problem);
}

/** A field that the stream has and the grant covers; a refusal names those, and no other. */
export function readableField(
  { stream, fields }: CoveredFeed,
  name: string,
  param: string,
): Result<FieldDeclaration, PdppProblem> {
  const field = stream.fields.get(name);
  const readable = () => nameList([...stream.fields.keys()].filter((known) => fields?.has(known) ?? true));
  if (field === undefined) {
    return fail(
      problem(
        "unknown_field",
        `${shown(stream.name)} has no field ${shown(name)}. Fields that can be read: ${readable()}.`,
        { param: shown(param) },
      ),
    );
  }
  if (fields !== null && !fields.has(name)) {
    return fail(
      problem(
        "field_not_granted",
        `The grant does not cover the field ${shown(name)}. Fields that can be read: ${readable()}.`,
        { param: shown(param) },
      ),
    );
  }
  return ok(field);
}

function valueOf({ name, kind }: FieldDeclaration, text: string): string | { readonly problem: string } {
  switch (kind) {
    case "integer":
    case "number":
      return numberOf(text) ?? { problem: `${shown(name)} is compared with a number.` };
    case "boolean":
      return text === "true" || text === "false" ? text : { problem: `${shown(name)} is true or false.` };
    case "time":
    case "date":
      return (
        canonicalTime(text) ?? {
          problem: `${shown(name)} is compared with a time: 2026-01-31T10:00:00Z or 2026-01-31.`,
        }
      );
    case "text":
    case "other":
      return text;
  }
}

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,4})?$/;

/** A JSON number as SQLite compares it without loss; anything but a whole number of 64 bits as the nearest double, as it is stored. */
function numberOf(text: string): string | undefined {
  if (text.length > FILTER_NUMBER_MAX_CHARS || !NUMBER.test(text)) return undefined;
  return int64Digits(decimalOf(text)) ?? text;
}

/** Foreign names in a message, which a model reads. */
const NAME_SHOWN_CHARS = 200;

function shown(name: string): string {
  return cutAtCodePoint(name, NAME_SHOWN_CHARS);
}
