import { cardLine } from "../../src/catalog/cards/card-line.ts";
import { buildCard, type Card } from "../../src/catalog/cards/card.ts";
import type {
  Catalog,
  CatalogPort,
  CatalogTool,
  CatalogUnavailable,
  OtherKind,
  Sees,
} from "../../src/catalog/catalog.ts";
import { callSchema, promptArguments } from "../../src/catalog/primitives/call-schema.ts";
import { argumentLabels, primitiveCard } from "../../src/catalog/primitives/primitive-card.ts";
import { likelyIds } from "../../src/catalog/reader/similar.ts";
import { canonicalJson } from "../../src/catalog/snapshot/canonical-json.ts";
import { resolvePath } from "../../src/catalog/tree/resolve.ts";
import { buildTree } from "../../src/catalog/tree/tree.ts";
import { compareCodePoints } from "../../src/code-points.ts";
import { resolveCollisions } from "../../src/identity/collisions.ts";
import { sha256Hex } from "../../src/identity/digest.ts";
import { listedName } from "../../src/identity/listed-name.ts";
import { identifyPrompt, identifyResource } from "../../src/identity/primitive-identity.ts";
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

/** A resource as its server lists it, and whose it is; with `uriTemplate` in the place of `uri` a template. */
export interface FakeResource {
  readonly namespace: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly name?: string;
  readonly [member: string]: unknown;
}

/** A prompt as its server lists it, and whose it is. */
export interface FakePrompt {
  readonly namespace: string;
  readonly name: string;
  readonly [member: string]: unknown;
}

/** What a fake catalog holds. Kinds without an entry are not there. */
export interface FakeParts {
  readonly tools?: readonly FakeTool[];
  readonly resources?: readonly FakeResource[];
  readonly templates?: readonly FakeResource[];
  readonly prompts?: readonly FakePrompt[];
}

/** Near enough: no test of this kind counts lines' tokens. */
const counter = { count: (text: string) => Math.ceil(text.length / 4) };

/** An item of any kind, ready to be put into a catalog. */
interface Entry {
  readonly listed: CatalogTool;
  readonly namespace: string;
  /** The name in the id. */
  readonly name: string;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly schema: unknown;
}

export function fakeId({ namespace, name }: FakeTool): string {
  const id = formatToolId({ namespace, name, version: null, hash8: sha256Hex(name).slice(0, 8) });
  if (!id.ok) throw new Error(id.reason);
  return id.value;
}

function identityOf(kind: OtherKind, { namespace, ...definition }: FakeResource | FakePrompt) {
  const mode = { source: "server", server: namespace, namespace } as const;
  const uri = uriOf(definition);
  const identity =
    kind === "prompt"
      ? identifyPrompt(mode, { name: String(definition["name"]), arguments: definition["arguments"] })
      : identifyResource(mode, { uri, name: definition["name"] });
  if (!identity.ok) throw new Error(identity.reason);
  return identity.value;
}

function uriOf(definition: Readonly<Record<string, unknown>>): string {
  return String(definition["uriTemplate"] ?? definition["uri"]);
}

/** The id that a fake catalog gives a resource or a template, where no other one has it. */
export function fakeResourceId(resource: FakeResource): string {
  return identityOf("resource", resource).id;
}

export function fakePromptId(prompt: FakePrompt): string {
  return identityOf("prompt", prompt).id;
}

function listedAs(
  id: string,
  server: string,
  upstreamName: string,
  card: Card,
  definition: unknown,
  labels: readonly string[] = [],
): CatalogTool {
  const line = cardLine(card, counter, labels);
  if (!line.ok) throw new Error(line.reason.reason);
  return {
    id,
    server,
    upstreamName,
    listedName: listedName(id),
    listedDescription: line.value.card.description,
    ...line.value,
    definitionHash: sha256Hex(JSON.stringify(definition)),
    stale: false,
    target: "configured",
    targetGeneration: 1,
  };
}

function toolEntry(tool: FakeTool): Entry {
  const id = fakeId(tool);
  const { namespace, name } = tool;
  const card = buildCard({ ...tool, id, upstreamName: name });
  return {
    listed: listedAs(id, namespace, name, card, tool),
    namespace,
    name,
    definition: { ...tool },
    schema: tool.inputSchema,
  };
}

function otherEntries(kind: OtherKind, items: readonly (FakeResource | FakePrompt)[]): readonly Entry[] {
  const ids = resolveCollisions(items.map((item) => identityOf(kind, item).id));
  return items.map((item, at) => {
    const id = ids[at] ?? "";
    const { namespace, ...definition } = item;
    const { name } = identityOf(kind, item);
    const schema = callSchema(kind, definition);
    const upstreamName = kind === "prompt" ? String(definition["name"]) : uriOf(definition);
    const card = primitiveCard({ kind, id, namespace, upstreamName, definition, schema });
    return {
      listed: listedAs(id, namespace, upstreamName, card, definition, argumentLabels(schema)),
      namespace,
      name,
      definition,
      schema,
    };
  });
}

