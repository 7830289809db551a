import { compareCodePoints } from "../../code-points.ts";
import type { DiffRecord } from "../../outbox/refresh-record.ts";
import type { Inventory, InventoryTool } from "./inventory.ts";

/** The gravest thing that changed about a tool, in this order. */
type Change = "contract" | "metadata" | "wording";

/** What became of one catalog's tools in another. Lists are by id in code point order. */
export interface CatalogDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly id: string; readonly change: Change }[];
  /** A server's tool of the same name under another id. Both ids stand in `added` and `removed` too. */
  readonly replaced: readonly { readonly id: string; readonly was: string }[];
}

/**
 * Compares two catalogs by hashes alone, in one pass over both. Undefined where a definition changed of which an older version
 * kept no parts, or parts of another form: no diff is better than a wrong one.
 */
export function diffInventories(before: Inventory, after: Inventory): CatalogDiff | undefined {
  const added: InventoryTool[] = [];
  const removed: InventoryTool[] = [];
  const changed: { readonly id: string; readonly change: Change }[] = [];
  let [left, right] = [0, 0];
  for (;;) {
    const [old, now] = [before[left], after[right]];
    if (old === undefined && now === undefined) break;
    const order = old === undefined ? 1 : now === undefined ? -1 : compareCodePoints(old.id, now.id);
    if (order <= 0) left += 1;
    if (order >= 0) right += 1;
    if (order < 0 && old !== undefined) removed.push(old);
    if (order > 0 && now !== undefined) added.push(now);
    if (order !== 0 || old === undefined || now === undefined) continue;
    const change = changeOf(old, now);
    if (change === "unknown") return undefined;
    if (change !== "none") changed.push({ id: now.id, change });
  }
  return {
    added: added.map(({ id }) => id),
    removed: removed.map(({ id }) => id),
    changed,
    replaced: replacements(removed, added),
  };
}

/** Another server under the same id is metadata: what may be asked is the same. */
function changeOf(old: InventoryTool, now: InventoryTool): Change | "none" | "unknown" {
  const moved = old.server !== now.server;
  if (old.definitionHash === now.definitionHash) return moved ? "metadata" : "none";
  if (old.parts === undefined || old.parts.form !== now.parts?.form) return "unknown";
  if (old.parts.contract !== now.parts.contract) return "contract";
  return moved || old.parts.metadata !== now.parts.metadata ? "metadata" : "wording";
}

function replacements(
  removed: readonly InventoryTool[],
  added: readonly InventoryTool[],
): CatalogDiff["replaced"] {
  const nameOf = ({ server, upstreamName }: InventoryTool) => JSON.stringify([server, upstreamName]);
  const gone = new Map(removed.map((tool) => [nameOf(tool), tool.id]));
  return added.flatMap((tool) => {
    const was = gone.get(nameOf(tool));
    return was === undefined ? [] : [{ id: tool.id, was }];
  });
}

/** A diff with the first so many entries of each list; `omitted` counts the others. */
export function boundDiff(diff: CatalogDiff, count: number): DiffRecord {
  const lists = [diff.added, diff.removed, diff.changed, diff.replaced];
  const omitted = lists.reduce((sum, { length }) => sum + Math.max(0, length - count), 0);
  return {
    added: diff.added.slice(0, count),
    removed: diff.removed.slice(0, count),
    changed: diff.changed.slice(0, count),
    replaced: diff.replaced.slice(0, count),
    ...(omitted > 0 ? { omitted } : {}),
  };
}
