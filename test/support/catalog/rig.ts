import { listedEntry } from "../../../src/catalog/refresh/listed-entry.ts";
import type {
  CounterFault,
  ListedEntries,
  ListedServer,
  NeighbourSource,
  RefreshPorts,
  RefreshStore,
} from "../../../src/catalog/refresh/refresh-ports.ts";
import { type MoveRun, runMove } from "../../../src/catalog/refresh/move.ts";
import type { RefreshOutcome } from "../../../src/catalog/refresh/publish-found.ts";
import type { MoveName, ServerReport, RefreshReason } from "../../../src/catalog/refresh/refresh-contract.ts";
import { runRefresh } from "../../../src/catalog/refresh/refresh.ts";
import { type CatalogSettings, catalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { SnapshotStore } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { parseConfig } from "../../../src/config.ts";
import { CATALOG_DEFINITIONS_MAX_BYTES } from "../../../src/limits.ts";
import { fail, ok } from "../../../src/result.ts";
import { lintSchema } from "../../../src/schema/lint.ts";
import { createFault, type Fault } from "../../../src/spine/fault/fault.ts";
import { GENESIS } from "../../../src/spine/fault/generation.ts";
import { createTokenCounter, type TokenUsage } from "../../../src/tokens/token-counter.ts";
import { type FakeClock, FakeKv } from "./fake-kv.ts";
import { MemoryRefreshStore } from "./memory-store.ts";

type Entries = readonly unknown[] | string;

/** What a server answers of each kind: entries, or why it fails. A kind that is left out it does not have. */
export interface ServerLists {
  readonly tools?: Entries;
  readonly resources?: Entries;
  readonly templates?: Entries;
  readonly prompts?: Entries;
}

/** What a server answers: tools alone, or why it fails. Its candidate stands under its name with `:candidate` behind it. */
export type Listings = Record<string, Entries | ServerLists>;

export function settingsOf(servers: Record<string, object>, gateway: object = {}): CatalogSettings {
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, block]) => [
      name,
      { url: `https://${name}.example.com/mcp`, ...block },
    ]),
  );
  const config = parseConfig(JSON.stringify({ mcpServers, gateway }));
  const settings = config.ok ? catalogSettings(config.value) : config;
  if (!settings.ok) throw new Error(JSON.stringify(settings.reason));
  return settings.value;
}

export function tool(name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object" }, ...more };
}

/** Makes what is kept of the first server's candidate as large as a catalog may be, as long as it lists the same. */
export function swell({ store }: RefreshRig, { servers: [server] }: CatalogSettings): void {
  const source = server?.candidate?.source ?? "";
  const listing = store.listing(source);
  if (listing?.tools === undefined) throw new Error("the candidate was not listed");
  const tools = listing.tools.map((each) => ({
    ...each,
    definitionBytes: 2 * CATALOG_DEFINITIONS_MAX_BYTES,
  }));
  store.saveListing(source, { ...listing, tools }, 1);
}

/** About a token for every four characters, for tests that are not about tokens: each counter would make its own tables. */
export const roughCounter = () => createTokenCounter(() => (text) => Math.ceil(text.length / 4));

function isEntries(listing: Entries | ServerLists): listing is Entries {
  return typeof listing === "string" || Array.isArray(listing);
}

function entriesOf(entries: Entries): ListedEntries {
  return typeof entries === "string"
    ? fail({ message: entries, detail: "inner", fault: faultOf(entries) })
    : ok(entries.map(listedEntry));
}

function faultOf(detail: string): Fault {
  return createFault({ generation: GENESIS, class: "transport", code: "unreachable", detail });
}

/** One catalog's object without the platform: its store, KV and upstreams, and counts of the dear work. */
export class RefreshRig {
  readonly clock: FakeClock = { nowMs: 1_000_000 };
  readonly kv = new FakeKv(this.clock);
  readonly store: RefreshStore;
  readonly logs: string[] = [];
  lints = 0;
  listed: string[] = [];
  atOnce = { now: 0, most: 0 };
  /** Of each counter that was loaded. */
  usages: TokenUsage[] = [];
  /** Why no counter can be loaded. */
  counterFault: CounterFault | undefined;
  pauses = 0;
  neighbours: NeighbourSource = {
    version: () => Promise.resolve("none"),
    load: () => Promise.resolve(undefined),
  };

  constructor(store: RefreshStore = new MemoryRefreshStore()) {
    this.store = store;
  }

  async refresh(
    settings: CatalogSettings,
    listings: Listings,
    answers: (server: string) => Promise<void> = async () => undefined,
    trigger: RefreshReason = "operator",
  ): Promise<RefreshOutcome> {
    this.clock.nowMs += 60_000;
    return runRefresh(settings, this.ports(this.#lister(listings, answers)), trigger);
  }

  /** What the last run is remembered to have said of its servers. */
  reports: readonly ServerReport[] = [];

  async move(
    settings: CatalogSettings,
    listings: Listings,
    move: MoveName,
    { server = "alpha", acceptBreaking = false }: { server?: string; acceptBreaking?: boolean } = {},
  ): Promise<MoveRun> {
    this.clock.nowMs += 60_000;
    const ports = this.ports(this.#lister(listings, async () => undefined));
    return runMove(settings, { server, move, acceptBreaking }, this.reports, ports);
  }

  #lister(listings: Listings, answers: (server: string) => Promise<void>): RefreshPorts["list"] {
    return async (name, target): Promise<ListedServer> => {
      const server = target === "candidate" ? `${name}:candidate` : name;
      this.listed.push(server);
      this.atOnce.now += 1;
      this.atOnce.most = Math.max(this.atOnce.most, this.atOnce.now);
      await answers(server);
      this.atOnce.now -= 1;
      const listing = listings[server] ?? [];
      if (typeof listing === "string") {
        const failed = entriesOf(listing);
        return { tools: failed, resources: failed, templates: failed, prompts: failed };
      }
      if (isEntries(listing)) return { tools: entriesOf(listing) };
      const { tools = [], resources, templates, prompts } = listing;
      return {
        tools: entriesOf(tools),
        resources: resources === undefined ? resources : entriesOf(resources),
        templates: templates === undefined ? templates : entriesOf(templates),
        prompts: prompts === undefined ? prompts : entriesOf(prompts),
      };
    };
  }

  ports(list: RefreshPorts["list"]): RefreshPorts {
    return {
      store: this.store,
      kv: new SnapshotStore(this.kv),
      list,
      loadCounter: async () => {
        if (this.counterFault !== undefined) return fail(this.counterFault);
        const counter = roughCounter();
        this.usages.push(counter.usage);
        return ok(counter);
      },
      lint: (...parameters) => {
        this.lints += 1;
        return lintSchema(...parameters);
      },
      neighbours: this.neighbours,
      pause: async () => {
        this.pauses += 1;
      },
      nowMs: () => this.clock.nowMs,
      log: (text) => {
        this.logs.push(text);
      },
    };
  }
}
