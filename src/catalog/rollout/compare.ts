import type { CatalogDiff } from "../drift/diff.ts";
import { diffInventories } from "../drift/diff.ts";
import type { Inventory } from "../drift/inventory.ts";
import { type Comparison, COMPARISONS } from "../../outbox/refresh-record.ts";

export interface Compared {
  readonly comparison: Comparison;
  /** What would change; absent where that is unknown. */
  readonly diff?: CatalogDiff;
}

/** Whether what a server says of its tools beside their contracts decides anything: what is cached, denied, tried again. */
export type Believes = (server: string) => boolean;

const BELIEVES_NOBODY: Believes = () => false;

/** Compares what is called with what would be called instead; both by id in code point order. */
export function compareInventories(
  active: Inventory | undefined,
  other: Inventory | undefined,
  believes: Believes = BELIEVES_NOBODY,
): Compared {
  if (active === undefined || other === undefined) return { comparison: "unknown" };
  const diff = diffInventories(active, other);
  if (diff === undefined) return { comparison: "unknown" };
  return { comparison: isBreaking(active, other, diff, believes) ? "breaking" : mildest(diff), diff };
}

/** The graver of two comparisons of one catalog. */
export function graver(left: Compared, right: Compared): Compared {
  const gravity = ({ comparison }: Compared) => COMPARISONS.indexOf(comparison);
  return gravity(right) > gravity(left) ? right : left;
}

/**
 * A caller loses an id, or its arguments; or an id comes to mean another server's tool, or another tool of the server, which
 * policies and replay rules are written for; or what was believed of a tool is another.
 */
function isBreaking(
  active: Inventory,
  other: Inventory,
  { removed, changed }: CatalogDiff,
  believes: Believes,
): boolean {
  if (removed.length > 0 || changed.some(({ change }) => change === "contract")) return true;
  const others = new Map(other.map((tool) => [tool.id, tool]));
  const otherwise = new Map(changed.map(({ id, change }) => [id, change]));
  return active.some(({ id, server, upstreamName }) => {
    const tool = others.get(id);
    if (tool?.server !== server || tool.upstreamName !== upstreamName) return true;
    return otherwise.get(id) === "metadata" && believes(server);
  });
}

function mildest({ added, changed }: CatalogDiff): Comparison {
  return added.length + changed.length > 0 ? "compatible" : "identical";
}
