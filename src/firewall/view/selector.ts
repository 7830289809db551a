import type { ArgumentProblem } from "../../errors.ts";
import { isRecord, memberOf } from "../../json.ts";
import {
  VIEW_BYTES_DEFAULT_BYTES,
  VIEW_GREP_CONTEXT_MAX_COUNT,
  VIEW_HEAD_DEFAULT_CHARS,
  VIEW_NAMES_MAX_COUNT,
  VIEW_PATH_MAX_CHARS,
  VIEW_PATTERN_MAX_CHARS,
  VIEW_SELECTOR_MAX_CHARS,
} from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";

/**
 * What of an artifact is asked for; its JSON is what `tool_view` takes (CONTRACTS "View object"). Positions are 0-based,
 * negatives count from the end, `end` is exclusive and `undefined` is the end. Where scanning selectors go on, `next` has
 * an `offset` and a `resume` that nobody else writes: where to read from, and what was known there.
 */
export type Selector =
  | { readonly type: "head"; readonly chars: number }
  | { readonly type: "lines"; readonly start: number; readonly end?: number }
  | {
      readonly type: "rows";
      readonly start: number;
      readonly end?: number;
      readonly columns?: readonly string[];
      /** Where the row that `resume` numbers begins. */
      readonly offset?: number;
      readonly resume?: string;
    }
  | {
      readonly type: "json_keys";
      readonly keys: readonly string[];
      /** Bytes of the result shown already; with `resume`, where in the artifact to go on. */
      readonly offset?: number;
      readonly resume?: string;
    }
  | {
      readonly type: "json_path";
      readonly path: string;
      /** The first match to show. */
      readonly start?: number;
      /** As of `json_keys`, of the first match. */
      readonly offset?: number;
      readonly resume?: string;
    }
  | {
      readonly type: "grep";
      readonly pattern: string;
      /** Lines shown before and behind each match. */
      readonly context: number;
      readonly ignore_case: boolean;
      /** The line to begin with. */
      readonly start?: number;
      /** Where to go on inside that line, if it is a long one. */
      readonly offset?: number;
    }
  | { readonly type: "bytes"; readonly offset: number; readonly length: number }
  | { readonly type: "content" };

export type SelectorType = Selector["type"];
export type SelectorOf<Type extends SelectorType> = Extract<Selector, { readonly type: Type }>;

export const SELECTOR_TYPES = [
  "head",
  "lines",
  "rows",
  "json_keys",
  "json_path",
  "grep",
  "bytes",
  "content",
] as const satisfies readonly SelectorType[];

/** Every field that some selector has; a selector's own count, the others are overlooked. */
const SELECTOR_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "chars",
  "start",
  "end",
  "offset",
  "length",
  "columns",
  "keys",
  "path",
  "pattern",
  "context",
  "ignore_case",
  "resume",
]);

type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with a selector; `bound`: the limit that its keyword names, which `tools/list` does not. */
export interface SelectorProblem extends ArgumentProblem {
  readonly bound?: number;
}

/**
 * Reads a selector whose fields have the types that `tools/list` shows, where they are there at all, and fills in the
 * defaults. The problem's path is relative to the selector.
 */
export function readSelector(value: unknown): Result<Selector, SelectorProblem> {
  const fields = isRecord(value) ? value : {};
  const problem = problemOf(fields);
  if (problem !== undefined) return fail(problem);
  const start = numberIn(fields, "start");
  const end = numberIn(fields, "end");
  const offset = numberIn(fields, "offset");
  const resume = textIn(fields, "resume");
  const going = {
    ...(offset === undefined ? {} : { offset }),
    ...(resume === undefined ? {} : { resume }),
  };
  switch (memberOf(fields, "type")) {
    case "head":
      return ok({ type: "head", chars: numberIn(fields, "chars") ?? VIEW_HEAD_DEFAULT_CHARS });
    case "lines":
      return ok({ type: "lines", start: start ?? 0, ...(end === undefined ? {} : { end }) });
    case "rows": {
      const columns = namesIn(fields, "columns");
      return ok({
        type: "rows",
        start: start ?? 0,
        ...(end === undefined ? {} : { end }),
        ...(columns === undefined ? {} : { columns }),
        ...going,
      });
    }
    case "json_keys": {
      const keys = namesIn(fields, "keys");
      return keys === undefined ? missing("keys") : ok({ type: "json_keys", keys, ...going });
    }
    case "json_path": {
      const path = textIn(fields, "path");
      return path === undefined
        ? missing("path")
        : ok({
            type: "json_path",
            path,
            ...(start === undefined ? {} : { start }),
            ...going,
          });
    }
    case "grep": {
      const pattern = textIn(fields, "pattern");
      if (pattern === undefined) return missing("pattern");
      return ok({
        type: "grep",
        pattern,
        context: numberIn(fields, "context") ?? 0,
        ignore_case: memberOf(fields, "ignore_case") === true,
        ...(start === undefined ? {} : { start }),
        ...(offset === undefined ? {} : { offset }),
      });
    }
    case "bytes":
      return ok({
        type: "bytes",
        offset: offset ?? 0,
        length: numberIn(fields, "length") ?? VIEW_BYTES_DEFAULT_BYTES,
      });
    case "content":
      return ok({ type: "content" });
    default:
      return fail({ path: "/type", keyword: "enum" });
  }
}

