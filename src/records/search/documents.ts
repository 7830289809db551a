import { isJsonArray, memberOf } from "../../json.ts";
import { SEARCH_FIELD_TERMS_MAX_BYTES, SEARCH_FIELD_TEXT_MAX_CHARS } from "../../limits/records.ts";
import type { StreamManifest } from "../manifest/manifest.ts";
import { documentTerms } from "./terms.ts";

/**
 * What is found of one field of one record: a row of `record_documents`, and one of `record_terms` under the same id. There
 * each term has `s`, the id of its scope and `x` in front, so that nobody else's word is ever the same token.
 */
export interface FieldDocument {
  readonly field: string;
  /** Joined by spaces, without the scope: with it, at most `SEARCH_FIELD_TERMS_MAX_BYTES`. */
  readonly terms: string;
  readonly termCount: number;
}

/** `s`, a scope's id and `x`: ids are integers that JavaScript holds, of at most sixteen digits. */
const SCOPE_MAX_CHARS = 18;

/** The documents of a record: one for each lexical field with a word in it. `data` is the body, read as exact JSON. Never throws. */
export function documentsOf(stream: StreamManifest, data: unknown): readonly FieldDocument[] {
  return stream.lexicalFields.flatMap((field) => {
    const text = lexicalText(memberOf(data, field));
    const terms = text === undefined ? [] : boundedTerms(text);
    return terms.length === 0 ? [] : [{ field, terms: terms.join(" "), termCount: terms.length }];
  });
}

/** The text that a field's value is found by, at most `SEARCH_FIELD_TEXT_MAX_CHARS` of it; strings of an array line by line. */
export function lexicalText(value: unknown): string | undefined {
  const text = isJsonArray(value)
    ? value.filter((item): item is string => typeof item === "string").join("\n")
    : value;
  return typeof text === "string" ? text.slice(0, SEARCH_FIELD_TEXT_MAX_CHARS) : undefined;
}

function boundedTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let bytes = 0;
  for (const { term } of documentTerms(text)) {
    bytes += SCOPE_MAX_CHARS + term.length + 1;
    if (bytes > SEARCH_FIELD_TERMS_MAX_BYTES) break;
    terms.push(term);
  }
  return terms;
}
