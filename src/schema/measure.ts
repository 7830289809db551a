import { isExactNumber } from "../exact-json/exact-number.ts";
import { isJsonArray, isRecord } from "../json.ts";
import { utf8Length } from "./utf8-length.ts";

/** How large a JSON value is. `depth` counts containers, the root's being 0; `complete` is false when a ceiling ended the walk. */
export interface Measure {
  readonly bytes: number;
  readonly depth: number;
  readonly nodes: number;
  readonly properties: number;
  readonly containers: number;
  readonly complete: boolean;
  /** A value that JSON has no form for (`undefined`, a function, a number without a value). */
  readonly foreign: boolean;
}

export interface MeasureCeilings {
  readonly bytes: number;
  readonly depth: number;
  readonly nodes: number;
}

/**
 * Walks a value without recursion, and no further than the ceilings: at most `nodes` values are looked at, however the
 * value nests and even if it contains itself. `bytes` is the length of its compact JSON in UTF-8; `properties` counts the keys
 * under every `properties` object (seed 000 §4.4).
 */
export function measure(root: unknown, ceilings: MeasureCeilings): Measure {
  let bytes = 0;
  let depth = 0;
  let nodes = 0;
  let properties = 0;
  let containers = 0;
  let foreign = false;
  let complete = true;
  const pending: { readonly value: unknown; readonly depth: number; readonly isProperties: boolean }[] = [
    { value: root, depth: 0, isProperties: false },
  ];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    nodes += 1;
    const { value } = entry;
    if (isJsonArray(value) || isRecord(value)) {
      depth = Math.max(depth, entry.depth);
      containers += 1;
      const keys = isJsonArray(value) ? undefined : Object.keys(value);
      const count = keys?.length ?? (isJsonArray(value) ? value.length : 0);
      bytes += 2 + Math.max(0, count - 1);
      if (entry.isProperties && keys !== undefined) properties += count;
      if (entry.depth >= ceilings.depth || nodes + pending.length + count > ceilings.nodes) {
        complete &&= count === 0;
        continue;
      }
      for (let index = 0; index < count; index += 1) {
        const key = keys?.[index];
        if (key === undefined) {
          pending.push({
            value: isJsonArray(value) ? value[index] : undefined,
            depth: entry.depth + 1,
            isProperties: false,
          });
        } else {
          bytes += jsonStringBytes(key) + 1;
          const child = isRecord(value) ? value[key] : undefined;
          pending.push({
            value: child,
            depth: entry.depth + 1,
            isProperties: key === "properties" && !entry.isProperties,
          });
        }
      }
    } else {
      const length = scalarBytes(value);
      foreign ||= length === undefined;
      bytes += length ?? 0;
    }
    if (bytes > ceilings.bytes) {
      complete &&= pending.length === 0;
      break;
    }
  }
  return { bytes, depth, nodes, properties, containers, complete, foreign };
}

/** Bytes of a scalar as JSON; undefined for what JSON has no form for. */
export function scalarBytes(value: unknown): number | undefined {
  if (value === null) return 4;
  if (typeof value === "string") return jsonStringBytes(value);
  if (typeof value === "boolean") return value ? 4 : 5;
  if (typeof value === "number" && Number.isFinite(value)) return String(value).length;
  if (isExactNumber(value)) return value.text.length;
  return undefined;
}

/** Bytes of a string or a name as JSON, quotes included. */
export function jsonStringBytes(text: string): number {
  return utf8Length(JSON.stringify(text));
}