/** Which selector each bound belongs to: a field of another selector's is overlooked, whatever is in it. */
const USED_BY: Readonly<Record<SelectorType, readonly string[]>> = {
  head: ["chars"],
  lines: [],
  rows: ["columns", "offset", "resume"],
  json_keys: ["keys", "offset", "resume"],
  json_path: ["path", "offset", "resume"],
  grep: ["pattern", "context", "offset"],
  bytes: ["offset", "length"],
  content: [],
};

function problemOf(fields: Fields): SelectorProblem | undefined {
  const foreign = Object.keys(fields).find((field) => !SELECTOR_FIELDS.has(field));
  if (foreign !== undefined) return { path: `/${pointerToken(foreign)}`, keyword: "additionalProperties" };
  const type = SELECTOR_TYPES.find((each) => each === memberOf(fields, "type"));
  for (const field of type === undefined ? [] : USED_BY[type]) {
    const broken = boundBroken(field, memberOf(fields, field));
    if (broken !== undefined) return { path: `/${field}`, ...broken };
  }
  return undefined;
}

type Broken = Omit<SelectorProblem, "path">;

/** The bound that a field does not keep. */
function boundBroken(field: string, value: unknown): Broken | undefined {
  if (value === undefined) return undefined;
  switch (field) {
    case "chars":
    case "length":
      return below(value, 1);
    case "offset":
      return below(value, 0);
    case "context":
      return below(value, 0) ?? above(value, VIEW_GREP_CONTEXT_MAX_COUNT);
    case "pattern":
      return longer(value, VIEW_PATTERN_MAX_CHARS);
    case "path":
      return longer(value, VIEW_PATH_MAX_CHARS);
    case "resume":
      return longer(value, VIEW_SELECTOR_MAX_CHARS);
    case "keys":
    case "columns":
      return namesBroken(value);
    default:
      return undefined;
  }
}

function below(value: unknown, bound: number): Broken | undefined {
  return typeof value === "number" && value < bound ? { keyword: "minimum", bound } : undefined;
}

function above(value: unknown, bound: number): Broken | undefined {
  return typeof value === "number" && value > bound ? { keyword: "maximum", bound } : undefined;
}

function longer(value: unknown, bound: number): Broken | undefined {
  if (typeof value !== "string") return undefined;
  if (value === "") return { keyword: "minLength", bound: 1 };
  return value.length > bound ? { keyword: "maxLength", bound } : undefined;
}

function namesBroken(value: unknown): Broken | undefined {
  if (!Array.isArray(value)) return undefined;
  if (value.length === 0) return { keyword: "minItems", bound: 1 };
  if (value.length > VIEW_NAMES_MAX_COUNT) return { keyword: "maxItems", bound: VIEW_NAMES_MAX_COUNT };
  const isLong = JSON.stringify(value).length > VIEW_SELECTOR_MAX_CHARS;
  return isLong ? { keyword: "maxLength", bound: VIEW_SELECTOR_MAX_CHARS } : undefined;
}

function missing(field: string): Result<never, SelectorProblem> {
  return fail({ path: `/${field}`, keyword: "required" });
}

function numberIn(fields: Fields, name: string): number | undefined {
  const value = memberOf(fields, name);
  return typeof value === "number" ? value : undefined;
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = memberOf(fields, name);
  return typeof value === "string" ? value : undefined;
}

/** Each name once, in the order given. */
function namesIn(fields: Fields, name: string): readonly string[] | undefined {
  const value = memberOf(fields, name);
  if (!Array.isArray(value)) return undefined;
  return [...new Set(value.filter((each) => typeof each === "string"))];
}

function pointerToken(name: string): string {
  return name.slice(0, 64).replaceAll("~", "~0").replaceAll("/", "~1");
}
