import { compareCodePoints } from "../../../src/code-points.ts";
import { isJsonArray, isRecord } from "../../../src/json.ts";
import type { CatalogTool } from "../input/catalog.ts";
import { plainWords } from "./plain-words.ts";
import type { Answer } from "./method.ts";

const K1 = 1.2;
const B = 0.75;

interface Posting {
  readonly document: number;
  readonly occurrences: number;
}

/**
 * What everybody has: Okapi BM25 (Robertson, Spärck Jones; idf with the added one that keeps it above 0) over one field,
 * a tool's name, description and parameter names joined. It shares no code with the ranking, so that work on the
 * ranking cannot move what it is held against.
 */
export class Baseline {
  readonly #ids: readonly string[];
  readonly #postings = new Map<string, Posting[]>();
  /** By document: `K1 * (1 - B + B * length / mean length)`. */
  readonly #damping: readonly number[];

  constructor(tools: readonly CatalogTool[]) {
    const sorted = [...tools].sort((left, right) => compareCodePoints(left.id, right.id));
    this.#ids = sorted.map(({ id }) => id);
    const lengths = sorted.map((tool, document) => this.#add(tool, document));
    const total = lengths.reduce((sum, length) => sum + length, 0);
    const meanLength = Math.max(1, total / Math.max(1, lengths.length));
    this.#damping = lengths.map((length) => K1 * (1 - B + (B * length) / meanLength));
  }

  search(query: string): Answer {
    return { ids: this.score(query).map(({ id }) => id) };
  }

  /** All tools that share a word with the query, best first; equals in the order of their ids. */
  score(query: string): { readonly id: string; readonly score: number }[] {
    const scores = new Map<number, number>();
    for (const word of plainWords(query)) {
      const postings = this.#postings.get(word) ?? [];
      const rarity = Math.log(1 + (this.#ids.length - postings.length + 0.5) / (postings.length + 0.5));
      for (const { document, occurrences } of postings) {
        const weight = (occurrences * (K1 + 1)) / (occurrences + (this.#damping[document] ?? K1));
        scores.set(document, (scores.get(document) ?? 0) + rarity * weight);
      }
    }
    const best = [...scores].sort(([a, first], [b, second]) => second - first || a - b);
    return best.map(([document, score]) => ({ id: this.#ids[document] ?? "", score }));
  }

  /** Returns the tool's length in words. */
  #add(tool: CatalogTool, document: number): number {
    const counts = new Map<string, number>();
    const words = plainWords([tool.name, tool.description, ...parameterNames(tool.inputSchema)].join(" "));
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, occurrences] of counts) {
      const postings = this.#postings.get(word);
      if (postings === undefined) this.#postings.set(word, [{ document, occurrences }]);
      else postings.push({ document, occurrences });
    }
    return words.length;
  }
}

/** The names of all parameters, nested ones too. */
function parameterNames(inputSchema: unknown): string[] {
  const names: string[] = [];
  const queue = [inputSchema];
  for (const node of queue) {
    if (isJsonArray(node)) queue.push(...node);
    else if (isRecord(node)) {
      for (const [key, value] of Object.entries(node)) {
        if (key === "properties" && isRecord(value)) {
          names.push(...Object.keys(value));
          queue.push(...Object.values(value));
        } else queue.push(value);
      }
    }
  }
  return names;
}
