import { isJsonArray } from "../../json.ts";
import { EVENT_IDS_MAX_COUNT, REPLAY_ATTEMPTS_MAX_COUNT } from "../../limits/spine.ts";
import { isCount } from "./counters.ts";
import { isCatalogId, isErrorCode, isGrantId, isStreamName } from "./identifiers.ts";

/**
 * What an attribute of an event can be: a count, a flag, one of some words of ours, a code, ids of the catalog, the name of a
 * stream that an operator has declared, or the id of a grant. There is no kind for text, so that arguments, results, messages and bearers have nowhere to go.
 */
export type AttributeKind =
  | { readonly kind: "count"; readonly max: number }
  | { readonly kind: "flag" }
  | { readonly kind: "word"; readonly words: readonly string[] }
  | { readonly kind: "error_code" }
  | { readonly kind: "catalog_ids" }
  | { readonly kind: "stream_name" }
  | { readonly kind: "grant_id" };

export type AttributeValue = number | boolean | string | readonly string[];

/** The values that a kind admits. */
export type ValueOf<Kind> = Kind extends { readonly kind: "count" }
  ? number
  : Kind extends { readonly kind: "flag" }
    ? boolean
    : Kind extends { readonly kind: "word"; readonly words: readonly (infer Word)[] }
      ? Word
      : Kind extends { readonly kind: "catalog_ids" }
        ? readonly string[]
        : string;

export const COUNT = { kind: "count", max: Number.MAX_SAFE_INTEGER } as const;
/** A call's first attempt and its replays. */
export const ATTEMPTS = { kind: "count", max: REPLAY_ATTEMPTS_MAX_COUNT + 1 } as const;
export const FLAG = { kind: "flag" } as const;
export const CODE = { kind: "error_code" } as const;
export const STREAM = { kind: "stream_name" } as const;
export const GRANT = { kind: "grant_id" } as const;
export const IDS = { kind: "catalog_ids" } as const;

export function oneOf<const Words extends readonly string[]>(
  words: Words,
): { readonly kind: "word"; readonly words: Words } {
  return { kind: "word", words };
}

/** The value if its kind admits it, copied, so that nobody changes it after it was judged. */
export function admitted(kind: AttributeKind, value: unknown): AttributeValue | undefined {
  switch (kind.kind) {
    case "count":
      return isCount(value) && value <= kind.max ? value : undefined;
    case "flag":
      return typeof value === "boolean" ? value : undefined;
    case "word":
      return kind.words.find((word) => word === value);
    case "error_code":
      return isErrorCode(value) ? value : undefined;
    case "stream_name":
      return isStreamName(value) ? value : undefined;
    case "grant_id":
      return isGrantId(value) ? value : undefined;
    case "catalog_ids":
      return admittedIds(value);
  }
}

function admittedIds(value: unknown): readonly string[] | undefined {
  if (!isJsonArray(value)) return undefined;
  const ids: string[] = [];
  for (const id of value) {
    if (!isCatalogId(id) || ids.length === EVENT_IDS_MAX_COUNT) return undefined;
    ids.push(id);
  }
  return ids;
}
