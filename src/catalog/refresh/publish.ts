import {
  CATALOG_DELETES_PER_RUN_COUNT,
  CATALOG_ROWS_PER_RUN_COUNT,
  RECORD_IDS_MAX_COUNT,
} from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import { boundDiff, type CatalogDiff } from "../drift/diff.ts";
import { sameTargets } from "../rollout/targets.ts";
import type { PointerTarget } from "../snapshot/pointer.ts";
import { contentHash, generationKey } from "../snapshot/snapshot-store.ts";
import { SNAPSHOT_FORMAT } from "../snapshot/snapshot.ts";
import type { ComposedTool } from "./compose.ts";
import { inventoryOf } from "./publication-facts.ts";
import { identityText, readIdentity } from "./publication-identity.ts";
import type { Published, PublishedFacts, RefreshPorts } from "./refresh-ports.ts";
import { writeCatalog, type WrittenCatalog } from "./write-catalog.ts";

interface Publication {
  /** The pointer has not moved yet. */
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

/** What is known of the tools beside themselves. */
interface Findings {
  /** See `fingerprintOf`. */
  readonly fingerprint: string;
  /** How they differ from what is published, if that can be told. */
  readonly diff: CatalogDiff | undefined;
  readonly stale: readonly string[];
  /** Where calls go, as the pointer is to name it. */
  readonly targets: readonly PointerTarget[];
  /** Writes what is decided with the publication, in its commit; nothing may be decided without it. */
  readonly decided?: () => void;
}

/** What a publication goes by. */
interface Basis extends Findings {
  readonly before: Published | undefined;
  /** Hash of what the tools are. */
  readonly tools: string;
  /** The neighbour table's version now; undefined if it cannot be told. */
  readonly version: string | undefined;
}

/** What is told of the publication; with the same tools, what changed last is what it was. */
function factsOf(
  { before, fingerprint, diff }: Basis,
  generation: number,
  tools: readonly ComposedTool[],
): PublishedFacts {
  const drift =
    before?.facts?.fingerprint === fingerprint
      ? before.facts.drift
      : diff && { generation, diff: boundDiff(diff, RECORD_IDS_MAX_COUNT) };
  return { fingerprint, tools: tools.length, ...(drift === undefined ? {} : { drift }) };
}

/** Commits a publication together with what the next one is compared with, and with what was decided for it. */
function commit(
  config: string,
  published: Published,
  tools: readonly ComposedTool[],
  basis: Basis,
  { store, nowMs }: RefreshPorts,
): Published {
  const facts = factsOf(basis, published.pointer.generation, tools);
  const next = { ...published, facts };
  store.atomically(() => {
    store.publish(config, next, nowMs());
    if (basis.before?.facts?.fingerprint !== facts.fingerprint)
      store.saveInventory(config, facts.fingerprint, inventoryOf(tools));
    basis.decided?.();
  });
  return next;
}

/** The content of these tools: what is published already where it is that and stands whole in KV. */
async function contentOf(
  config: string,
  tools: readonly ComposedTool[],
  basis: Basis,
  ports: RefreshPorts,
): Promise<Result<WrittenCatalog, string>> {
  const { before } = basis;
  if (!isCurrent(before, basis) || !before.contents.every((key) => ports.store.hasWritten(key)))
    return writeCatalog(tools, basis, ports);
  const { hash, generation } = before.pointer;
  const contents = before.contents.filter((key) => key !== generationKey(config, generation));
  return ok({ hash, contents, neighbours: readIdentity(before.identity).neighbours });
}

/**
 * Other tools, or another neighbour table, or calls that go somewhere else: a new generation, unless the content is the same
 * after all and is called where it was. With other targets it is always a new one, so that all who met the old one are led on.
 */
async function publishNext(
  config: string,
  tools: readonly ComposedTool[],
  basis: Basis,
  ports: RefreshPorts,
): Promise<Result<Published, string>> {
  const { store } = ports;
  const { before, stale, targets } = basis;
  await seedCounters(config, ports);
  const written = await contentOf(config, tools, basis, ports);
  if (!written.ok) return written;
  const { hash, contents, neighbours } = written.value;
  const identity = identityText({ tools: basis.tools, neighbours });
  if (before?.pointer.hash === hash && sameTargets(before.pointer, targets)) {
    return ok(commit(config, { ...before, identity }, tools, basis, ports));
  }
  const numbers = { generation: store.nextGeneration(), revision: store.nextRevision() };
  const pointer = { ...numbers, hash, stale, ...(targets.length === 0 ? {} : { targets }) };
  const key = generationKey(config, pointer.generation);
  store.beginWrite(key);
  await ports.kv.writeGeneration(config, pointer);
  store.markWritten(key);
  const next = { pointer, identity, contents: [...contents, key], pointerWritten: false };
  return ok(commit(config, next, tools, basis, ports));
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

/** What somebody missed in KV is written again, and what an older version did not keep is kept. */
async function complete(
  config: string,
  tools: readonly ComposedTool[],
  before: Published,
  basis: Basis,
  ports: RefreshPorts,
): Promise<Result<Published, string>> {
  if (!before.contents.every((key) => ports.store.hasWritten(key))) {
    const written = await writeCatalog(tools, basis, ports);
    if (!written.ok) return written;
  }
  return ok(before.facts === undefined ? commit(config, before, tools, basis, ports) : before);
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
  findings: Findings,
  ports: RefreshPorts,
): Promise<Result<Publication, string>> {
  const text = JSON.stringify([SNAPSHOT_FORMAT, tools.map(({ server, key }) => [server, key])]);
  const before = ports.store.published(config);
  const basis: Basis = {
    ...findings,
    before,
    tools: await contentHash(encoder.encode(text)),
    version: await ports.neighbours.version(),
  };
  const current =
    isCurrent(before, basis) && sameTargets(before.pointer, basis.targets)
      ? await complete(config, tools, before, basis, ports)
      : await publishNext(config, tools, basis, ports);
  if (!current.ok) return current;
  const published = movePointer(config, current.value, findings.stale, ports);
  return ok({ unfinished: await keepCatalog(config, published, ports) });
}

/**
 * Leaves the configuration's catalog as it is: moves a pointer that could not be moved before, and deletes what nobody reads
 * any more. Tells whether it has to be run again soon.
 */
export async function keepCatalog(
  config: string,
  published: Published | undefined,
  ports: RefreshPorts,
): Promise<boolean> {
  const isWritten =
    published === undefined || published.pointerWritten || (await writePointer(config, published, ports));
  await collectGarbage(ports);
  return !isWritten;
}
