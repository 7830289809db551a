import { sha256Hex } from "../../identity/digest.ts";
import {
  CATALOG_DELETES_PER_RUN_COUNT,
  CATALOG_ROWS_PER_RUN_COUNT,
  CATALOG_VALUE_MAX_BYTES,
} from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { ComposedTool } from "./compose.ts";
import type { Pointer } from "../snapshot/pointer.ts";
import type { Published, RefreshPorts } from "./refresh-ports.ts";
import { planShards, shardPlanHash, shardText } from "../snapshot/shards.ts";
import { contentHash, contentKey, type ContentKind, generationKey } from "../snapshot/snapshot-store.ts";
import { type PlacedTool, SNAPSHOT_FORMAT, snapshotText } from "../snapshot/snapshot.ts";

export interface Publication {
  readonly pointer: Pointer;
  /** There is a new generation. */
  readonly changed: boolean;
  readonly unfinished: boolean;
}

const encoder = new TextEncoder();
const TOO_LARGE = "the catalog is too large to be kept";
const INCOMPLETE = "a kept definition is missing";

/** Writes content under its hash, unless it is known to stand there. */
async function writeContent(
  kind: ContentKind,
  hash: string,
  bytes: Uint8Array,
  ports: RefreshPorts,
): Promise<void> {
  const key = contentKey(kind, hash);
  if (ports.store.hasWritten(key)) return;
  ports.store.beginWrite(key);
  await ports.kv.writeContent(kind, hash, bytes);
  ports.store.markWritten(key);
}

type Items = ReturnType<typeof itemsOf>;

function itemsOf(tools: readonly ComposedTool[]) {
  return tools.map(({ server, key, tool }) => ({ ...tool, server, key, tool }));
}

/** Writes one shard, unless an equal plan was written before; one shard at a time is in memory. */
async function writeShard(items: Items, ports: RefreshPorts): Promise<Result<string, string>> {
  const plan = shardPlanHash(items);
  const known = ports.store.shard(plan);
  if (known !== undefined && ports.store.hasWritten(contentKey("shard", known))) return ok(known);
  const text = shardText(items, (hash) => ports.store.definition(hash));
  if (text === undefined) return fail(INCOMPLETE);
  const bytes = encoder.encode(text);
  if (bytes.length > CATALOG_VALUE_MAX_BYTES) return fail(TOO_LARGE);
  const hash = await contentHash(bytes);
  ports.store.saveShard(plan, hash, items);
  await writeContent("shard", hash, bytes, ports);
  return ok(hash);
}

/** Writes all content of a catalog; gives the snapshot's hash and everything that it needs in KV. */
async function writeCatalog(
  tools: readonly ComposedTool[],
  ports: RefreshPorts,
): Promise<Result<{ readonly hash: string; readonly contents: readonly string[] }, string>> {
  const shards: string[] = [];
  const placed: PlacedTool[] = [];
  for (const items of planShards(itemsOf(tools))) {
    const shard = await writeShard([...items], ports);
    if (!shard.ok) return shard;
    for (const { server, key, tool } of items) placed.push({ server, key, tool, shard: shards.length });
    shards.push(shard.value);
  }
  const text = snapshotText(placed, shards, (key) => ports.store.analysed(key));
  if (text === undefined) return fail(INCOMPLETE);
  const bytes = encoder.encode(text);
  if (bytes.length > CATALOG_VALUE_MAX_BYTES) return fail(TOO_LARGE);
  const hash = await contentHash(bytes);
  ports.store.saveSnapshot(hash, bytes);
  await writeContent("snapshot", hash, bytes, ports);
  const contents = [contentKey("snapshot", hash), ...shards.map((shard) => contentKey("shard", shard))];
  return ok({ hash, contents });
}

