import { exactJsonText } from "../../exact-json/write.ts";
import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { DEFINITION_MAX_BYTES, DEFINITION_MAX_DEPTH, DEFINITION_MAX_NODES } from "../../limits.ts";
import { type Measure, measure } from "../../schema/measure.ts";

/**
 * One entry of a listing on its way to be judged: its compact JSON, a fraction of what the parsed value takes and enough to
 * tell whether it is known; or what is left of an entry that no JSON says.
 */
export type ListedEntry = string | UnwritableEntry;

/** No JSON says it: it has a number without an end, which no list on the wire has, since there a number is its digits. */
export interface UnwritableEntry {
  readonly isObject: boolean;
  /** Whatever stands under `name`, if it is a text. */
  readonly name: string | undefined;
  /** Why it is left out, if it is an object with a name. */
  readonly reason: string;
}

/** What a definition may be; the measuring ends there. */
const CEILINGS = { bytes: DEFINITION_MAX_BYTES, depth: DEFINITION_MAX_DEPTH, nodes: DEFINITION_MAX_NODES };

/** How large a definition is, and what keeps it from being read at all. */
export function measureDefinition(value: unknown): {
  readonly size: Measure;
  readonly fault: string | undefined;
} {
  const size = measure(value, CEILINGS);
  if (size.bytes > CEILINGS.bytes) return { size, fault: "definition_too_large" };
  if (!size.complete) {
    return {
      size,
      fault: size.depth >= CEILINGS.depth ? "definition_too_deep" : "definition_too_large",
    };
  }
  return { size, fault: size.foreign ? "not_json" : undefined };
}

/**
 * A parsed entry as a listing keeps it. Nothing is lost: the text says the same value again, numbers as they were written, a
 * `__proto__` member and a lone surrogate included. Never throws.
 */
export function listedEntry(value: unknown): ListedEntry {
  const text = exactJsonText(value);
  // A number past the largest is written as null, so only a text with a null in it can hide one.
  if (!(text.includes("null") && hasEndlessNumber(value))) return text;
  const name = memberOf(value, "name");
  return {
    isObject: isRecord(value),
    name: typeof name === "string" ? name : undefined,
    reason: measureDefinition(value).fault ?? "not_json",
  };
}

function hasEndlessNumber(root: unknown): boolean {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "number" && !Number.isFinite(value)) return true;
    if (isJsonArray(value)) for (const item of value) pending.push(item);
    else if (isRecord(value)) for (const key of Object.keys(value)) pending.push(value[key]);
  }
  return false;
}
