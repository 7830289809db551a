import { listedName } from "../../identity/listed-name.ts";
import { isRecord } from "../../json.ts";
import type { AnalysedDocument } from "../../routing/analyse-document.ts";
import { assembleIndex, type RoutingIndex } from "../../routing/index-build.ts";
import type { Card } from "../cards/card.ts";
import type { ComposedTool } from "../refresh/compose.ts";
import { buildTree, type Tree } from "../tree/tree.ts";

/** Raise it with any change to the form or meaning of a snapshot: two formats never share a pointer. */
export const SNAPSHOT_FORMAT = 1;

/** A tool in a snapshot. */
export interface SnapshotTool {
  readonly id: string;
  readonly server: string;
  readonly upstreamName: string;
  readonly listedName: string;
  readonly card: Card;
  readonly line: string;
  readonly tokens: number;
  readonly definitionHash: string;
  /** The place of its shard in `shards`. */
  readonly shard: number;
}

/** One content of the catalog, immutable. What changes without a change of content (staleness) is in the pointer. */
export interface Snapshot {
  readonly format: typeof SNAPSHOT_FORMAT;
  /** Sorted by code point. */
  readonly namespaces: readonly { readonly namespace: string; readonly tools: number }[];
  /** Content hashes, in the order of the tools that they hold. */
  readonly shards: readonly string[];
  /** By id in code point order. */
  readonly tools: readonly SnapshotTool[];
  readonly tree: Tree;
  readonly index: RoutingIndex;
}

/** A tool with the shard that it is in. */
export type PlacedTool = ComposedTool & { readonly shard: number };

/**
 * The text of a snapshot: the same bytes for the same tools, since tools, tree, index and shards are sorted and every
 * object is built here, key by key. `analysedOf` gives a tool's index entry; undefined if one is missing.
 */
export function snapshotText(
  placed: readonly PlacedTool[],
  shards: readonly string[],
  analysedOf: (key: string) => AnalysedDocument | undefined,
): string | undefined {
  const documents: AnalysedDocument[] = [];
  for (const { key } of placed) {
    const analysed = analysedOf(key);
    if (analysed === undefined) return undefined;
    documents.push(analysed);
  }
  const index = assembleIndex(documents);
  if (!index.ok) return undefined;
  const tree = buildTree(placed.map(({ tool: { id, namespace, name } }) => ({ id, namespace, name })));
  const snapshot: Snapshot = {
    format: SNAPSHOT_FORMAT,
    namespaces: tree.namespaces.map(({ segment, count }) => ({ namespace: segment, tools: count })),
    shards,
    tools: placed.map(({ server, shard, tool }) => ({
      id: tool.id,
      server,
      upstreamName: tool.upstreamName,
      listedName: listedName(tool.id),
      card: tool.card,
      line: tool.line,
      tokens: tool.tokens,
      definitionHash: tool.definitionHash,
      shard,
    })),
    tree,
    index: index.value,
  };
  return JSON.stringify(snapshot);
}

/** The inside is trusted: a snapshot is only read after its content hash has held. */
function isSnapshot(value: unknown): value is Snapshot {
  return isRecord(value) && value["format"] === SNAPSHOT_FORMAT && Array.isArray(value["tools"]);
}

/** Reads a snapshot whose hash has held; undefined for another format. */
export function parseSnapshot(text: string): Snapshot | undefined {
  const json: unknown = JSON.parse(text);
  return isSnapshot(json) ? json : undefined;
}
