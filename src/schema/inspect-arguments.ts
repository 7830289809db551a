import { isExactNumber } from "../exact-json/exact-number.ts";
import {
  ARGUMENT_NUMBER_MAX_CHARS,
  ARGUMENTS_MAX_BYTES,
  ARGUMENTS_MAX_DEPTH,
  ARGUMENTS_MAX_NODES,
} from "../limits.ts";
import { isJsonArray, isRecord } from "../json.ts";
import { appendToken } from "./json-pointer.ts";
import { jsonStringBytes, scalarBytes } from "./measure.ts";
import { fail, ok, type Result } from "../result.ts";
import type { Guard } from "./work-meter.ts";

/** What the validator has to know of arguments before it looks at them. */
export interface ArgumentsShape {
  /** Members of the widest object; long names count as several. */
  readonly widest: number;
  readonly keys: ReadonlySet<string>;
  readonly arrays: number;
  /** There are numbers kept as their text. */
  readonly exact: boolean;
}

export interface Refusal {
  readonly guard: Guard;
  readonly path: string;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Names of usual length cost the same, whatever they are; beyond that each is written out as often as it is looked at. */
const NAME_CHARS = 64;

/**
 * Walks arguments without recursion and refuses what the validator could not survive: too deep, too many values, too many
 * bytes as compact JSON, values that JSON has no form for or no double comes near, and names that UTF-8 has none for (its
 * pointers cannot be written).
 */
export function inspectArguments(root: unknown): Result<ArgumentsShape, Refusal> {
  const keys = new Set<string>();
  let widest = 0;
  let arrays = 0;
  let nodes = 1;
  let bytes = 0;
  let exact = false;
  const pending: { readonly value: unknown; readonly depth: number; readonly path: string }[] = [
    { value: root, depth: 0, path: "" },
  ];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    const { value, depth, path } = entry;
    const container = isJsonArray(value) || isRecord(value);
    if (!container) {
      const length = scalarBytes(value);
      if (length === undefined) return fail({ guard: "arguments_not_json", path });
      bytes += length;
      if (bytes > ARGUMENTS_MAX_BYTES) return fail({ guard: "arguments_too_large", path });
      if (!isExactNumber(value)) continue;
      if (length > ARGUMENT_NUMBER_MAX_CHARS) return fail({ guard: "arguments_too_large", path });
      if (!Number.isFinite(Number(value.text))) return fail({ guard: "arguments_not_json", path });
      exact = true;
      continue;
    }
    const names = Object.keys(value);
    const count = isJsonArray(value) ? value.length : names.length;
    nodes += count;
    bytes += 1 + Math.max(1, count);
    if (nodes > ARGUMENTS_MAX_NODES || bytes > ARGUMENTS_MAX_BYTES)
      return fail({ guard: "arguments_too_large", path });
    if (depth >= ARGUMENTS_MAX_DEPTH && names.length > 0) return fail({ guard: "arguments_too_deep", path });
    if (isJsonArray(value)) {
      arrays += 1;
      for (let index = 0; index < value.length; index += 1) {
        pending.push({ value: value[index], depth: depth + 1, path: `${path}/${index}` });
      }
      continue;
    }
    let width = names.length;
    for (const name of names) {
      bytes += jsonStringBytes(name) + 1;
      width += Math.max(0, name.length - NAME_CHARS) / 8;
      if (LONE_SURROGATE.test(name)) return fail({ guard: "arguments_not_json", path });
      keys.add(name);
      pending.push({ value: value[name], depth: depth + 1, path: appendToken(path, name) });
    }
    widest = Math.max(widest, Math.ceil(width));
    if (bytes > ARGUMENTS_MAX_BYTES) return fail({ guard: "arguments_too_large", path });
  }
  return ok({ widest, keys, arrays, exact });
}
