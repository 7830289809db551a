import { compareCodePoints, cutAtCodePoint } from "../../code-points.ts";
import { RECORDS_PAGE_DEFAULT_COUNT, RECORDS_PAGE_MAX_COUNT } from "../../limits/records.ts";
import { fail, ok, type Result } from "../../result.ts";
import { problem, type PdppProblem } from "../problem.ts";
import type { ReadRequest } from "../source/read-source.ts";
import type { Warning } from "./answer.ts";

/** What an operation takes. What is not named here is refused by name. */
export interface ParameterNames {
  /** At most once: `limit=3`. */
  readonly one?: readonly string[];
  /** Repeated, or with commas: `fields=a,b`, `fields=a&fields=b`. In brackets each is one name, whatever is in it: `fields[]=a,b`. */
  readonly list?: readonly string[];
  /** With a key: `filter[size][gte]=50`. */
  readonly keyed?: readonly string[];
  /** Whether a connection may be chosen. */
  readonly connection?: boolean;
}

/** `filter[size][gte]=50` is `{key: "size", operator: "gte", value: "50"}`; without a second bracket the operator is null. */
export interface KeyedParameter {
  /** The parameter's name as it came. */
  readonly name: string;
  readonly key: string;
  readonly operator: string | null;
  readonly value: string;
}

export interface Parameters {
  one(name: string): string | undefined;
  /** Without repetitions, in their order; undefined where the parameter is absent. */
  list(name: string): readonly string[] | undefined;
  keyed(name: string): readonly KeyedParameter[];
}

/** A request whose parameters are those of its operation. */
export interface Parsed {
  readonly request: ReadRequest;
  /** The stream in the path; empty where the path has none. */
  readonly stream: string;
  /** The record's key in the path; empty where the path has none. */
  readonly key: string;
  readonly parameters: Parameters;
  readonly connectionId: string | null;
  /** What the parameters themselves gave cause to warn of. */
  readonly warnings: readonly Warning[];
}

const KEYED = /^([^[\]]+)\[([^\]]*)\](?:\[([^[\]]*)\])?$/;

/** Judges the names and reads the parameters. */
export function parseParameters(
  request: ReadRequest,
  names: ParameterNames,
): Result<Pick<Parsed, "parameters" | "connectionId" | "warnings">, PdppProblem> {
  const ones = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const keyed: (KeyedParameter & { readonly family: string })[] = [];
  const seen = new Set<string>();
  const takesOne = new Set(names.one);
  if (names.connection === true) for (const name of CONNECTION_NAMES) takesOne.add(name);
  for (const [name, value] of request.query) {
    const isBracketed = name.endsWith("[]");
    const listName = isBracketed ? name.slice(0, -2) : name;
    if (names.list?.includes(listName) === true) {
      const items = lists.get(listName) ?? [];
      items.push(...(isBracketed ? [value] : value.split(",")).filter((item) => item !== ""));
      lists.set(listName, items);
      continue;
    }
    const [, family, key, operator] = KEYED.exec(name) ?? [];
    const isKeyed = family !== undefined && names.keyed?.includes(family) === true;
    if (!isKeyed && !takesOne.has(name)) return fail(unknownParameter(name, names));
    if (seen.has(name)) {
      const shown = cutAtCodePoint(name, NAME_SHOWN_CHARS);
      return fail(problem("invalid_request", `The parameter ${shown} may be given once.`, { param: shown }));
    }
    seen.add(name);
    if (isKeyed) keyed.push({ name, family, key: key ?? "", operator: operator ?? null, value });
    else ones.set(name, value);
  }
  const parameters: Parameters = {
    one: (name) => ones.get(name),
    list: (name) => (lists.has(name) ? [...new Set(lists.get(name))] : undefined),
    keyed: (name) => keyed.filter(({ family }) => family === name),
  };
  const [id, alias] = CONNECTION_NAMES.map((name) => ones.get(name));
  if (id !== undefined && alias !== undefined && id !== alias) {
    return fail(
      problem("invalid_argument", "connection_id and connector_instance_id name different connections.", {
        param: "connector_instance_id",
      }),
    );
  }
  const warnings = alias === undefined ? [] : [ALIAS_WARNING];
  return ok({ parameters, connectionId: id ?? alias ?? null, warnings });
}

const CONNECTION_NAMES = ["connection_id", "connector_instance_id"] as const;

const ALIAS_WARNING: Warning = {
  code: "deprecated_alias_used",
  message: "connector_instance_id is deprecated: use connection_id.",
  param: "connector_instance_id",
};

function unknownParameter(name: string, { one = [], list = [], keyed = [], connection }: ParameterNames) {
  const known = [
    ...one,
    ...list,
    ...keyed.map((family) => `${family}[...]`),
    ...(connection === true ? ["connection_id"] : []),
  ].toSorted(compareCodePoints);
  const shown = cutAtCodePoint(name, NAME_SHOWN_CHARS);
  return problem(
    "invalid_request",
    known.length === 0
      ? `Unknown parameter ${shown}: none are taken here.`
      : `Unknown parameter ${shown}. Known: ${known.join(", ")}.`,
  );
}

/** A parameter's name is a foreign text of any length. */
const NAME_SHOWN_CHARS = 200;

/** How many rows were asked for, with the warning where that is more than a page holds. What is no number above zero asks for the default. */
export function limitOf(
  parameters: Parameters,
  defaultCount = RECORDS_PAGE_DEFAULT_COUNT,
  maxCount = RECORDS_PAGE_MAX_COUNT,
): { readonly limit: number; readonly warnings: readonly Warning[] } {
  const text = parameters.one("limit") ?? "";
  const requested = /^[0-9]+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : 0;
  if (requested === 0) return { limit: defaultCount, warnings: [] };
  if (requested <= maxCount) return { limit: requested, warnings: [] };
  return {
    limit: maxCount,
    warnings: [
      {
        code: "limit_clamped",
        message: `limit was ${requested}; at most ${maxCount} are given a page.`,
        param: "limit",
        detail: { requested_limit: requested, max_limit: maxCount },
      },
    ],
  };
}
