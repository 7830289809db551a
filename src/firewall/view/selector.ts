import type { ArgumentProblem } from "../../errors.ts";
import { VIEW_BYTES_DEFAULT_BYTES, VIEW_HEAD_DEFAULT_CHARS } from "../../limits.ts";
import { isRecord, memberOf } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";

/** What of an artifact is asked for; its JSON is what `tool_view` takes. `end` is exclusive, `undefined` the end. */
export type Selector =
  | { readonly type: "head"; readonly chars: number }
  | { readonly type: "lines"; readonly start: number; readonly end?: number }
  | { readonly type: "bytes"; readonly offset: number; readonly length: number };

export const SELECTOR_TYPES = ["head", "lines", "bytes"] as const;

/** Every field that some selector has; a selector's own count, the others are overlooked. */
const SELECTOR_FIELDS = ["type", "chars", "start", "end", "offset", "length"] as const;

/**
 * Reads a selector whose fields are known to be integers, where they are there at all, and fills in the defaults. The
 * problem's path is relative to the selector.
 */
export function readSelector(value: unknown): Result<Selector, ArgumentProblem> {
  const known: ReadonlySet<string> = new Set(SELECTOR_FIELDS);
  const foreign = Object.keys(isRecord(value) ? value : {}).find((field) => !known.has(field));
  if (foreign !== undefined)
    return fail({ path: `/${pointerToken(foreign)}`, keyword: "additionalProperties" });
  const field = (name: string): number | undefined => {
    const member = memberOf(value, name);
    return typeof member === "number" ? member : undefined;
  };
  const atLeast = (name: string, minimum: number): ArgumentProblem | undefined => {
    const given = field(name);
    return given !== undefined && given < minimum ? { path: `/${name}`, keyword: "minimum" } : undefined;
  };
  switch (memberOf(value, "type")) {
    case "head": {
      const problem = atLeast("chars", 1);
      if (problem !== undefined) return fail(problem);
      return ok({ type: "head", chars: field("chars") ?? VIEW_HEAD_DEFAULT_CHARS });
    }
    case "lines": {
      const end = field("end");
      return ok({ type: "lines", start: field("start") ?? 0, ...(end === undefined ? {} : { end }) });
    }
    case "bytes": {
      const problem = atLeast("offset", 0) ?? atLeast("length", 1);
      if (problem !== undefined) return fail(problem);
      return ok({
        type: "bytes",
        offset: field("offset") ?? 0,
        length: field("length") ?? VIEW_BYTES_DEFAULT_BYTES,
      });
    }
    default:
      return fail({ path: "/type", keyword: "enum" });
  }
}

function pointerToken(name: string): string {
  return name.slice(0, 64).replaceAll("~", "~0").replaceAll("/", "~1");
}
