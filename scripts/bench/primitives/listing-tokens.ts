import type { OtherKind } from "../../../src/catalog/catalog.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import type { TokenCounter } from "../../../src/tokens/token-counter.ts";
import { median } from "../figures/percentiles.ts";
import { type OpenGateway, shownText } from "../gateway/open-gateway.ts";
import type { Usual } from "../tokens/tokens.ts";
import { type BenchEntry } from "./bench-entry.ts";
import { nativeListTokens } from "./native-lists.ts";

const CARDS = 5;

/** cl100k tokens until a client has found one of many entries. */
export interface ListingTokens {
  /** MCP's own lists, whole. */
  readonly native: number;
  /** What the pair of meta-tools adds to `tools/list`. */
  readonly pair: number;
  /** A browse's answer with five cards, as a model reads it. */
  readonly browse_5: Usual;
}

/** Measures both ways over one catalog. */
export async function measureListing(
  gateway: OpenGateway,
  kind: OtherKind,
  entries: readonly BenchEntry[],
  queries: readonly string[],
  counter: TokenCounter,
): Promise<ListingTokens> {
  const answers = await Promise.all(
    queries.map((query) => gateway.call(`${kind}_browse`, { query, top_k: CARDS })),
  );
  const pages = answers.map((answer) => ({
    cards: cardsOf(answer),
    tokens: counter.count(shownText(answer)),
  }));
  const full = pages.filter(({ cards }) => cards === CARDS);
  const tokens = (full.length > 0 ? full : pages).map((page) => page.tokens);
  return {
    native: nativeListTokens(kind, entries, counter),
    pair: await pairTokens(gateway, kind, counter),
    browse_5: { median: median(tokens), max: Math.max(...tokens) },
  };
}

async function pairTokens(gateway: OpenGateway, kind: OtherKind, counter: TokenCounter): Promise<number> {
  const tools = await gateway.tools();
  const without = tools.filter(({ name }) => !name.startsWith(`${kind}_`));
  const count = (list: typeof tools): number => counter.count(JSON.stringify({ tools: list }));
  return count(tools) - count(without);
}

function cardsOf(answer: unknown): number {
  const envelope = memberOf(memberOf(answer, "_meta"), "loomgate/envelope");
  const cards = memberOf(envelope, "cards");
  return isJsonArray(cards) ? cards.length : 0;
}
