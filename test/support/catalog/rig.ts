import { type ListedEntry, listedEntry } from "../../../src/catalog/refresh/listed-entry.ts";
import type {
  ListFailure,
  NeighbourSource,
  RefreshPorts,
  RefreshStore,
} from "../../../src/catalog/refresh/refresh-ports.ts";
import { runRefresh, type RefreshOutcome } from "../../../src/catalog/refresh/refresh.ts";
import { type CatalogSettings, catalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { SnapshotStore } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { parseConfig } from "../../../src/config.ts";
import { fail, ok, type Result } from "../../../src/result.ts";
import { lintSchema } from "../../../src/schema/lint.ts";
import { createFault, type Fault } from "../../../src/spine/fault/fault.ts";
import { GENESIS } from "../../../src/spine/fault/generation.ts";
import { createTokenCounter, type TokenUsage } from "../../../src/tokens/token-counter.ts";
import { type FakeClock, FakeKv } from "./fake-kv.ts";
import { MemoryRefreshStore } from "./memory-store.ts";

/** What a server answers: tools, or why it fails. */
export type Listings = Record<string, readonly unknown[] | string>;

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

/** About a token for every four characters, for tests that are not about tokens: the real tables take half a second. */
export const roughCounter = () => createTokenCounter(() => (text) => Math.ceil(text.length / 4));

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
  usages: TokenUsage[] = [];
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
  ): Promise<RefreshOutcome> {
    this.clock.nowMs += 60_000;
    const list = async (server: string): Promise<Result<ListedEntry[], ListFailure>> => {
      this.listed.push(server);
      this.atOnce.now += 1;
      this.atOnce.most = Math.max(this.atOnce.most, this.atOnce.now);
      await answers(server);
      this.atOnce.now -= 1;
      const listing = listings[server] ?? [];
      return typeof listing === "string"
        ? fail({ message: listing, detail: "inner", fault: faultOf(listing) })
        : ok(listing.map(listedEntry));
    };
    return runRefresh(settings, this.ports(list));
  }

  ports(list: RefreshPorts["list"]): RefreshPorts {
    return {
      store: this.store,
      kv: new SnapshotStore(this.kv),
      list,
      createCounter: () => {
        const counter = roughCounter();
        this.usages.push(counter.usage);
        return counter;
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
