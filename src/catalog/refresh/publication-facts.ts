import { fingerprintOf, type Inventory, type InventoryTool, type PinnedTool } from "../drift/inventory.ts";
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
