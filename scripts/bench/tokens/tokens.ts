import { isJsonArray, isRecord, memberOf } from "../../../src/json.ts";
import { committedCounter } from "../../committed-ranks.ts";
import type { TokenCounter } from "../../../src/tokens/token-counter.ts";
import { median } from "../figures/percentiles.ts";
import { openGateway, type OpenGateway, shownText } from "../gateway/open-gateway.ts";
import { RefreshedCatalog } from "../gateway/refreshed-catalog.ts";
import { type BenchTool, hasRequired } from "../tools/bench-tool.ts";

const PAGE = 10;
const SMALL_PAGE = 5;
/** Tools whose refusal is measured, spread over the catalog: each is another schema to read and render. */
const REFUSALS_MAX = 200;

/** What is usual, and the worst of the mix. */
export interface Usual {
  readonly median: number;
  readonly max: number;
}

/** A list of tools: as MCP has it on the wire, and as a client hands it to a model (name, description, input schema). */
export interface ListTokens {
  readonly mcp: number;
  readonly model: number;
}

/** In cl100k tokens. */
export interface TokenFigures {
  readonly tools: number;
  readonly own_list: ListTokens;
  readonly full_list: ListTokens;
  /** Answers with so many cards, as the model reads them. */
  readonly browse_5: Usual;
  readonly browse_10: Usual;
  readonly args_invalid: Usual;
  /** Listing our three tools, one browse and one execute, beside that tool's own arguments and result. */
  readonly find_and_run: Usual;
  /** Listing every tool and one call, beside the same. */
  readonly list_and_run: Usual;
}

/** Measures what a model pays, on the Worker's own answers over one catalog. */
export async function measureTokens(
  tools: readonly BenchTool[],
  queries: readonly string[],
): Promise<TokenFigures> {
  const refreshed = new RefreshedCatalog(new Set(tools.map(({ server }) => server)));
  await refreshed.refresh(tools);
  const gateway = await openGateway(refreshed);
  const counter = committedCounter();
  const own_list = listTokens(await gateway.tools(), counter);
  const full_list = listTokens(
    tools.map(({ definition }) => definition),
    counter,
  );
  const found = await finds(gateway, queries, counter);
  return {
    tools: refreshed.documents().length,
    own_list,
    full_list,
    browse_5: usual(await browses(gateway, queries, SMALL_PAGE, counter)),
    browse_10: usual(await browses(gateway, queries, PAGE, counter)),
    args_invalid: usual(await refusals(gateway, tools, refreshed, counter)),
    find_and_run: usual(found.map(({ gateway: tokens }) => own_list.model + tokens)),
    list_and_run: usual(found.map(({ direct }) => full_list.model + direct)),
  };
}

function usual(values: readonly number[]): Usual {
  return { median: median(values), max: Math.max(...values) };
}

function listTokens(tools: readonly object[], counter: TokenCounter): ListTokens {
  const forModel = tools.map((tool) => ({
    name: memberOf(tool, "name"),
    description: memberOf(tool, "description"),
    input_schema: memberOf(tool, "inputSchema"),
  }));
  return {
    mcp: counter.count(JSON.stringify({ tools })),
    model: counter.count(JSON.stringify(forModel)),
  };
}

/** The answers that are full pages; where no query fills one, all that found something. */
async function browses(
  gateway: OpenGateway,
  queries: readonly string[],
  count: number,
  counter: TokenCounter,
): Promise<number[]> {
  const pages = await Promise.all(
    queries.map(async (query) => {
      const answer = await gateway.browse(query, count);
      return { cards: idsOf(answer).length, tokens: counter.count(shownText(answer)) };
    }),
  );
  const full = pages.filter(({ cards }) => cards === count);
  const shown = full.length > 0 ? full : pages.filter(({ cards }) => cards > 0);
  return shown.map(({ tokens }) => tokens);
}

/** What a call without its arguments is told, for tools that need some. */
async function refusals(
  gateway: OpenGateway,
  tools: readonly BenchTool[],
  refreshed: RefreshedCatalog,
  counter: TokenCounter,
): Promise<number[]> {
  const names = new Set(tools.filter(hasRequired).map(({ definition }) => definition["name"]));
  const documents = refreshed.documents().filter(({ name }) => names.has(name));
  const step = Math.max(1, Math.floor(documents.length / REFUSALS_MAX));
  const tokens: number[] = [];
  for (let at = 0; at < documents.length; at += step) {
    const answer = await gateway.execute(documents[at]?.id ?? "", {});
    const text = shownText(answer);
    if (answer.isError === true && text.includes('"error":"ARGS_INVALID"')) tokens.push(counter.count(text));
  }
  return tokens;
}

/** For each query that finds something: what finding and running the first hit costs beside the tools' list. */
async function finds(
  gateway: OpenGateway,
  queries: readonly string[],
  counter: TokenCounter,
): Promise<{ readonly gateway: number; readonly direct: number }[]> {
  const call = (name: string, input: object): number => counter.count(JSON.stringify({ name, input }));
  const found = await Promise.all(
    queries.map(async (query) => {
      const answer = await gateway.browse(query, PAGE);
      const [id] = idsOf(answer);
      if (id === undefined) return [];
      const tool = gateway.catalog.find(id);
      const browsed = call("tool_browse", { query }) + counter.count(shownText(answer));
      return [
        {
          gateway: browsed + call("tool_execute", { tool_id: id, args: {} }),
          direct: call(tool?.upstreamName ?? "", {}),
        },
      ];
    }),
  );
  return found.flat();
}

/** The tools that an answer shows. */
function idsOf(answer: unknown): string[] {
  const envelope = memberOf(memberOf(answer, "_meta"), "loomgate/envelope");
  const cards = memberOf(envelope, "cards");
  if (!isJsonArray(cards)) return [];
  return cards.filter(isRecord).map((card) => String(card["id"]));
}
