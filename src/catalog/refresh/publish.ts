import { CATALOG_DELETES_PER_RUN_COUNT, CATALOG_ROWS_PER_RUN_COUNT } from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import type { Pointer } from "../snapshot/pointer.ts";
import { contentHash, generationKey } from "../snapshot/snapshot-store.ts";
import { SNAPSHOT_FORMAT } from "../snapshot/snapshot.ts";
import type { ComposedTool } from "./compose.ts";
import { identityText, readIdentity } from "./publication-identity.ts";
import type { Published, RefreshPorts } from "./refresh-ports.ts";
import { writeCatalog } from "./write-catalog.ts";

export interface Publication {
  readonly pointer: Pointer;
  /** There is a new generation. */
  readonly changed: boolean;
  readonly unfinished: boolean;
}

const encoder = new TextEncoder();

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

/** What a publication goes by. */
interface Basis {
  readonly before: Published | undefined;
  /** Hash of what the tools are. */
  readonly tools: string;
  /** The neighbour table's version now; undefined if it cannot be told. */
  readonly version: string | undefined;
  readonly stale: readonly string[];
}

/** Other tools, or another neighbour table: new content under a new generation, if the content is indeed another. */
async function publishNext(
  config: string,
  tools: readonly ComposedTool[],
  basis: Basis,
  ports: RefreshPorts,
): Promise<Result<Published, string>> {
  const { store } = ports;
  const { before, stale } = basis;
  await seedCounters(config, ports);
  const written = await writeCatalog(tools, basis, ports);
  if (!written.ok) return written;
  const { hash, contents, neighbours } = written.value;
  const identity = identityText({ tools: basis.tools, neighbours });
  if (before?.pointer.hash === hash) {
    const same = { ...before, identity };
    store.publish(config, same, ports.nowMs());
    return ok(same);
  }
  const pointer = { generation: store.nextGeneration(), revision: store.nextRevision(), hash, stale };
  const key = generationKey(config, pointer.generation);
  store.beginWrite(key);
  await ports.kv.writeGeneration(config, pointer);
  store.markWritten(key);
  const next = { pointer, identity, contents: [...contents, key], pointerWritten: false };
  store.publish(config, next, ports.nowMs());
  return ok(next);
}

/** The same content: the pointer says which servers are stale now. */
function movePointer(
  config: string,
  before: Published,
  stale: readonly string[],
  { store, nowMs }: RefreshPorts,
): Published {
  if (sameNames(before.pointer.stale, stale)) return before;
  const pointer = { ...before.pointer, revision: store.nextRevision(), stale };
  const next = { ...before, pointer, pointerWritten: false };
  store.publish(config, next, nowMs());
  return next;
}

/** What somebody missed in KV is written again. */
async function writeMissing(
  tools: readonly ComposedTool[],
  before: Published,
  basis: Basis,
  ports: RefreshPorts,
): Promise<Result<Published, string>> {
  if (before.contents.every((key) => ports.store.hasWritten(key))) return ok(before);
  const written = await writeCatalog(tools, basis, ports);
  return written.ok ? ok(before) : written;
}

/** Whether the content is that of these tools, and of the neighbour table that there is now as far as one knows. */
function isCurrent(published: Published | undefined, { tools, version }: Basis): published is Published {
  if (published === undefined) return false;
  const kept = readIdentity(published.identity);
  return kept.tools === tools && (version === undefined || kept.neighbours === version);
}

/**
 * Publishes the tools, sorted by id, as the configuration's catalog: shards, snapshot, the generation's key, then the
 * pointer, so that a reader sees the old catalog whole until the last write. Equal content makes no new generation; a
 * server gone stale, or fresh again, moves the pointer only. A table of neighbours that could not be read when there was
 * one is tried again by the next run. Throws where KV refuses a write before the object's own commit.
 */
export async function publishCatalog(
  config: string,
  tools: readonly ComposedTool[],
  stale: readonly string[],
  ports: RefreshPorts,
): Promise<Result<Publication, string>> {
  const text = JSON.stringify([SNAPSHOT_FORMAT, tools.map(({ server, key }) => [server, key])]);
  const before = ports.store.published(config);
  const basis: Basis = {
    before,
    tools: await contentHash(encoder.encode(text)),
    version: await ports.neighbours.version(),
    stale,
  };
  const current = isCurrent(before, basis)
    ? await writeMissing(tools, before, basis, ports)
    : await publishNext(config, tools, basis, ports);
  if (!current.ok) return current;
  const published = movePointer(config, current.value, stale, ports);
  const { pointer, pointerWritten } = published;
  const isWritten = pointerWritten || (await writePointer(config, published, ports));
  await collectGarbage(ports);
  return ok({ pointer, changed: pointer.generation !== before?.pointer.generation, unfinished: !isWritten });
}
