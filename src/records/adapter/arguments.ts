import { isExactNumber } from "../../exact-json/exact-number.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import {
  RECORD_ARGUMENT_MAX_CHARS,
  RECORD_ARGUMENT_MAX_COUNT,
  RECORDS_PAGE_MAX_COUNT,
} from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { ToolDefinition } from "../../surface.ts";
import type { AdapterProblem } from "./answers.ts";
import { encodeExpandLimit, encodeFilter } from "./keyed-arguments.ts";
import { nameText, oneLine } from "./line.ts";
import { textsAt } from "./schema/document.ts";
import {
  COUNTS,
  GRANULARITIES,
  METRICS,
  ORDERS,
  type RecordToolName,
  SCHEMA_DETAILS,
  SEARCH_MODES,
} from "./tool-definitions.ts";

export type Pairs = readonly (readonly [name: string, value: string])[];

/** Judged arguments, as the parameters that the resource server knows them by. */
export interface ReadArguments {
  /** An argument that is one text. */
  text(name: string): string | undefined;
  list(name: string): readonly string[] | undefined;
  limit(): number | undefined;
  has(name: string): boolean;
  /** The parameters of all arguments but those named, in the order of the tool's definition. */
  query(...without: readonly string[]): Pairs;
}

type Kind = "text" | "list" | "limit" | "filter" | "expand_limit" | readonly string[];

/** An argument of one name is the same in every tool that has it; those not named here are texts. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["limit", "limit"],
  ["filter", "filter"],
  ["expand_limit", "expand_limit"],
  ["fields", "list"],
  ["streams", "list"],
  ["expand", "list"],
  ["detail", SCHEMA_DETAILS],
  ["order", ORDERS],
  ["count", COUNTS],
  ["metric", METRICS],
  ["granularity", GRANULARITIES],
  ["mode", SEARCH_MODES],
]);

interface Read {
  readonly value: string | readonly string[];
  readonly pairs: Pairs;
}

/** Reads the arguments of one of `tools` strictly: what is not taken is refused by name, and nothing is coerced. */
export function readArguments(
  tool: RecordToolName,
  args: unknown,
  tools: readonly ToolDefinition[],
): Result<ReadArguments, AdapterProblem> {
  if (!isRecord(args)) return invalid("arguments", "Arguments are one object.");
  const schema = tools.find(({ name }) => name === tool)?.inputSchema;
  const properties = memberOf(schema, "properties");
  const taken = isRecord(properties) ? Object.keys(properties) : [];
  const unknown = Object.keys(args).find((name) => !taken.includes(name));
  if (unknown !== undefined) return refuseUnknown(tool, unknown, taken);

  const read = new Map<string, Read>();
  for (const name of taken) {
    const value = memberOf(args, name);
    if (value === undefined) continue;
    const one = readOne(name, value);
    if (!one.ok) return one;
    read.set(name, one.value);
  }
  const missing = textsAt(schema, "required").find((name) => !read.has(name));
  if (missing !== undefined) return invalid(missing, `${tool} needs ${missing}.`);
  return ok(argumentsOf(read));
}

function argumentsOf(read: ReadonlyMap<string, Read>): ReadArguments {
  const text = (name: string): string | undefined => {
    const value = read.get(name)?.value;
    return typeof value === "string" ? value : undefined;
  };
  return {
    text,
    list(name) {
      const value = read.get(name)?.value;
      return typeof value === "string" ? undefined : value;
    },
    limit() {
      const limit = text("limit");
      return limit === undefined ? undefined : Number(limit);
    },
    has: (name) => read.has(name),
    query: (...without) =>
      [...read].filter(([name]) => !without.includes(name)).flatMap(([, { pairs }]) => pairs),
  };
}

function refuseUnknown(
  tool: RecordToolName,
  name: string,
  taken: readonly string[],
): Result<never, AdapterProblem> {
  const shown = oneLine(name, 64);
  const hint = hintOf(tool, name) ?? `${tool} takes ${taken.join(", ")}.`;
  return invalid(shown, `Unknown argument ${nameText(shown)}. ${hint}`);
}

function hintOf(tool: RecordToolName, name: string): string | undefined {
  if (name === "connector_instance_id") return "Use connection_id.";
  const isMode = tool === "search" && name === "mode";
  return isMode ? "This source searches for words only: leave it out." : undefined;
}

function readOne(name: string, value: unknown): Result<Read, AdapterProblem> {
  const kind = KINDS.get(name) ?? "text";
  switch (kind) {
    case "text":
      return readText(name, value);
    case "list":
      return readList(name, value);
    case "limit":
      return readLimit(value);
    case "filter": {
      const pairs = encodeFilter(value);
      return pairs.ok ? ok({ value: [], pairs: pairs.value }) : pairs;
    }
    case "expand_limit": {
      const pairs = encodeExpandLimit(value);
      return pairs.ok ? ok({ value: [], pairs: pairs.value }) : pairs;
    }
    default: {
      if (typeof value === "string" && kind.includes(value)) return ok({ value, pairs: [[name, value]] });
      return invalid(name, `${name} is one of ${kind.join(", ")}.`);
    }
  }
}

function readText(name: string, value: unknown): Result<Read, AdapterProblem> {
  const fault = textFault(value);
  return fault === undefined && typeof value === "string"
    ? ok({ value, pairs: [[name, value]] })
    : invalid(name, `${name} is ${fault ?? ""}.`);
}

/** What a text should be that this is not. Half a character would reach the source as another one, and read another's record. */
function textFault(value: unknown): string | undefined {
  if (typeof value !== "string") return "a string";
  if (value === "") return "not empty";
  if (value.length > RECORD_ARGUMENT_MAX_CHARS) return `at most ${RECORD_ARGUMENT_MAX_CHARS} characters`;
  return /\p{Surrogate}/u.test(value) ? "well-formed Unicode" : undefined;
}

function readList(name: string, value: unknown): Result<Read, AdapterProblem> {
  const refuse = (message: string): Result<never, AdapterProblem> =>
    fail({ code: name === "expand" ? "invalid_expand" : "invalid_request", message, param: name });
  if (!isJsonArray(value) || value.length === 0 || value.length > RECORD_ARGUMENT_MAX_COUNT) {
    return refuse(`${name} is a list of 1 to ${RECORD_ARGUMENT_MAX_COUNT} names.`);
  }
  const names: string[] = [];
  for (const item of value) {
    const fault = textFault(item);
    if (fault !== undefined || typeof item !== "string") return refuse(`Each item of ${name} is ${fault}.`);
    names.push(item);
  }
  // The server reads a comma as the end of a name, but in brackets.
  const hasComma = names.some((item) => item.includes(","));
  if (name === "fields" && !hasComma) return ok({ value: names, pairs: [[name, names.join(",")]] });
  const parameter = name === "streams" || hasComma ? `${name}[]` : name;
  return ok({ value: names, pairs: names.map((item) => [parameter, item] as const) });
}

function readLimit(value: unknown): Result<Read, AdapterProblem> {
  const limit = isExactNumber(value) ? Number(value.text) : value;
  const isLimit = typeof limit === "number" && Number.isInteger(limit);
  if (isLimit && limit >= 1 && limit <= RECORDS_PAGE_MAX_COUNT) {
    return ok({ value: String(limit), pairs: [["limit", String(limit)]] });
  }
  return invalid("limit", `limit is an integer from 1 to ${RECORDS_PAGE_MAX_COUNT}; page on with cursor.`);
}

function invalid(param: string, message: string): Result<never, AdapterProblem> {
  return fail({ code: "invalid_request", message, param });
}
