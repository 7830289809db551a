import {
  ROUTING_DESCRIPTION_MAX_CHARS,
  ROUTING_DESCRIPTION_MAX_TOKENS,
  ROUTING_NAME_MAX_CHARS,
  ROUTING_NAME_MAX_TOKENS,
  ROUTING_PARAMETERS_MAX_CHARS,
  ROUTING_PARAMETERS_MAX_TOKENS,
} from "../limits.ts";
import type { TokeniseBounds } from "./tokenise.ts";

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
 * A word in the name says what the tool does (3); so does one in the description's first sentence, less surely (2); the
 * rest of a description is conditions, examples and warnings (0.5), about as telling as a parameter's name (0.6). A
 * parameter's description says what the parameter is (0.3). Server and title mostly repeat what is known (0.7, 1): all
 * tools of a server share its name, so it must not outweigh what the tool does. The pivots are round
 * numbers of the order found in real catalogs.
 */
export const FIELDS: Readonly<Record<FieldName, Field>> = {
  name: { ...NAME_BOUNDS, weight: 3, pivotTokens: 3, keepStopWords: true },
  title: { ...NAME_BOUNDS, weight: 1, pivotTokens: 3, keepStopWords: true },
  lead: { ...DESCRIPTION_BOUNDS, weight: 2, pivotTokens: 10, keepStopWords: false },
  rest: { ...DESCRIPTION_BOUNDS, weight: 0.5, pivotTokens: 25, keepStopWords: false },
  parameterNames: { ...PARAMETER_BOUNDS, weight: 0.6, pivotTokens: 6, keepStopWords: false },
  parameterDescriptions: { ...PARAMETER_BOUNDS, weight: 0.3, pivotTokens: 25, keepStopWords: false },
  server: { ...NAME_BOUNDS, weight: 0.7, pivotTokens: 2, keepStopWords: false },
};

/** BM25's b, its usual value, for every field: how strongly a text longer than usual is discounted. */
export const LENGTH_EFFECT = 0.75;

/** BM25's k1, where an occurrence more stops mattering: the upper end of the usual 1.2 to 2, as the weights reach 3. */
export const SATURATION = 2;

/**
 * Rarity of a term found in n tools is ln(1 + RARITY_SCALE / (n + 0.5)). BM25 has the catalog's size in this place; a
 * constant keeps two tools in the same order when others, with other words, come and go. 1,000 is the middle of the
 * sizes served; from 500 to 3,000 recall moves by up to three points, either way.
 */
export const RARITY_SCALE = 1_000;
