import { SATURATION } from "../document/fields.ts";
import { occurrencesOf } from "../document/posting-weight.ts";
import type { RoutingIndex } from "../index/routing-index.ts";
import { postingIn } from "./postings.ts";
import type { ResolvedSentence, ResolvedWord, Variant } from "./resolve.ts";
import { thingsOf } from "./things.ts";

/** What speaks for a document, in the sentence of a query that it answers best. */
export interface Evidence {
  /**
   * What the sentence's words give, times their share of what it asks, in nats of rarity: either alone misleads, as many words of
   * little weight add up, and a small catalog has few words to share.
   */
  readonly nats: number;
  /** That share, 0 to 1: the same however many tools have the words too. */
  readonly share: number;
  /** By word, the things that the sentence names and the document lacks: 1, or less for one that it has something like. */
  readonly missed: ReadonlyMap<string, number>;
}

interface Found {
  readonly variant: Variant;
  readonly gain: number;
}

/** The variant of a word that gives a document most, and what; undefined where it has none. */
export function bestVariant(
  index: RoutingIndex,
  { variants }: ResolvedWord,
  document: number,
): Found | undefined {
  let best: Found | undefined;
  for (const variant of variants) {
    const posting = postingIn(index, variant.postings, document);
    if (posting < 0) continue;
    const occurrences = occurrencesOf(index.weights[posting] ?? 0);
    const gain = (variant.worth * occurrences) / (SATURATION + occurrences);
    if (gain > (best?.gain ?? 0)) best = { variant, gain };
  }
  return best;
}

/**
 * What speaks for a document to be what is asked for: a look-up for each word and what may stand for it. Of several sentences
 * the one that counts is that which gives most, by its weight.
 */
export function evidenceFor(
  index: RoutingIndex,
  sentences: readonly ResolvedSentence[],
  document: number,
): Evidence {
  let most: Omit<Evidence, "missed"> = { nats: 0, share: 0 };
  let [text, weightiest] = ["", 0];
  let lacks: ReadonlyMap<string, number> = new Map();
  for (const sentence of sentences) {
    const finds = sentence.words.map((word) => ({ word, best: bestVariant(index, word, document) }));
    const found = finds.reduce((sum, { word, best }) => sum + word.importance * (best?.gain ?? 0), 0);
    const share = sentence.asked > 0 ? found / sentence.asked : 1;
    const nats = found * share;
    if (sentence.weight * nats <= weightiest) continue;
    weightiest = sentence.weight * nats;
    most = { nats, share };
    ({ text } = sentence);
    lacks = new Map(finds.map(({ word, best }) => [word.word, 1 - (best?.variant.likeness ?? 0)]));
  }
  const things = thingsOf(text);
  return { ...most, missed: new Map([...lacks].filter(([word, lack]) => lack > 0 && things.has(word))) };
}
