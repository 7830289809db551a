import { bareObject, isJsonArray, isRecord, type JsonObject } from "../../json.ts";
import {
  HEALTH_EXTENSION_DEPTH_MAX_COUNT,
  HEALTH_EXTENSION_MAX_COUNT,
  HEALTH_EXTENSION_VALUES_MAX_COUNT,
} from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";
import { HEALTH_MEMBERS, type HealthSnapshot } from "./snapshot.ts";

/** A base payload with a consumer's own members beside its own. */
export type ExtendedHealth = HealthSnapshot & JsonObject;

export type ExtensionProblem =
  | "not_an_object"
  | "too_many_members"
  /** Names are the wire's: lower case, digits and `_`, at most 64. */
  | "invalid_name"
  /** A name of the base payload, one that is absent just now included. */
  | "shadows_base"
  /** A value that JSON has no form for, or one nested too deep. */
  | "not_json"
  | "too_large";

const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const BASE: ReadonlySet<string> = new Set(HEALTH_MEMBERS);

/** Puts a consumer's own members after the base payload's. None of them can hide or fill in a base member. */
export function extendHealth(
  snapshot: HealthSnapshot,
  extension: unknown,
): Result<ExtendedHealth, ExtensionProblem> {
  if (!isRecord(extension)) return fail("not_an_object");
  const own = Object.entries(extension);
  if (own.length > HEALTH_EXTENSION_MAX_COUNT) return fail("too_many_members");
  const added = bareObject<unknown>();
  const budget = { values: HEALTH_EXTENSION_VALUES_MAX_COUNT };
  for (const [name, value] of own) {
    if (!NAME.test(name)) return fail("invalid_name");
    if (BASE.has(name)) return fail("shadows_base");
    const copy = copyJson(value, 1, budget);
    if (!copy.ok) return copy;
    added[name] = copy.value;
  }
  return ok({ ...snapshot, ...added });
}

/** The members of a health payload that are a consumer's own, whatever they are called. */
export function extensionOf(payload: JsonObject): JsonObject {
  const own = bareObject<unknown>();
  for (const [name, value] of Object.entries(payload)) if (!BASE.has(name)) own[name] = value;
  return own;
}

/** A copy, so that a value which changes later or has a `toJSON` of its own is judged as it will be sent. */
function copyJson(
  value: unknown,
  depth: number,
  budget: { values: number },
): Result<unknown, "not_json" | "too_large"> {
  // One array that holds another twice, and so on, is small in memory and without end on the wire.
  if (budget.values === 0) return fail("too_large");
  budget.values -= 1;
  if (value === null || typeof value === "string" || typeof value === "boolean") return ok(value);
  if (typeof value === "number") return Number.isFinite(value) ? ok(value) : fail("not_json");
  if (depth >= HEALTH_EXTENSION_DEPTH_MAX_COUNT) return fail("not_json");
  if (isJsonArray(value)) {
    const copies: unknown[] = [];
    for (const item of value) {
      const copy = copyJson(item, depth + 1, budget);
      if (!copy.ok) return copy;
      copies.push(copy.value);
    }
    return ok(copies);
  }
  if (!isRecord(value) || !isPlain(value)) return fail("not_json");
  const copies = bareObject<unknown>();
  for (const [name, item] of Object.entries(value)) {
    const copy = copyJson(item, depth + 1, budget);
    if (!copy.ok) return copy;
    copies[name] = copy.value;
  }
  return ok(copies);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
