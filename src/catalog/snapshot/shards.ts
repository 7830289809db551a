import { sha256Hex } from "../../identity/digest.ts";
import { isRecord } from "../../json.ts";
import { SHARD_CUT_ONE_IN_COUNT, SHARD_MAX_BYTES, SHARD_MIN_BYTES } from "../../limits.ts";
import type { ToolDefinition } from "../catalog.ts";

/** What a shard keeps of one tool. */
export interface ShardItem {
  readonly definitionHash: string;
  readonly definitionBytes: number;
  readonly schemaHash: string;
  readonly schemaBytes: number;
}

/** Raise it with the form of a shard. */
const SHARD_FORMAT = 1;

/** Whether an id ends a shard that is large enough. Hangs on the id alone, so ends stay where they are as tools come and go. */
function isCut(id: string): boolean {
  return Number.parseInt(sha256Hex(id).slice(0, 8), 16) % SHARD_CUT_ONE_IN_COUNT === 0;
}

/**
 * Divides tools, sorted by id, into shards of bounded size. A changed tool changes its own shard; one more or less moves
 * the end of its shard and seldom of the next, so that the others need not be written again.
 */
export function planShards<Item extends ShardItem & { readonly id: string }>(
  sorted: readonly Item[],
): (readonly Item[])[] {
  const shards: Item[][] = [];
  let open: Item[] = [];
  let bytes = 0;
  const close = (): void => {
    if (open.length > 0) shards.push(open);
    open = [];
    bytes = 0;
  };
  for (const item of sorted) {
    if (bytes + item.definitionBytes > SHARD_MAX_BYTES) close();
    open.push(item);
    bytes += item.definitionBytes;
    if (bytes >= SHARD_MIN_BYTES && isCut(item.id)) close();
  }
  close();
  return shards;
}

/** Equal for shards of equal content, without reading a definition. */
export function shardPlanHash(items: readonly ShardItem[]): string {
  return sha256Hex(JSON.stringify([SHARD_FORMAT, items.map(({ definitionHash }) => definitionHash)]));
}

/** A shard's text. `definitionOf` gives the definition's JSON as it was kept; undefined if one is missing. */
export function shardText(
  items: readonly ShardItem[],
  definitionOf: (hash: string) => string | undefined,
): string | undefined {
  const entries: string[] = [];
  for (const { definitionHash, schemaHash, schemaBytes } of items) {
    const definition = definitionOf(definitionHash);
    if (definition === undefined) return undefined;
    entries.push(`["${definitionHash}","${schemaHash}",${schemaBytes},${definition}]`);
  }
  return `{"format":${SHARD_FORMAT},"definitions":[${entries.join(",")}]}`;
}

/** The definitions of a shard, by their hash; undefined for what is no shard of this format. */
export function parseShard(text: string): ReadonlyMap<string, ToolDefinition> | undefined {
  const json: unknown = JSON.parse(text);
  if (!isRecord(json) || json["format"] !== SHARD_FORMAT || !Array.isArray(json["definitions"]))
    return undefined;
  const definitions = new Map<string, ToolDefinition>();
  for (const entry of json["definitions"] as readonly unknown[]) {
    if (!Array.isArray(entry)) return undefined;
    const [hash, schemaHash, schemaBytes, definition] = entry as readonly unknown[];
    if (typeof hash !== "string" || typeof schemaHash !== "string" || typeof schemaBytes !== "number")
      return undefined;
    if (!isRecord(definition)) return undefined;
    definitions.set(hash, { definition, schemaHash, schemaBytes });
  }
  return definitions;
}
