import { ROUTING_LEAD_MAX_CHARS, ROUTING_NAME_MAX_CHARS } from "../../limits.ts";
import { compareCodePoints } from "../../code-points.ts";
import { FIELD_NAMES, FIELDS, LENGTH_EFFECT, PAIR_WEIGHTS, type FieldName } from "./fields.ts";
import { packWeight } from "./posting-weight.ts";
import { tokenise } from "../text/tokenise.ts";

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
 * A document read: its terms in code point order, and the weight of each (`posting-weight.ts`). Nothing in it hangs on
 * another document, so that an unchanged tool's can be kept.
 */
export interface AnalysedDocument {
  readonly id: string;
  /** The upstream's name to the letter; empty if nobody could ask by it. */
  readonly name: string;
  readonly terms: readonly string[];
  readonly weights: readonly number[];
}

/** How often each term counts in one field, and the field's pairs of neighbouring words. */
interface FieldReading {
  readonly counts: ReadonlyMap<string, number>;
  readonly pairs: ReadonlySet<string>;
  /** Words of the field, forms of one word counted once. */
  readonly words: number;
}

/** Words that every other server has in its name. */
const SERVER_NOISE: ReadonlySet<string> = new Set(["mcp", "server"]);

/** Two words that stand side by side, as a term: it sorts before all words, and is none. */
export function pairTerm(first: string, second: string): string {
  return ` ${first} ${second}`;
}

/** Whether a term is of two words: no table of words has it. */
export function isPairTerm(term: string): boolean {
  return term.startsWith(" ");
}

function readField(texts: readonly string[], name: FieldName): FieldReading {
  const field = FIELDS[name];
  const occurrences = new Map<string, number>();
  const pairs = new Set<string>();
  const distinct = new Set<string>();
  const isPaired = PAIR_WEIGHTS[name] !== undefined;
  let [tokens, chars] = [0, 0];
  for (const text of texts) {
    const bounds = { maxChars: field.maxChars - chars, maxTokens: field.maxTokens - tokens };
    if (bounds.maxChars <= 0 || bounds.maxTokens <= 0) break;
    chars += text.length + 1;
    let before: string | undefined;
    for (const { term, folded, stopWord, whole, run } of tokenise(text, bounds)) {
      tokens += 1;
      if (stopWord && !field.keepStopWords) continue;
      if (name === "server" && SERVER_NOISE.has(term)) continue;
      for (const form of folded === undefined ? [term] : [term, folded]) {
        occurrences.set(form, (occurrences.get(form) ?? 0) + 1);
      }
      if (whole === true || stopWord) continue;
      distinct.add(term);
      if (isPaired && run === undefined && before !== undefined) pairs.add(pairTerm(before, term));
      before = run === undefined ? term : undefined;
    }
  }
  const length = 1 - LENGTH_EFFECT + (LENGTH_EFFECT * tokens) / field.pivotTokens;
  const counts = new Map([...occurrences].map(([term, count]) => [term, (field.weight * count) / length]));
  return { counts, pairs, words: distinct.size };
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

/** What each field of a document gives to each of its terms, pairs included. */
export function readFields(document: RoutingDocument): ReadonlyMap<FieldName, ReadonlyMap<string, number>> {
  const texts = textsOf(document);
  return new Map(
    FIELD_NAMES.map((name) => {
      const { counts, pairs } = readField(texts[name], name);
      const weight = PAIR_WEIGHTS[name];
      const paired = weight === undefined ? [] : [...pairs].map((pair) => [pair, weight] as const);
      return [name, new Map([...counts, ...paired])];
    }),
  );
}

/** Reads one document; the work is bounded by the fields' limits, whatever the text. */
export function analyseDocument(document: RoutingDocument): AnalysedDocument {
  const texts = textsOf(document);
  const weights = new Map<string, number>();
  let name: FieldReading | undefined;
  for (const fieldName of FIELD_NAMES) {
    const reading = readField(texts[fieldName], fieldName);
    if (fieldName === "name") name = reading;
    for (const [term, count] of reading.counts) weights.set(term, (weights.get(term) ?? 0) + count);
    const weight = PAIR_WEIGHTS[fieldName];
    if (weight === undefined) continue;
    for (const pair of reading.pairs) weights.set(pair, Math.max(weights.get(pair) ?? 0, weight));
  }
  const nameWords = Math.max(1, name?.words ?? 0);
  const entries = [...weights].sort(([left], [right]) => compareCodePoints(left, right));
  return {
    id: document.id,
    name: document.name.length > ROUTING_NAME_MAX_CHARS ? "" : document.name,
    terms: entries.map(([term]) => term),
    weights: entries.map(([term, count]) =>
      packWeight(count, name?.counts.has(term) === true ? nameWords : 0),
    ),
  };
}
