import { fingerprintOf, type Inventory, type InventoryTool, type PinnedTool } from "../drift/inventory.ts";
import { REPORT_ENTRIES_MAX_COUNT } from "../../limits.ts";
import type { OtherKind } from "../catalog.ts";
import { diffKind, type KindDiff } from "../drift/kind-diff.ts";
import { OTHER_KINDS, type PerKind } from "../snapshot/pointer.ts";
import { openSnapshot, type Snapshot } from "../snapshot/open-snapshot.ts";
import type { ComposedTool } from "./compose.ts";
import type { Published, PublishedFacts, RefreshStore } from "./refresh-ports.ts";

/** Tools as a pin holds them. */
export function* pinnedTools(tools: readonly ComposedTool[]): Generator<PinnedTool> {
  for (const { server, tool } of tools) yield { id: tool.id, server, definitionHash: tool.definitionHash };
}

/** Tools as the next catalog is compared with them. */
export function inventoryOf(tools: readonly ComposedTool[]): Inventory {
  return tools.map(({ server, tool }): InventoryTool => {
    const { id, upstreamName, definitionHash, parts } = tool;
    return { id, server, upstreamName, definitionHash, ...(parts === undefined ? {} : { parts }) };
  });
}

/** The fingerprint of what a snapshot holds: that of the tools it was made from. Decodes every tool. */
export function snapshotFingerprint(snapshot: Snapshot): Promise<string> {
  return fingerprintOf(snapshotTools(snapshot));
}

/**
 * What a publication changes of resources and prompts, asked before it is committed: then the snapshots before are let go of.
 * Nothing is read of what is as it was.
 */
export function kindDiffs(
  before: Published | undefined,
  kinds: PerKind<readonly ComposedTool[]>,
  isAsItWas: (kind: OtherKind) => boolean,
  store: RefreshStore,
): PerKind<KindDiff> {
  const diffs: Partial<Record<OtherKind, KindDiff>> = {};
  for (const kind of before === undefined ? [] : OTHER_KINDS) {
    if (isAsItWas(kind)) continue;
    const hash = before?.pointer.kinds?.[kind];
    const old = hash === undefined ? [] : snapshotEntries(hash, store);
    const now = (kinds[kind] ?? []).map(({ tool }) => tool);
    const diff = old && diffKind(old, now, REPORT_ENTRIES_MAX_COUNT);
    if (diff !== undefined) diffs[kind] = diff;
  }
  return diffs;
}

/** By id; undefined for a snapshot that is not here any more. */
function snapshotEntries(hash: string, store: RefreshStore): readonly PinnedTool[] | undefined {
  const saved = store.savedSnapshot(hash);
  const snapshot = saved === undefined ? undefined : openSnapshot(saved.bytes);
  return snapshot?.ok === true ? [...snapshotTools(snapshot.value)] : undefined;
}

function* snapshotTools(snapshot: Snapshot): Generator<PinnedTool> {
  for (let place = 0; place < snapshot.count; place += 1) {
    const tool = snapshot.tool(place);
    if (tool !== undefined) yield tool;
  }
}

/** The facts of a publication; of one by an older version, from its snapshot. Null where that is not here any more. */
export async function publishedFacts(
  { facts, pointer }: Published,
  store: RefreshStore,
): Promise<PublishedFacts | null> {
  if (facts !== undefined) return facts;
  const saved = store.savedSnapshot(pointer.hash);
  const snapshot = saved === undefined ? undefined : openSnapshot(saved.bytes);
  if (snapshot?.ok !== true) return null;
  return { fingerprint: await snapshotFingerprint(snapshot.value), tools: snapshot.value.count };
}
