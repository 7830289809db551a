import {
  CATALOG_DELETES_PER_RUN_COUNT,
  CATALOG_ROWS_PER_RUN_COUNT,
  RECORD_IDS_MAX_COUNT,
} from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { OtherKind } from "../catalog.ts";
import { boundDiff, type CatalogDiff } from "../drift/diff.ts";
import type { KindDiff } from "../drift/kind-diff.ts";
import { sameTargets } from "../rollout/targets.ts";
import {
  OTHER_KINDS,
  type PerKind,
  type Pointer,
  type PointerTarget,
  sameContent,
  unlessEmpty,
} from "../snapshot/pointer.ts";
import { contentHash, generationKey } from "../snapshot/snapshot-store.ts";
import { type LeftOut, SNAPSHOT_FORMAT } from "../snapshot/snapshot.ts";
import type { ComposedTool } from "./compose.ts";
import { inventoryOf, kindDiffs } from "./publication-facts.ts";
import { identityText, readIdentity } from "./publication-identity.ts";
import type {
  Published,
  PublishedFacts,
  PublishedKind,
  PublishedParts,
  RefreshPorts,
} from "./refresh-ports.ts";
import { writeCatalog, type WrittenCatalog } from "./write-catalog.ts";

interface Publication {
  /** The pointer has not moved yet. */
  readonly unfinished: boolean;
  /** What became of resources and prompts, where that can be told. */
  readonly kinds: PerKind<KindDiff>;
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

/** What a catalog holds, each kind by id; a kind that is absent or empty is none. */
export interface Contents {
  readonly tools: readonly ComposedTool[];
  readonly kinds: PerKind<readonly ComposedTool[]>;
  /** Of resources. */
  readonly leftOut: LeftOut;
}

/** What is known of the contents beside themselves. */
interface Findings {
  /** See `fingerprintOf`. */
  readonly fingerprint: string;
  /** How the tools differ from what is published, if that can be told. */
  readonly diff: CatalogDiff | undefined;
  readonly stale: readonly string[];
  readonly staleKinds: PerKind<readonly string[]>;
  /** Where calls go, as the pointer is to name it. */
  readonly targets: readonly PointerTarget[];
  /** Writes what is decided with the publication, in its commit; nothing may be decided without it. */
  readonly decided?: () => void;
}

/** One kind that is to be published. */
interface Part {
  /** Undefined for tools. */
  readonly kind: OtherKind | undefined;
  readonly items: readonly ComposedTool[];
  readonly leftOut: LeftOut;
  /** Hash of what the items are. */
  readonly identity: string;
  readonly before: (PublishedKind & { readonly hash: string }) | undefined;
}

/** What a publication goes by. */
interface Basis extends Findings {
  readonly before: Published | undefined;
  /** Tools first, then the other kinds that there are. */
  readonly parts: readonly Part[];
  /** The neighbour table's version now; undefined if it cannot be told. */
  readonly version: string | undefined;
}

/** What of a publication is one kind's. */
function partBefore(
  published: Published | undefined,
  kind: OtherKind | undefined,
  config: string,
): Part["before"] {
  if (published === undefined) return undefined;
  const { pointer, identity, contents, parts } = published;
  if (kind === undefined) {
    const key = generationKey(config, pointer.generation);
    return {
      hash: pointer.hash,
      identity,
      contents: parts?.tools ?? contents.filter((each) => each !== key),
    };
  }
  const [hash, own] = [pointer.kinds?.[kind], parts?.kinds[kind]];
  return hash === undefined || own === undefined ? undefined : { hash, ...own };
}

/** The parts of what is to be published, beside what they were. */
async function partsOf(
  config: string,
  { tools, kinds, leftOut: out }: Contents,
  before: Published | undefined,
): Promise<Part[]> {
  const parts: Part[] = [];
  for (const kind of [undefined, ...OTHER_KINDS]) {
    const items = kind === undefined ? tools : (kinds[kind] ?? []);
    if (kind !== undefined && items.length === 0) continue;
    const what = items.map(({ server, key, tool: { id } }) =>
      kind === undefined ? [server, key] : [server, key, id],
    );
    const leftOut = kind === "resource" ? out : [];
    const of = [...(kind === undefined ? [] : [kind]), ...(leftOut.length === 0 ? [] : [leftOut])];
    const text = JSON.stringify([SNAPSHOT_FORMAT, what, ...of]);
    const identity = await contentHash(encoder.encode(text));
    parts.push({ kind, items, leftOut, identity, before: partBefore(before, kind, config) });
  }
  return parts;
}

/** What is told of the publication; with the same tools, what changed last is what it was. */
function factsOf({ before, fingerprint, diff, parts }: Basis, generation: number): PublishedFacts {
  const drift =
    before?.facts?.fingerprint === fingerprint
      ? before.facts.drift
      : diff && { generation, diff: boundDiff(diff, RECORD_IDS_MAX_COUNT) };
  const kinds: Partial<Record<OtherKind, number>> = {};
  for (const { kind, items } of parts) if (kind !== undefined) kinds[kind] = items.length;
  return {
    fingerprint,
    tools: parts[0]?.items.length ?? 0,
    ...unlessEmpty("kinds", kinds),
    ...(drift === undefined ? {} : { drift }),
  };
}

/** Commits a publication together with what the next one is compared with, and with what was decided for it. */
function commit(
  config: string,
  published: Published,
  basis: Basis,
  { store, nowMs }: RefreshPorts,
): Published {
  const facts = factsOf(basis, published.pointer.generation);
  const next = { ...published, facts };
  store.atomically(() => {
    store.publish(config, next, nowMs());
    if (basis.before?.facts?.fingerprint !== facts.fingerprint)
      store.saveInventory(config, facts.fingerprint, inventoryOf(basis.parts[0]?.items ?? []));
    basis.decided?.();
  });
  return next;
}

/** The content of one kind: what is published already where it is that and stands whole in KV. */
async function contentOf(
  part: Part,
  { version }: Basis,
  ports: RefreshPorts,
): Promise<Result<WrittenCatalog, string>> {
  const { kind, items, leftOut, before } = part;
  const neighbours = before === undefined ? "" : readIdentity(before.identity).neighbours;
  if (
    before !== undefined &&
    isSame(part, version) &&
    before.contents.every((key) => ports.store.hasWritten(key))
  )
    return ok({ hash: before.hash, contents: before.contents, neighbours });
  const basis = { kind, leftOut, before: before && { hash: before.hash, neighbours }, version };
  return writeCatalog(items, basis, ports);
}

/** Whether a part is published already: it is of these items, and of the neighbour table that there is now as far as one knows. */
function isSame({ before, identity }: Part, version: string | undefined): boolean {
  if (before === undefined) return false;
  const kept = readIdentity(before.identity);
  return kept.tools === identity && (version === undefined || kept.neighbours === version);
}

/** All that is written of a catalog, put together. */
interface Written {
  readonly hash: string;
  readonly kinds: PerKind<string>;
  readonly identity: string;
  readonly contents: readonly string[];
  readonly parts: PublishedParts;
}

async function writeParts(basis: Basis, ports: RefreshPorts): Promise<Result<Written, string>> {
  let tools: (PublishedKind & { readonly hash: string }) | undefined;
  const hashes: Partial<Record<OtherKind, string>> = {};
  const kinds: Partial<Record<OtherKind, PublishedKind>> = {};
  for (const part of basis.parts) {
    const written = await contentOf(part, basis, ports);
    if (!written.ok) return written;
    const { hash, contents, neighbours } = written.value;
    const identity = identityText({ tools: part.identity, neighbours });
    if (part.kind === undefined) {
      tools = { hash, identity, contents };
      continue;
    }
    hashes[part.kind] = hash;
    kinds[part.kind] = { identity, contents };
  }
  if (tools === undefined) return fail("a catalog without tools' content");
  const all = [tools, ...OTHER_KINDS.flatMap((kind) => kinds[kind] ?? [])].flatMap(
    ({ contents }) => contents,
  );
  return ok({
    hash: tools.hash,
    kinds: hashes,
    identity: tools.identity,
    contents: [...new Set(all)],
    parts: { tools: tools.contents, kinds },
  });
}

/**
 * Other tools, or another neighbour table, or calls that go somewhere else: a new generation, unless the content is the same
 * after all and is called where it was. With other targets it is always a new one, so that all who met the old one are led on.
 * All kinds move together; what did not change keeps its content.
 */
async function publishNext(
  config: string,
  basis: Basis,
  ports: RefreshPorts,
): Promise<Result<Published, string>> {
  const { store } = ports;
  const { before, stale, staleKinds, targets } = basis;
  await seedCounters(config, ports);
  const written = await writeParts(basis, ports);
  if (!written.ok) return written;
  const { hash, kinds, identity, contents, parts } = written.value;
  const owned = Object.keys(kinds).length === 0 ? {} : { parts };
  if (
    before !== undefined &&
    sameContent(before.pointer, { hash, kinds }) &&
    sameTargets(before.pointer, targets)
  ) {
    return ok(commit(config, { ...before, identity, ...owned }, basis, ports));
  }
  const numbers = { generation: store.nextGeneration(), revision: store.nextRevision() };
  const pointer: Pointer = {
    ...numbers,
    hash,
    ...unlessEmpty("kinds", kinds),
    stale,
    ...unlessEmpty("staleKinds", staleKinds),
    ...(targets.length === 0 ? {} : { targets }),
  };
  const key = generationKey(config, pointer.generation);
  store.beginWrite(key);
  await ports.kv.writeGeneration(config, pointer);
  store.markWritten(key);
  const next = { pointer, identity, contents: [...contents, key], ...owned, pointerWritten: false };
  return ok(commit(config, next, basis, ports));
}

/** The same content: the pointer says which servers are stale now. */
function movePointer(
  config: string,
  before: Published,
  { stale, staleKinds }: Findings,
  { store, nowMs }: RefreshPorts,
): Published {
  const { pointer: old } = before;
  const isSameStale =
    sameNames(old.stale, stale) &&
    OTHER_KINDS.every((kind) => sameNames(old.staleKinds?.[kind] ?? [], staleKinds[kind] ?? []));
  if (isSameStale) return before;
  const { staleKinds: _, ...kept } = old;
  const revision = store.nextRevision();
  const pointer = { ...kept, revision, stale, ...unlessEmpty("staleKinds", staleKinds) };
  const next = { ...before, pointer, pointerWritten: false };
  store.publish(config, next, nowMs());
  return next;
}

/** What somebody missed in KV is written again, and what an older version did not keep is kept. */
async function complete(
  config: string,
  before: Published,
  basis: Basis,
  ports: RefreshPorts,
): Promise<Result<Published, string>> {
  if (!before.contents.every((key) => ports.store.hasWritten(key))) {
    const written = await writeParts(basis, ports);
    if (!written.ok) return written;
  }
  return ok(before.facts === undefined ? commit(config, before, basis, ports) : before);
}

/** Whether what is published is what was found, of every kind, and is called where it shall be. */
function isCurrent(
  published: Published | undefined,
  { parts, version, targets }: Basis,
): published is Published {
  return (
    published !== undefined &&
    parts.every((part) => isSame(part, version)) &&
    parts.length === 1 + Object.keys(published.pointer.kinds ?? {}).length &&
    sameTargets(published.pointer, targets)
  );
}

/**
 * Publishes what was found, each kind sorted by id, as the configuration's catalog: shards, snapshots, the generation's key,
 * then the pointer, so that a reader sees the old catalog whole until the last write. Equal content makes no new generation; a
 * server gone stale, or fresh again, moves the pointer only. A table of neighbours that could not be read when there was
 * one is tried again by the next run. Throws where KV refuses a write before the object's own commit.
 */
export async function publishCatalog(
  config: string,
  contents: Contents,
  findings: Findings,
  ports: RefreshPorts,
): Promise<Result<Publication, string>> {
  const before = ports.store.published(config);
  const parts = await partsOf(config, contents, before);
  const basis: Basis = { ...findings, before, parts, version: await ports.neighbours.version() };
  // What was published before is let go of with the commit.
  const isAsItWas = (kind: OtherKind) => parts.some((part) => part.kind === kind && isSame(part, undefined));
  const kinds = kindDiffs(before, contents.kinds, isAsItWas, ports.store);
  const current = isCurrent(before, basis)
    ? await complete(config, before, basis, ports)
    : await publishNext(config, basis, ports);
  if (!current.ok) return current;
  const published = movePointer(config, current.value, findings, ports);
  return ok({ unfinished: await keepCatalog(config, published, ports), kinds });
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