function catalogOf(
  entries: readonly Entry[],
  generation: number,
  others: Partial<Record<OtherKind, Catalog>>,
): Catalog {
  const byId = new Map(entries.map((entry) => [entry.listed.id, entry]));
  const byListedName = new Map(entries.map((entry) => [entry.listed.listedName, entry]));
  const index = buildIndex(
    entries.map(({ definition, listed, namespace }) => ({
      id: listed.id,
      name: typeof definition["name"] === "string" ? definition["name"] : listed.upstreamName,
      description: typeof definition["description"] === "string" ? definition["description"] : "",
      parameterNames: promptArguments(definition).map((argument) => argument.name),
      parameterDescriptions: promptArguments(definition).map(({ description }) => description),
      server: namespace,
    })),
  );
  if (!index.ok) throw new Error(index.reason.reason);
  const visible = (sees: Sees) => entries.filter(({ listed }) => sees(listed.id));
  return {
    version: { catalog: "fake", generation },
    namespaces: (sees) => {
      const counts = new Map<string, number>();
      for (const { namespace } of visible(sees)) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
      return [...counts]
        .map(([namespace, count]) => ({ namespace, tools: count }))
        .sort((left, right) => compareCodePoints(left.namespace, right.namespace));
    },
    find: (id) => (byId.get(id) ?? byListedName.get(id))?.listed,
    search: (query, topK, sees) =>
      rank(index.value, query, { topK, allow: documentsWhere(index.value, sees) }),
    resolve: (path, sees) =>
      resolvePath(
        buildTree(visible(sees).map(({ listed, namespace, name }) => ({ id: listed.id, namespace, name }))),
        path,
      ),
    similar: (id, count, sees) =>
      likelyIds(
        id,
        visible(sees).map(({ listed }) => listed.id),
        count,
      ),
    page: (after, count, sees) => {
      const behind = visible(sees)
        .map(({ listed }) => listed)
        .filter(({ id }) => after === undefined || compareCodePoints(id, after) > 0)
        .sort((left, right) => compareCodePoints(left.id, right.id));
      return { tools: behind.slice(0, count), more: behind.length > count };
    },
    of: (kind) => others[kind],
    definition: async ({ id }) => {
      const entry = byId.get(id);
      if (entry === undefined) return fail({ reason: "catalog_unavailable", detail: "not of this catalog" });
      const text = entry.schema === undefined ? "" : canonicalJson(entry.schema);
      return ok({ definition: entry.definition, schemaHash: sha256Hex(text), schemaBytes: text.length });
    },
  };
}

/**
 * One generation of a catalog in memory, on the real cards, trees and ranking: of tools alone, or of all kinds. Resources stand
 * before templates, in the order given, where two would share an id.
 */
export function fakeCatalog(parts: readonly FakeTool[] | FakeParts, generation = 1): Catalog {
  const {
    tools = [],
    resources = [],
    templates = [],
    prompts = [],
  }: FakeParts = isTools(parts) ? { tools: parts } : parts;
  const others: Partial<Record<OtherKind, Catalog>> = {};
  const items = { resource: [...resources, ...templates], prompt: prompts } as const;
  for (const kind of ["resource", "prompt"] as const) {
    if (items[kind].length === 0) continue;
    others[kind] = catalogOf(otherEntries(kind, items[kind]), generation, {});
  }
  return catalogOf(tools.map(toolEntry), generation, others);
}

function isTools(parts: readonly FakeTool[] | FakeParts): parts is readonly FakeTool[] {
  return Array.isArray(parts);
}

type Loaded = Result<Catalog, CatalogUnavailable>;

export interface FakeCatalogs extends CatalogPort {
  /** What was asked of it, in order: `current`, `atLeast 2`, `newest`, `changedSince 1`, `refreshSoon …`. */
  readonly asked: string[];
}

export const UNAVAILABLE: Loaded = fail({
  reason: "catalog_unavailable",
  detail: "kv said secret-detail-of-ours",
});

/**
 * A port over the catalog that this isolate holds and the newest one; without a second they are the same. `changed`: what it
 * says of any earlier generation.
 */
export function fakeCatalogs(current: Loaded, newest: Loaded = current, changed = true): FakeCatalogs {
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
    known: () => (current.ok ? current.value.version : undefined),
    changedSince: (generation) => {
      asked.push(`changedSince ${generation}`);
      return Promise.resolve(changed);
    },
    refreshSoon: (reason) => {
      asked.push(`refreshSoon ${reason}`);
    },
  };
}
