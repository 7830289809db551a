import { NATIVE_JSON_MAX_DEPTH } from "../limits/exact-json.ts";
import { isExactNumber } from "./exact-number.ts";
import { surveyExact } from "./survey.ts";

/** An object or array that is begun. */
interface Begun {
  readonly container: object;
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly size: number;
  next: number;
  isEmpty: boolean;
}

/**
 * `JSON.stringify`'s very text of a JSON value, with exact numbers as they stood in their source. Members that JSON cannot
 * say are left out, elements are `null`, and so is the whole value (where `JSON.stringify` gives no text). Only exact
 * numbers have a `toJSON` that counts. Any depth.
 */
export function exactJsonText(value: unknown): string {
  if (isExactNumber(value)) return value.text;
  const { holders, depth } = surveyExact(value);
  const isShallow = depth <= NATIVE_JSON_MAX_DEPTH;
  if (typeof value !== "object" || value === null || (isShallow && holders.length === 0))
    return native(value);

  const holding = new Set<unknown>(holders);
  const parts: string[] = [];
  const begun: Begun[] = [];
  const begin = (container: object): void => {
    const keys = Array.isArray(container) ? undefined : Object.keys(container);
    const size = Array.isArray(container) ? container.length : (keys?.length ?? 0);
    parts.push(keys === undefined ? "[" : "{");
    begun.push({ container, keys, size, next: 0, isEmpty: true });
  };
  const write = (item: unknown): void => {
    if (isExactNumber(item)) parts.push(item.text);
    else if (typeof item !== "object" || item === null || (isShallow && !holding.has(item)))
      parts.push(native(item));
    else begin(item);
  };

  begin(value);
  for (let inner = begun.at(-1); inner !== undefined; inner = begun.at(-1)) {
    const { container, keys, size, next } = inner;
    if (next === size) {
      parts.push(keys === undefined ? "]" : "}");
      begun.pop();
      continue;
    }
    inner.next += 1;
    const key = keys?.[next] ?? String(next);
    const item: unknown = Reflect.get(container, key);
    if (keys !== undefined && isUnsayable(item)) continue;
    if (!inner.isEmpty) parts.push(",");
    inner.isEmpty = false;
    if (keys !== undefined) parts.push(JSON.stringify(key), ":");
    write(item);
  }
  return parts.join("");
}

function native(value: unknown): string {
  return isUnsayable(value) ? "null" : JSON.stringify(value);
}

function isUnsayable(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}
