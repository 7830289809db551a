import type { CatalogDiff } from "../drift/diff.ts";
import { diffInventories } from "../drift/diff.ts";
import type { Inventory } from "../drift/inventory.ts";
import type { Comparison } from "../../outbox/refresh-record.ts";

export interface Compared {
  readonly comparison: Comparison;
  /** What would change; absent where that is unknown. */
  readonly diff?: CatalogDiff;
}

/** Compares what is called with what would be called instead; both by id in code point order. */
export function compareInventories(active: Inventory | undefined, other: Inventory | undefined): Compared {
  const diff = active && other && diffInventories(active, other);
  if (diff === undefined) return { comparison: "unknown" };
  return { comparison: judge(diff), diff };
}

function judge({ added, removed, changed }: CatalogDiff): Comparison {
  if (removed.length > 0 || changed.some(({ change }) => change === "contract")) return "breaking";
  return added.length + changed.length > 0 ? "compatible" : "identical";
}
