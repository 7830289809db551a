import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import { strippedEntry } from "../../../src/gateway/proxy/stripped-entry.ts";
import { PROXY_TOOLS } from "../../../src/gateway/proxy/proxy-tools.ts";
import { DEFAULT_LISTED_FORM } from "../../../src/identity/listed-form.ts";
import { LISTED_ENTRY_MAX_TOKENS } from "../../../src/limits.ts";
import { createScrubber } from "../../../src/scrub/scrub.ts";
import { committedCounter } from "../../committed-ranks.ts";
import { median } from "../figures/percentiles.ts";
import { openGateway } from "../gateway/open-gateway.ts";
import { RefreshedCatalog } from "../gateway/refreshed-catalog.ts";
import type { BenchTool } from "../tools/bench-tool.ts";

/** cl100k tokens of `/mcp/proxy`'s `tools/list` under the names it has by default. */
export interface ProxyListFigures {
  readonly tools: number;
  /** Of one listed tool. */
  readonly mean: number;
  readonly median: number;
  readonly max: number;
  /** Tools that have more than the bound, since their ids leave no room. */
  readonly beyond: number;
  /** All pages together, and every tool's whole definition. */
  readonly list: number;
  readonly full_list: number;
}

/** Measures every entry that the proxy lists of one catalog of tools. */
export async function measureProxyList(tools: readonly BenchTool[]): Promise<ProxyListFigures> {
  const refreshed = new RefreshedCatalog(new Set(tools.map(({ server }) => server)));
  await refreshed.refresh(tools);
  const { catalog } = await openGateway(refreshed);
  const counter = committedCounter();
  const scrubber = createScrubber([]);
  const { tools: listed } = catalog.page(undefined, tools.length, SEES_EVERYTHING);
  const entries = listed.map((tool) => strippedEntry(tool, DEFAULT_LISTED_FORM, scrubber));
  const tokens = entries.map((entry) => counter.count(JSON.stringify(entry)));
  return {
    tools: entries.length,
    mean: tokens.reduce((sum, each) => sum + each, 0) / Math.max(1, tokens.length),
    median: median(tokens),
    max: Math.max(...tokens),
    beyond: tokens.filter((each) => each > LISTED_ENTRY_MAX_TOKENS).length,
    list: counter.count(JSON.stringify({ tools: [...PROXY_TOOLS, ...entries] })),
    full_list: counter.count(JSON.stringify({ tools: tools.map(({ definition }) => definition) })),
  };
}
