import { finiteJson } from "../../exact-json/finite.ts";
import { parseWritten } from "../../exact-json/parse.ts";
import { isRecord } from "../../json.ts";
import { SHARD_CUT_ONE_IN_COUNT, SHARD_MAX_BYTES, SHARD_MIN_BYTES } from "../../limits.ts";
import type { OtherKind, ToolDefinition } from "../catalog.ts";
import { contentHash } from "./snapshot-store.ts";

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
  // FNV-1a, then mixed, since its last characters move few bits. Whoever makes all ids cut, or none, gets shards at a bound.
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return ((hash ^ (hash >>> 16)) >>> 0) % SHARD_CUT_ONE_IN_COUNT === 0;
}

/**
 * Divides tools, sorted by id, into shards of bounded size. A changed tool changes its own shard; one more or less moves
 * the end of its shard and seldom of the next, so that the others need not be written again.
 */
export function planShards<Item extends { readonly id: string; readonly definitionBytes: number }>(
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

/** Equal for shards of equal content, without reading a definition; what a call's schema is made of hangs on the kind. */
export function shardPlanHash(
  items: readonly { readonly definitionHash: string }[],
  kind?: OtherKind,
): Promise<string> {
  const hashes = items.map(({ definitionHash }) => definitionHash);
  const plan = JSON.stringify([SHARD_FORMAT, hashes, ...(kind === undefined ? [] : [kind])]);
  return contentHash(new TextEncoder().encode(plan));
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
  const json = parseWritten(text);
  if (!isRecord(json) || json["format"] !== SHARD_FORMAT || !Array.isArray(json["definitions"]))
    return undefined;
  const definitions = new Map<string, ToolDefinition>();
  for (const entry of json["definitions"] as readonly unknown[]) {
    if (!Array.isArray(entry)) return undefined;
    const [hash, schemaHash, schemaBytes, definition] = entry as readonly unknown[];
    if (typeof hash !== "string" || typeof schemaHash !== "string" || typeof schemaBytes !== "number")
      return undefined;
    if (!isRecord(definition)) return undefined;
    const plain = finiteJson(definition);
    const written = plain === definition ? {} : { written: definition };
    definitions.set(hash, { definition: plain, ...written, schemaHash, schemaBytes });
  }
  return definitions;
}
