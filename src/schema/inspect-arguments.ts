import { ARGUMENTS_MAX_DEPTH, ARGUMENTS_MAX_NODES } from "../limits.ts";
import { isJsonArray, isRecord } from "../json.ts";
import { appendToken } from "./json-pointer.ts";
import { fail, ok, type Result } from "../result.ts";
import type { Guard } from "./work-meter.ts";

/** What the validator has to know of arguments before it looks at them. */
export interface ArgumentsShape {
  /** Members of the widest object. */
  readonly widest: number;
  readonly keys: ReadonlySet<string>;
  readonly arrays: number;
}

export interface Refusal {
  readonly guard: Guard;
  readonly path: string;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Walks arguments without recursion and refuses what the validator could not survive: too deep, too many values, values
 * that JSON has no form for, and names that UTF-8 has none for (its pointers cannot be written).
 */
export function inspectArguments(root: unknown): Result<ArgumentsShape, Refusal> {
  const keys = new Set<string>();
  let widest = 0;
  let arrays = 0;
  let nodes = 1;
  const pending: { readonly value: unknown; readonly depth: number; readonly path: string }[] = [
    { value: root, depth: 0, path: "" },
  ];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const { value, depth, path } = entry;
    const container = isJsonArray(value) || isRecord(value);
    if (!container) {
      if (!isScalar(value)) return fail({ guard: "arguments_not_json", path });
      continue;
    }
    const names = Object.keys(value);
    nodes += isJsonArray(value) ? value.length : names.length;
    if (nodes > ARGUMENTS_MAX_NODES) return fail({ guard: "arguments_too_large", path });
    if (depth >= ARGUMENTS_MAX_DEPTH && names.length > 0) return fail({ guard: "arguments_too_deep", path });
    if (isJsonArray(value)) {
      arrays += 1;
      for (let index = 0; index < value.length; index += 1) {
        pending.push({ value: value[index], depth: depth + 1, path: `${path}/${index}` });
      }
      continue;
    }
    widest = Math.max(widest, names.length);
    for (const name of names) {
      if (LONE_SURROGATE.test(name)) return fail({ guard: "arguments_not_json", path });
      keys.add(name);
      pending.push({ value: value[name], depth: depth + 1, path: appendToken(path, name) });
    }
  }
  return ok({ widest, keys, arrays });
}

function isScalar(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  return typeof value === "number" && Number.isFinite(value);
}
