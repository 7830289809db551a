import { buildCard } from "../../src/catalog/cards/card.ts";
import { cardLine } from "../../src/catalog/cards/card-line.ts";
import type { Catalog, CatalogPort, CatalogTool, CatalogUnavailable } from "../../src/catalog/catalog.ts";
import { likelyIds } from "../../src/catalog/reader/similar.ts";
import { resolvePath } from "../../src/catalog/tree/resolve.ts";
import { buildTree } from "../../src/catalog/tree/tree.ts";
import { compareCodePoints } from "../../src/code-points.ts";
import { sha256Hex } from "../../src/identity/digest.ts";
import { listedName } from "../../src/identity/listed-name.ts";
import { formatToolId } from "../../src/identity/tool-id.ts";
import { fail, ok, type Result } from "../../src/result.ts";
import { buildIndex } from "../../src/routing/index/index-build.ts";
import { documentsWhere } from "./documents-where.ts";
import { rank } from "../../src/routing/rank/rank.ts";

/** A tool as a test writes it down. */
export interface FakeTool {
  readonly namespace: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
}

/** Near enough: no test of this kind counts lines' tokens. */
const counter = { count: (text: string) => Math.ceil(text.length / 4) };

export function fakeId({ namespace, name }: FakeTool): string {
  const id = formatToolId({ namespace, name, version: null, hash8: sha256Hex(name).slice(0, 8) });
  if (!id.ok) throw new Error(id.reason);
  return id.value;
}

function catalogTool(tool: FakeTool): CatalogTool {
  const id = fakeId(tool);
  const { namespace, name } = tool;
  const line = cardLine(buildCard({ ...tool, id, upstreamName: name }), counter);
  if (!line.ok) throw new Error(line.reason.reason);
  return {
    id,
    server: namespace,
    upstreamName: name,
    listedName: listedName(id),
    ...line.value,
    definitionHash: sha256Hex(JSON.stringify(tool)),
    stale: false,
    target: "configured",
    targetGeneration: 1,
  };
}

/** One generation of a catalog in memory, on the real tree and the real ranking. */
export function fakeCatalog(tools: readonly FakeTool[], generation = 1): Catalog {
  const entries = tools.map((tool) => ({ tool, listed: catalogTool(tool) }));
  const byId = new Map(entries.map((entry) => [entry.listed.id, entry]));
  const byListedName = new Map(entries.map((entry) => [entry.listed.listedName, entry]));
  const index = buildIndex(
    entries.map(({ tool, listed }) => ({
      id: listed.id,
      name: tool.name,
      description: tool.description ?? "",
      parameterNames: [],
      parameterDescriptions: [],
      server: tool.namespace,
    })),
  );
  if (!index.ok) throw new Error(index.reason.reason);
  const visible = (sees: (id: string) => boolean) => entries.filter(({ listed }) => sees(listed.id));
  return {
    version: { catalog: "fake", generation },
    namespaces: (sees) => {
      const counts = new Map<string, number>();
      for (const { tool } of visible(sees)) counts.set(tool.namespace, (counts.get(tool.namespace) ?? 0) + 1);
      return [...counts]
        .map(([namespace, count]) => ({ namespace, tools: count }))
        .sort((left, right) => compareCodePoints(left.namespace, right.namespace));
    },
    find: (id) => (byId.get(id) ?? byListedName.get(id))?.listed,
    search: (query, topK, sees) =>
      rank(index.value, query, { topK, allow: documentsWhere(index.value, sees) }),
    resolve: (path, sees) =>
      resolvePath(
        buildTree(
          visible(sees).map(({ tool, listed }) => ({
            id: listed.id,
            namespace: tool.namespace,
            name: tool.name,
          })),
        ),
        path,
      ),
    similar: (id, count, sees) =>
      likelyIds(
        id,
        visible(sees).map(({ listed }) => listed.id),
        count,
      ),
    definition: async ({ id }) => {
      const tool = byId.get(id)?.tool;
      if (tool === undefined) return fail({ reason: "catalog_unavailable", detail: "not of this catalog" });
      const text = JSON.stringify(tool.inputSchema) ?? "";
      return ok({ definition: { ...tool }, schemaHash: sha256Hex(text), schemaBytes: text.length });
    },
  };
}

type Loaded = Result<Catalog, CatalogUnavailable>;

export interface FakeCatalogs extends CatalogPort {
  /** What was asked of it, in order: `current`, `atLeast 2`, `newest`, `refreshSoon …`. */
  readonly asked: string[];
}

export const UNAVAILABLE: Loaded = fail({
  reason: "catalog_unavailable",
  detail: "kv said secret-detail-of-ours",
});

/** A port over the catalog that this isolate holds and the newest one; without a second they are the same. */
export function fakeCatalogs(current: Loaded, newest: Loaded = current): FakeCatalogs {
  const asked: string[] = [];
  const answer = (question: string, loaded: Loaded) => {
    asked.push(question);
    return Promise.resolve(loaded);
  };
  return {
    asked,
    current: () => answer("current", current),
    atLeast: (generation) => answer(`atLeast ${generation}`, newest),
    newest: () => answer("newest", newest),
    refreshSoon: (reason) => {
      asked.push(`refreshSoon ${reason}`);
    },
  };
}
