import { CATALOG_VALUE_MAX_BYTES } from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { OtherKind } from "../catalog.ts";
import { openSnapshotParts } from "../snapshot/open-snapshot.ts";
import { draftSnapshot, type PlacedTool, type SnapshotBefore } from "../snapshot/pack-snapshot.ts";
import { planShards, type ShardItem, shardPlanHash, shardText } from "../snapshot/shards.ts";
import type { LeftOut } from "../snapshot/snapshot.ts";
import { contentHash, contentKey, type ContentKind } from "../snapshot/snapshot-store.ts";
import type { ComposedTool } from "./compose.ts";
import type { RefreshPorts } from "./refresh-ports.ts";

const encoder = new TextEncoder();
const TOO_LARGE = "the catalog is too large to be kept";
const INCOMPLETE = "a kept definition is missing";
/** Versions of the neighbour table of a snapshot without one, and of one that nobody could name. */
const NO_TABLE = "none";
const UNKNOWN_TABLE = "unknown";

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
  return tools.map(({ server, key, tool }) => {
    const { id, definitionHash, definitionBytes } = tool;
    return { id, definitionHash, definitionBytes, server, key, tool };
  });
}

/** What a shard says of each tool beside its definition; undefined if a judgement is missing. */
function shardItems(items: Items, ports: RefreshPorts): readonly ShardItem[] | undefined {
  const known = items.flatMap(({ key }) => {
    const judged = ports.store.recall(key);
    return judged?.kind === "accepted" ? [judged] : [];
  });
  return known.length === items.length ? known : undefined;
}

/** Writes one shard, unless an equal plan was written before; one shard at a time is in memory. */
async function writeShard(
  items: Items,
  kind: OtherKind | undefined,
  ports: RefreshPorts,
): Promise<Result<string, string>> {
  const plan = await shardPlanHash(items, kind);
  const known = ports.store.shard(plan);
  if (known !== undefined && ports.store.hasWritten(contentKey("shard", known))) return ok(known);
  const full = shardItems(items, ports);
  const text = full === undefined ? undefined : shardText(full, (hash) => ports.store.definition(hash));
  if (full === undefined || text === undefined) return fail(INCOMPLETE);
  const bytes = encoder.encode(text);
  if (bytes.length > CATALOG_VALUE_MAX_BYTES) return fail(TOO_LARGE);
  const hash = await contentHash(bytes);
  ports.store.saveShard(plan, hash, full);
  await writeContent("shard", hash, bytes, ports);
  return ok(hash);
}

/** A catalog whose content stands in KV. */
export interface WrittenCatalog {
  /** Of the snapshot. */
  readonly hash: string;
  /** Keys of all that it needs in KV. */
  readonly contents: readonly string[];
  /** The version of the neighbour table that went into it. */
  readonly neighbours: string;
}

/** The snapshot of a kind that was published last, and the version of its neighbour table. */
export interface SnapshotRef {
  readonly hash: string;
  readonly neighbours: string;
}

/** What a catalog's content is made by, beside its tools. */
export interface WriteBasis {
  /** Undefined for tools. */
  readonly kind: OtherKind | undefined;
  readonly leftOut: LeftOut;
  /** To build the next snapshot on. */
  readonly before: SnapshotRef | undefined;
  /** The neighbour table's version now; undefined if it cannot be told. */
  readonly version: string | undefined;
}

function snapshotBefore(
  { before, kind }: WriteBasis,
  ports: RefreshPorts,
): (SnapshotBefore & Pick<SnapshotRef, "neighbours">) | undefined {
  const saved = before === undefined ? undefined : ports.store.savedSnapshot(before.hash);
  if (before === undefined || saved === undefined) return undefined;
  const parts = openSnapshotParts(saved.bytes);
  if (!parts.ok || parts.value.index.ids.count !== saved.keys.length) return undefined;
  if (parts.value.head.kind !== kind) return undefined;
  return { parts: parts.value, keys: saved.keys, neighbours: before.neighbours };
}

/** Runs a draft in stretches, so that the object answers others meanwhile. */
async function inTurns<Value>(steps: Generator<void, Value>, pause: RefreshPorts["pause"]): Promise<Value> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/** Builds the snapshot on the one before. The neighbour table is read only if there are new words, or it is another. */
async function buildSnapshot(
  placed: readonly PlacedTool[],
  shards: readonly string[],
  basis: WriteBasis,
  ports: RefreshPorts,
): Promise<{ readonly bytes: Uint8Array; readonly neighbours: string } | undefined> {
  const sources = {
    judged: (key: string) => ports.store.recall(key),
    analysed: (key: string) => ports.store.analysed(key),
  };
  const { kind, leftOut, version } = basis;
  const base = snapshotBefore(basis, ports);
  const draft = await inTurns(draftSnapshot(placed, shards, sources, base, kind, leftOut), ports.pause);
  if (draft === undefined) return undefined;
  const isSameTable = base !== undefined && (version ?? base.neighbours) === base.neighbours;
  if (isSameTable && !draft.hasNewWords) {
    return { bytes: draft.pack({ ofNewTerms: undefined }), neighbours: base.neighbours };
  }
  const table = await ports.neighbours.load();
  await ports.pause();
  if (table === undefined) return { bytes: draft.pack({ all: undefined }), neighbours: NO_TABLE };
  // Which table the one before had is told by its version alone: without one, nothing is built on what words meant there.
  const isKnown = isSameTable && version !== undefined && version !== NO_TABLE;
  return {
    bytes: draft.pack(isKnown ? { ofNewTerms: table } : { all: table }),
    neighbours: version ?? UNKNOWN_TABLE,
  };
}

/** Writes all content of one kind's catalog: its shards, then its snapshot. */
export async function writeCatalog(
  tools: readonly ComposedTool[],
  basis: WriteBasis,
  ports: RefreshPorts,
): Promise<Result<WrittenCatalog, string>> {
  const shards: string[] = [];
  const placed: PlacedTool[] = [];
  for (const items of planShards(itemsOf(tools))) {
    const shard = await writeShard([...items], basis.kind, ports);
    if (!shard.ok) return shard;
    for (const { server, key, tool } of items) placed.push({ server, key, tool, shard: shards.length });
    shards.push(shard.value);
  }
  const built = await buildSnapshot(placed, shards, basis, ports);
  if (built === undefined) return fail(INCOMPLETE);
  const { bytes, neighbours } = built;
  if (bytes.length > CATALOG_VALUE_MAX_BYTES) return fail(TOO_LARGE);
  const hash = await contentHash(bytes);
  await ports.pause();
  const keys = placed.map(({ key }) => key);
  ports.store.saveSnapshot(hash, bytes, keys);
  await writeContent("snapshot", hash, bytes, ports);
  const contents = [contentKey("snapshot", hash), ...shards.map((shard) => contentKey("shard", shard))];
  return ok({ hash, contents, neighbours });
}