/** Moves KV's pointer to what the object has published. A refusal (one write a second and key) is mended by the next run. */
async function writePointer(config: string, published: Published, ports: RefreshPorts): Promise<boolean> {
  try {
    await ports.kv.writePointer(config, published.pointer);
  } catch (error) {
    ports.log(`the pointer could not be moved: ${String(error)}`);
    return false;
  }
  ports.store.publish(config, { ...published, pointerWritten: true }, ports.nowMs());
  return true;
}

/** Deletes what nobody reads any more; a failure leaves it for the next run. */
async function collectGarbage(ports: RefreshPorts): Promise<void> {
  ports.store.sweepRows(ports.nowMs(), CATALOG_ROWS_PER_RUN_COUNT);
  try {
    for (const key of ports.store.garbage(ports.nowMs(), CATALOG_DELETES_PER_RUN_COUNT)) {
      await ports.kv.delete(key);
      ports.store.forget(key);
    }
  } catch (error) {
    ports.log(`an old value could not be deleted: ${String(error)}`);
  }
}

async function seedCounters(config: string, ports: RefreshPorts): Promise<void> {
  if (ports.store.isSeeded) return;
  const left = await ports.kv.pointer(config);
  if (left !== undefined) ports.store.seed(left);
}

function sameNames(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, at) => name === right[at]);
}

/** New content under a new generation. */
async function publishNext(
  config: string,
  tools: readonly ComposedTool[],
  { identity, stale }: { readonly identity: string; readonly stale: readonly string[] },
  ports: RefreshPorts,
): Promise<Result<Published, string>> {
  const { store } = ports;
  await seedCounters(config, ports);
  const written = await writeCatalog(tools, ports);
  if (!written.ok) return written;
  const { hash, contents } = written.value;
  const pointer = { generation: store.nextGeneration(), revision: store.nextRevision(), hash, stale };
  const key = generationKey(config, pointer.generation);
  store.beginWrite(key);
  await ports.kv.writeGeneration(config, pointer);
  store.markWritten(key);
  const next = { pointer, identity, contents: [...contents, key], pointerWritten: false };
  store.publish(config, next, ports.nowMs());
  return ok(next);
}

/** The same content: what somebody missed in KV is written again, and the pointer says which servers are stale. */
async function publishAgain(
  config: string,
  tools: readonly ComposedTool[],
  { before, stale }: { readonly before: Published; readonly stale: readonly string[] },
  ports: RefreshPorts,
): Promise<Result<Published, string>> {
  const { store } = ports;
  if (!before.contents.every((key) => store.hasWritten(key))) {
    const written = await writeCatalog(tools, ports);
    if (!written.ok) return written;
  }
  if (sameNames(before.pointer.stale, stale)) return ok(before);
  const pointer = { ...before.pointer, revision: store.nextRevision(), stale };
  const next = { ...before, pointer, pointerWritten: false };
  store.publish(config, next, ports.nowMs());
  return ok(next);
}

/**
 * Publishes the tools, sorted by id, as the configuration's catalog: shards, snapshot, the generation's key, then the
 * pointer, so that a reader sees the old catalog whole until the last write. Equal content makes no new generation; a
 * server gone stale, or fresh again, moves the pointer only. Throws where KV refuses a write before the object's own commit.
 */
export async function publishCatalog(
  config: string,
  tools: readonly ComposedTool[],
  stale: readonly string[],
  ports: RefreshPorts,
): Promise<Result<Publication, string>> {
  const identity = sha256Hex(
    JSON.stringify([SNAPSHOT_FORMAT, tools.map(({ server, key }) => [server, key])]),
  );
  const before = ports.store.published(config);
  const published =
    before?.identity === identity
      ? await publishAgain(config, tools, { before, stale }, ports)
      : await publishNext(config, tools, { identity, stale }, ports);
  if (!published.ok) return published;
  const { pointer, pointerWritten } = published.value;
  const isWritten = pointerWritten || (await writePointer(config, published.value, ports));
  await collectGarbage(ports);
  return ok({ pointer, changed: pointer.generation !== before?.pointer.generation, unfinished: !isWritten });
}
