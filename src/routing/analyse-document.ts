import { ROUTING_LEAD_MAX_CHARS, ROUTING_NAME_MAX_CHARS } from "../limits.ts";
import { compareCodePoints } from "../code-points.ts";
import { FIELD_NAMES, FIELDS, LENGTH_EFFECT, type Field, type FieldName } from "./fields.ts";
import { tokenise } from "./tokenise.ts";

/** A tool as the index sees it. `id` is canonical, `name` the upstream's own, `server` the configured name. */
export interface RoutingDocument {
  readonly id: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly parameterNames: readonly string[];
  readonly parameterDescriptions: readonly string[];
  readonly server: string;
}

/**
 * A document read: its terms in code point order, and how often each counts, in thousandths of one occurrence in a
 * field of weight 1 and usual length. Nothing in it hangs on another document, so that an unchanged tool's can be kept.
 */
export interface AnalysedDocument {
  readonly id: string;
  /** The upstream's name to the letter; empty if nobody could ask by it. */
  readonly name: string;
  readonly terms: readonly string[];
  readonly weights: readonly number[];
}

/** Adds the weighted occurrences of one field's words to `weights`. */
function addField(texts: readonly string[], field: Field, weights: Map<string, number>): void {
  const counts = new Map<string, number>();
  const count = (term: string): void => {
    counts.set(term, (counts.get(term) ?? 0) + 1);
  };
  let tokens = 0;
  let chars = 0;
  for (const text of texts) {
    const bounds = { maxChars: field.maxChars - chars, maxTokens: field.maxTokens - tokens };
    if (bounds.maxChars <= 0 || bounds.maxTokens <= 0) break;
    chars += text.length + 1;
    for (const { term, folded, stopWord } of tokenise(text, bounds)) {
      tokens += 1;
      if (stopWord && !field.keepStopWords) continue;
      count(term);
      if (folded !== undefined) count(folded);
    }
  }
  const length = 1 - LENGTH_EFFECT + (LENGTH_EFFECT * tokens) / field.pivotTokens;
  for (const [term, occurrences] of counts) {
    weights.set(term, (weights.get(term) ?? 0) + (field.weight * occurrences) / length);
  }
}

/** Where a first sentence or paragraph ends. */
const LEAD_END = /[.!?](?=\s|$)|[。！？]|\n\s*\n/;

/** Where the rest of a description begins: behind its first sentence, or behind the longest one that is believed. */
function leadLength(description: string): number {
  const head = description.slice(0, ROUTING_LEAD_MAX_CHARS);
  const end = LEAD_END.exec(head);
  if (end !== null) return end.index + 1;
  const lastGap = description.length > head.length ? head.lastIndexOf(" ") : -1;
  return lastGap > 0 ? lastGap : head.length;
}

function textsOf(document: RoutingDocument): Readonly<Record<FieldName, readonly string[]>> {
  const cut = leadLength(document.description);
  return {
    name: [document.name],
    title: document.title === undefined ? [] : [document.title],
    lead: [document.description.slice(0, cut)],
    rest: [document.description.slice(cut)],
    parameterNames: document.parameterNames,
    parameterDescriptions: document.parameterDescriptions,
    server: [document.server],
  };
}

/** Reads one document; the work is bounded by the fields' limits, whatever the text. */
export function analyseDocument(document: RoutingDocument): AnalysedDocument {
  const weights = new Map<string, number>();
  const texts = textsOf(document);
  for (const field of FIELD_NAMES) addField(texts[field], FIELDS[field], weights);
  const entries = [...weights].sort(([left], [right]) => compareCodePoints(left, right));
  return {
    id: document.id,
    name: document.name.length > ROUTING_NAME_MAX_CHARS ? "" : document.name,
    terms: entries.map(([term]) => term),
    weights: entries.map(([, weight]) => Math.max(1, Math.round(weight * 1000))),
  };
}
