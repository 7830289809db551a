import type { Result } from "../result.ts";
import type { Ranking } from "../routing/rank/rank.ts";
import type { TargetName } from "../server-target.ts";
import type { Generation } from "../spine/fault/generation.ts";
import type { Card } from "./cards/card.ts";
import type { Path } from "./tree/path.ts";
import type { Listing, PathNotFound } from "./tree/resolve.ts";

/** The kinds of MCP's primitives besides tools (seed 000 §9). Resource templates are resources. */
export type OtherKind = "resource" | "prompt";

/** What has a catalog of its own. */
export type CatalogKind = "tool" | OtherKind;

/**
 * A tool as a snapshot keeps it in memory: all that browsing needs, and where its definition is. A resource or a prompt is
 * one too, in a catalog of its kind; `card.kind` tells.
 */
export interface CatalogTool {
  readonly id: string;
  /** The configured server's name. */
  readonly server: string;
  /** The upstream's own name; of a resource its URI, of a template the template's text. */
  readonly upstreamName: string;
  readonly listedName: string;
  /** The description as a stripped entry of `/mcp/proxy`'s list shows it, cut so that the entry stays within its tokens. */
  readonly listedDescription: string;
  readonly card: Card;
  readonly line: string;
  /** cl100k tokens of the line. */
  readonly tokens: number;
  /** Hash of the whole definition as the upstream gave it, as canonical JSON. */
  readonly definitionHash: string;
  /** The server failed at the last refresh: this is its last good listing. */
  readonly stale: boolean;
  /** Where it was listed, and where its calls go for as long as this catalog answers. */
  readonly target: TargetName;
  /** Which of all targets that its server ever had; it grows with every move. */
  readonly targetGeneration: Generation;
}

/** What is read from a schema shard when a tool is used. */
export interface ToolDefinition {
  /** The definition as the upstream gave it, configured secrets taken out. Of a template: a member `uriTemplate`. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** The same with its numbers as they were written; absent where JavaScript writes all of them so. */
  readonly written?: Readonly<Record<string, unknown>>;
  /**
   * sha256 over the canonical JSON of the input schema; the key of compiled validators. A resource or a prompt has the
   * schema that `callSchema` makes of its definition.
   */
  readonly schemaHash: string;
  readonly schemaBytes: number;
}

/** Which tools exist for somebody. */
export interface Sees {
  (id: string): boolean;
  /** Equal keys see the same; `null` sees everything. Without a key nobody is known to see the same. */
  readonly key?: string | null;
}

/** One generation of the catalog, immutable. With `sees` it answers as a catalog of the tools alone that it lets through. */
export interface Catalog {
  /** For `admit`: the configuration's hash, and the generation. */
  readonly version: { readonly catalog: string; readonly generation: number };
  /** One object for all catalogs over the same content, to keep under it what was found out about that. */
  readonly content?: object;
  /** Sorted by code point. */
  namespaces(sees: Sees): readonly { readonly namespace: string; readonly tools: number }[];
  /** By canonical id or listed name. */
  find(idOrListedName: string): CatalogTool | undefined;
  search(query: string, topK: number, sees: Sees): Ranking;
  resolve(path: Path, sees: Sees): Result<Listing, PathNotFound>;
  /** Ids like this one among the visible, the likeliest first; for an unknown id. */
  similar(id: string, count: number, sees: Sees): readonly string[];
  /** Up to `count` tools in the order of their ids, from the first one after `after`, which need not be there any more. */
  page(
    after: string | undefined,
    count: number,
    sees: Sees,
  ): { readonly tools: readonly CatalogTool[]; readonly more: boolean };
  /** URIs and templates that a server's block left out of its list, where a template of it may give them; absent: none. */
  leftOut?(server: string): readonly string[];
  /** The catalog of another kind, of the same generation; `undefined` where no server has any of it. */
  of(kind: OtherKind): Catalog | undefined;
  /** Reads at most one shard; none when it is warm. */
  definition(tool: CatalogTool): Promise<Result<ToolDefinition, CatalogUnavailable>>;
}

/** Why there is no catalog to answer from. It may help to ask again. */
export interface CatalogUnavailable {
  readonly reason: "catalog_unavailable";
  /** For the operator's log. */
  readonly detail: string;
}

/** Where the rooms above get catalogs from. */
export interface CatalogPort {
  /** The catalog to answer from. Without IO when warm; the first use waits for a first refresh, bounded. */
  current(): Promise<Result<Catalog, CatalogUnavailable>>;
  /** This generation or a newer one: `admit` says that the caller has met it already. */
  atLeast(generation: number): Promise<Result<Catalog, CatalogUnavailable>>;
  /** The newest there is, by the object's own word: asked once after a miss, before it is told to the model. */
  newest(): Promise<Result<Catalog, CatalogUnavailable>>;
  /** What `current` would answer from without IO; `undefined` where it has nothing yet. */
  known(): Catalog["version"] | undefined;
  /**
   * Whether the catalog that is answered from now has other content than this earlier generation of it, in any kind, of
   * what somebody sees. Where that cannot be told, it has for who sees everything, and for nobody else: of what is hidden
   * from somebody not even a change is told.
   */
  changedSince(generation: number, sees: Sees): Promise<boolean>;
  /** Asks for a refresh in the background: an upstream did not know a tool that the catalog lists. */
  refreshSoon(reason: string): void;
}
