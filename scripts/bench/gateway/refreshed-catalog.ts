import type { OtherKind } from "../../../src/catalog/catalog.ts";
import { type ListedEntry, listedEntry } from "../../../src/catalog/refresh/listed-entry.ts";
import type { Pointer } from "../../../src/catalog/snapshot/pointer.ts";
import type { NeighbourSource } from "../../../src/catalog/refresh/refresh-ports.ts";
import { runRefresh } from "../../../src/catalog/refresh/refresh.ts";
import { type CatalogSettings, catalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { SnapshotStore } from "../../../src/catalog/snapshot/snapshot-store.ts";
import { formatProblems, parseConfig } from "../../../src/config.ts";
import { memberOf } from "../../../src/json.ts";
import { ok } from "../../../src/result.ts";
import type { RoutingDocument } from "../../../src/routing/document/analyse-document.ts";
import { extractParameters } from "../../../src/routing/document/extract-parameters.ts";
import { lintSchema } from "../../../src/schema/lint.ts";
import { committedCounter } from "../../committed-ranks.ts";
import { committedNeighbours } from "../../committed-neighbours.ts";
import { Told } from "../../command-line.ts";
import { type BenchTool, byServer } from "../tools/bench-tool.ts";
import { MemoryKv } from "./memory-kv.ts";
import { MemoryStore } from "./memory-store.ts";
import { configuredNames } from "./server-names.ts";

/** Read at each use, as the Worker reads its asset. */
const NEIGHBOURS: NeighbourSource = {
  version: async () => "committed",
  load: async () => committedNeighbours(),
};

type OtherEntries = Readonly<Partial<Record<OtherKind, readonly BenchTool[]>>>;

/** A catalog refreshed by the Worker's own code, over a store and a KV in memory and servers that answer at once. */
export class RefreshedCatalog {
  readonly kv = new MemoryKv();
  readonly store = new MemoryStore();
  readonly configText: string;
  readonly settings: CatalogSettings;
  readonly #names: ReadonlyMap<string, string>;

  constructor(servers: Iterable<string>) {
    this.#names = configuredNames(servers);
    const mcpServers: Record<string, object> = {};
    for (const name of this.#names.values()) mcpServers[name] = { url: `https://${name}.example.com/mcp` };
    this.configText = JSON.stringify({ mcpServers });
    const config = parseConfig(this.configText);
    const settings = config.ok ? catalogSettings(config.value) : config;
    if (!settings.ok) throw new Error(formatProblems(settings.reason));
    this.settings = settings.value;
  }

  /**
   * Lists, judges and publishes the tools, and what else servers have (entries in the shape of a tool, with the definitions
   * that MCP's own lists give); what was judged before is known.
   */
  async refresh(tools: readonly BenchTool[], others: OtherEntries = {}): Promise<Pointer> {
    const { resource = [], prompt = [] } = others;
    const isTemplate = ({ definition }: BenchTool): boolean => "uriTemplate" in definition;
    const listings = {
      tools: this.#listed(tools),
      resources: this.#listed(resource.filter((entry) => !isTemplate(entry))),
      templates: this.#listed(resource.filter(isTemplate)),
      prompts: this.#listed(prompt),
    };
    const problems: string[] = [];
    const { pointer, failure } = await runRefresh(this.settings, {
      store: this.store,
      kv: new SnapshotStore(this.kv),
      list: async (server) => ({
        tools: ok(listings.tools.get(server) ?? []),
        ...(resource.length === 0
          ? {}
          : {
              resources: ok(listings.resources.get(server) ?? []),
              templates: ok(listings.templates.get(server) ?? []),
            }),
        ...(prompt.length === 0 ? {} : { prompts: ok(listings.prompts.get(server) ?? []) }),
      }),
      // Read at each use, as the Worker reads its asset.
      loadCounter: async () => ok(committedCounter()),
      lint: lintSchema,
      neighbours: NEIGHBOURS,
      pause: () => Promise.resolve(),
      nowMs: () => Date.now(),
      log: (text) => problems.push(text),
    });
    if (pointer === null || failure !== undefined || problems.length > 0) {
      throw new Told(`the catalog could not be made: ${[failure, ...problems].join("; ")}`);
    }
    return pointer;
  }

  /** By the configured servers' names. */
  #listed(entries: readonly BenchTool[]): ReadonlyMap<string, ListedEntry[]> {
    return new Map(
      [...byServer(entries)].map(([server, own]) => [
        this.#names.get(server) ?? server,
        own.map(({ definition }) => listedEntry(definition)),
      ]),
    );
  }

  /** The tools that were accepted, as the index sees them. */
  documents(): RoutingDocument[] {
    return this.settings.servers.flatMap(({ name: server, configured }) =>
      (this.store.listing(configured.source)?.tools ?? []).map(({ id, upstreamName: name, definitionHash }) =>
        documentOf({ id, name, server }, JSON.parse(this.store.definition(definitionHash) ?? "{}")),
      ),
    );
  }
}

function documentOf(
  tool: Pick<RoutingDocument, "id" | "name" | "server">,
  definition: unknown,
): RoutingDocument {
  const [title, description] = [memberOf(definition, "title"), memberOf(definition, "description")];
  return {
    ...tool,
    ...(typeof title === "string" ? { title } : {}),
    description: typeof description === "string" ? description : "",
    ...extractParameters(memberOf(definition, "inputSchema")),
  };
}
