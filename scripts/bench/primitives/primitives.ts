import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import type { OtherKind } from "../../../src/catalog/catalog.ts";
import { committedCounter } from "../../committed-ranks.ts";
import type { ResultCase } from "../../../test/fixtures/results/kit/result-case.ts";
import { Told } from "../../command-line.ts";
import { openGateway } from "../gateway/open-gateway.ts";
import { RefreshedCatalog } from "../gateway/refreshed-catalog.ts";
import type { BenchTool } from "../tools/bench-tool.ts";
import { type BenchEntry, KINDS } from "./bench-entry.ts";
import { growEntries } from "./grow-entries.ts";
import { largeResources } from "./large-resources.ts";
import { type ListingTokens, measureListing } from "./listing-tokens.ts";
import { measureProxyList, type ProxyListFigures } from "./proxy-list.ts";
import { type AskedQuery, readSet } from "./read-set.ts";
import { measureReading, type ReadingTokens } from "./reading.ts";
import { measureRecall, type RecallFigures } from "./recall.ts";

/** Of one kind's catalog at one size. */
export interface KindAtSize {
  readonly kind: OtherKind;
  readonly entries: number;
  readonly servers: number;
  /** Grown past what was written. */
  readonly grown: boolean;
  readonly tokens: ListingTokens;
  readonly recall: RecallFigures;
}

export interface PrimitiveFigures {
  readonly kinds: readonly KindAtSize[];
  readonly reading: readonly ReadingTokens[];
  readonly proxy_list: ProxyListFigures;
}

export interface PrimitiveSources {
  /** The sizes that the written sets are grown to, too. */
  readonly sizes: readonly number[];
  readonly words: readonly string[];
  readonly cases: readonly ResultCase[];
  /** What the proxy lists. */
  readonly tools: readonly BenchTool[];
}

/** Measures resources and prompts: what finding one costs, whether it is found, what reading one costs. */
export async function measurePrimitives(
  { sizes, words, cases, tools }: PrimitiveSources,
  progress: (line: string) => void,
): Promise<PrimitiveFigures> {
  const kinds: KindAtSize[] = [];
  for (const kind of KINDS) {
    const { entries: written, queries } = readSet(kind);
    const all = growEntries(kind, written, Math.max(written.length, ...sizes), words);
    for (const size of [written.length, ...sizes.filter((count) => count > written.length)]) {
      progress(`primitives: ${size} ${kind}s`);
      const figures = await measureKind(kind, all.slice(0, size), queries);
      kinds.push({ ...figures, grown: size > written.length });
    }
  }
  progress("primitives: reading large resources");
  const reading = await measureReading(largeResources(cases), committedCounter());
  progress(`primitives: the proxy's list of ${tools.length} tools`);
  return { kinds, reading, proxy_list: await measureProxyList(tools) };
}

/** Everything about one kind, over a catalog that has nothing else. */
export async function measureKind(
  kind: OtherKind,
  entries: readonly BenchEntry[],
  queries: readonly AskedQuery[],
): Promise<Omit<KindAtSize, "grown">> {
  const servers = new Set(entries.map(({ server }) => server));
  const refreshed = new RefreshedCatalog(servers);
  await refreshed.refresh([], { [kind]: entries });
  const gateway = await openGateway(refreshed);
  const known = gateway.catalog.of(kind)?.page(undefined, entries.length, SEES_EVERYTHING).tools.length;
  if (known !== entries.length) throw new Told(`of ${entries.length} ${kind}s the catalog has ${known ?? 0}`);
  const asked = queries.map(({ query }) => query);
  return {
    kind,
    entries: entries.length,
    servers: servers.size,
    tokens: await measureListing(gateway, kind, entries, asked, committedCounter()),
    recall: measureRecall(gateway.catalog, kind, entries, queries),
  };
}
