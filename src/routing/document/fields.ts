import {
  ROUTING_DESCRIPTION_MAX_CHARS,
  ROUTING_DESCRIPTION_MAX_TOKENS,
  ROUTING_NAME_MAX_CHARS,
  ROUTING_NAME_MAX_TOKENS,
  ROUTING_PARAMETERS_MAX_CHARS,
  ROUTING_PARAMETERS_MAX_TOKENS,
} from "../../limits.ts";
import type { TokeniseBounds } from "../text/tokenise.ts";

/** How one field of a tool counts in BM25F. */
export interface Field extends TokeniseBounds {
  /** How many times one occurrence here counts. */
  readonly weight: number;
  /** The length in tokens that is neither helped nor hurt: a constant, so that no tool's score hangs on other tools. */
  readonly pivotTokens: number;
  /** Whether function words are indexed: names are read to the letter (`who_am_i`), prose is not. */
  readonly keepStopWords: boolean;
}

const NAME_BOUNDS = { maxChars: ROUTING_NAME_MAX_CHARS, maxTokens: ROUTING_NAME_MAX_TOKENS };
const DESCRIPTION_BOUNDS = {
  maxChars: ROUTING_DESCRIPTION_MAX_CHARS,
  maxTokens: ROUTING_DESCRIPTION_MAX_TOKENS,
};
const PARAMETER_BOUNDS = {
  maxChars: ROUTING_PARAMETERS_MAX_CHARS,
  maxTokens: ROUTING_PARAMETERS_MAX_TOKENS,
};

export const FIELD_NAMES = [
  "name",
  "title",
  "lead",
  "rest",
  "parameterNames",
  "parameterDescriptions",
  "server",
] as const;

export type FieldName = (typeof FIELD_NAMES)[number];

/**
 * A word in the name says what the tool does (3), and so does one in the description's first sentence, less surely (1.5);
 * the rest of a description is conditions, examples and warnings (0.4), about as telling as a parameter's name (0.5). A
 * parameter's description says what the parameter is (0.15). All tools of a server share its name: it tells which
 * `search` was meant (1.5) and must not outweigh what the tool does. A title mostly repeats the name (1). The pivots are
 * round numbers of the order found in real catalogs.
 */
export const FIELDS: Readonly<Record<FieldName, Field>> = {
  name: { ...NAME_BOUNDS, weight: 3, pivotTokens: 3, keepStopWords: true },
  title: { ...NAME_BOUNDS, weight: 1, pivotTokens: 3, keepStopWords: true },
  lead: { ...DESCRIPTION_BOUNDS, weight: 1.5, pivotTokens: 10, keepStopWords: false },
  rest: { ...DESCRIPTION_BOUNDS, weight: 0.4, pivotTokens: 25, keepStopWords: false },
  parameterNames: { ...PARAMETER_BOUNDS, weight: 0.5, pivotTokens: 6, keepStopWords: false },
  parameterDescriptions: { ...PARAMETER_BOUNDS, weight: 0.15, pivotTokens: 25, keepStopWords: false },
  server: { ...NAME_BOUNDS, weight: 1.5, pivotTokens: 2, keepStopWords: false },
};

/** Where a pair of neighbouring words is a term of its own: what it counts there. */
export const PAIR_WEIGHTS: Readonly<Partial<Record<FieldName, number>>> = { name: 1, title: 0.5, lead: 1 };

/** BM25's b, its usual value, for every field: how strongly a text longer than usual is discounted. */
export const LENGTH_EFFECT = 0.75;

/** BM25's k1, where an occurrence more stops mattering: above the usual 1.2 to 2, since the weights add up to 5 and more. */
export const SATURATION = 3;

/**
 * Rarity of a term found in n tools is ln(1 + RARITY_SCALE / (n + 0.5)). BM25 has the catalog's size in this place; a
 * constant keeps two tools in the same order when others, with other words, come and go. 1,000 is the middle of the
 * sizes served; from 500 to 3,000 recall moves by up to three points, either way.
 */
export const RARITY_SCALE = 1_000;
