import type { CatalogDiff } from "../drift/diff.ts";
import type { Inventory } from "../drift/inventory.ts";
import { type Believes, type Compared, compareInventories } from "../rollout/compare.ts";
import { type ActiveTarget, otherTarget, type ServerTargetSettings } from "../rollout/targets.ts";
import { compose, type Composed, type ComposePart, fillRoom } from "./compose.ts";
import type { ListedPrimitives } from "./list-primitives.ts";
import { type Listed, recallTarget } from "./list-targets.ts";
import type { OtherKind } from "../catalog.ts";
import { OTHER_KINDS, type PerKind } from "../snapshot/pointer.ts";
import { inventoryOf } from "./publication-facts.ts";
import type { RefreshReason } from "./refresh-contract.ts";
import type { RefreshPorts } from "./refresh-ports.ts";

/** What is known of a target that calls do not go to. */
export type OtherTarget =
  | { readonly status: "listed"; readonly listed: Listed }
  | { readonly status: "rejected"; readonly reason: string };

export const TOO_LARGE = "the catalog would become too large";

/**
 * Which of the other targets a run lists. One that was rejected costs nothing until an operator asks for it or another one is
 * configured; and a first use, for which somebody waits, waits for none.
 */
export function othersToList(
  actives: readonly ActiveTarget[],
  trigger: RefreshReason,
  { store }: RefreshPorts,
): readonly ServerTargetSettings[] {
  if (trigger === "first_use") return [];
  return actives.flatMap((active) => {
    const other = otherTarget(active);
    if (other === undefined) return [];
    const isKnownBad = store.rollouts.rejection(other.server.name, other.source) !== undefined;
    return isKnownBad && trigger !== "operator" ? [] : [other];
  });
}

/**
 * What the listing of another target came to, remembered. Undefined where it could not be counted: nothing is found out about
 * the target then, and it stays what it was (`recallOther`).
 */
export function judgeOther(listed: Listed, { store, nowMs }: RefreshPorts): OtherTarget | undefined {
  const { server, source, failure, uncounted } = listed;
  if (uncounted !== undefined) return undefined;
  if (failure === undefined) {
    store.rollouts.acquit(server.name, source);
    return { status: "listed", listed };
  }
  store.rollouts.reject(server.name, source, failure, nowMs());
  return { status: "rejected", reason: failure };
}

/** What earlier runs found out about a server's other target. */
export function recallOther(active: ActiveTarget, ports: RefreshPorts): OtherTarget | undefined {
  const other = otherTarget(active);
  if (other === undefined) return undefined;
  const reason = ports.store.rollouts.rejection(other.server.name, other.source);
  if (reason !== undefined) return { status: "rejected", reason };
  const listed = recallTarget(other, undefined, ports);
  return listed.listing === undefined ? undefined : { status: "listed", listed };
}

export function partOf({ server, listing, tools }: Listed): ComposePart {
  return { name: server.name, mode: server.mode, tools: listing === undefined ? null : tools };
}

/** What a server has beside tools. */
interface WithKinds {
  readonly server: Pick<ServerTargetSettings["server"], "name" | "mode">;
  readonly kinds: PerKind<Pick<ListedPrimitives, "listing" | "tools">>;
}

/**
 * The other kinds of what was found, of those that there are, each in what those before it have left. Who lists more than there
 * is room for keeps what fits, once all others have their place: half of such a list is still of use, as half of the tools is not.
 */
export function composeKinds(listed: readonly WithKinds[], tools: Composed): PerKind<Composed> {
  const composed: Partial<Record<OtherKind, Composed>> = {};
  let { taken } = tools;
  const partsOf = (kind: OtherKind) =>
    listed.map(({ server, kinds }): ComposePart => {
      const own = kinds[kind];
      return { name: server.name, mode: server.mode, tools: own?.listing === undefined ? null : own.tools };
    });
  for (const kind of OTHER_KINDS) {
    const parts = partsOf(kind);
    if (parts.every((part) => part.tools === null)) continue;
    const made = compose(parts, taken);
    ({ taken } = made);
    composed[kind] = made;
  }
  for (const kind of OTHER_KINDS) {
    const made = composed[kind];
    if (made?.servers.some(({ tooLarge }) => tooLarge) !== true) continue;
    const filled = fillRoom(made, partsOf(kind), taken);
    ({ taken } = filled);
    composed[kind] = filled;
  }
  return composed;
}

/** The catalog that there would be with another target of one server. */
export interface Exchange extends Compared {
  /** Tools of the server. */
  readonly tools: number;
  /** The server has no place in it. */
  readonly tooLarge: boolean;
  /** Of all its tools. */
  readonly inventory: Inventory;
}

const NOTHING_CHANGES: CatalogDiff = { added: [], removed: [], changed: [], replaced: [] };

/**
 * Compares whole catalogs and not listings: a namespace or the room that one server takes is another one's. Where both
 * targets list the same, that is known without making one.
 */
export function compareExchange(
  listed: readonly Listed[],
  composed: Composed,
  at: number,
  other: Listed,
): Exchange {
  const own = composed.servers[at];
  const inventory = inventoryOf(composed.tools);
  if (own !== undefined && sameListing(listed[at], other)) {
    const { tools, tooLarge } = own;
    return { comparison: "identical", diff: NOTHING_CHANGES, tools, tooLarge, inventory };
  }
  const exchanged = compose(listed.map((each, place) => partOf(place === at ? other : each)));
  const { tools = 0, tooLarge = false } = exchanged.servers[at] ?? {};
  const would = inventoryOf(exchanged.tools);
  return {
    ...compareInventories(inventory, would, believerOf(listed)),
    tools,
    tooLarge,
    inventory: would,
  };
}

/** Whose annotations count, by the servers' own names. */
export function believerOf(listed: readonly Listed[]): Believes {
  const believed = new Set(listed.filter(({ server }) => server.believed).map(({ server }) => server.name));
  return (server) => believed.has(server);
}

function sameListing(left: Listed | undefined, right: Listed): boolean {
  const [known, other] = [left?.listing, right.listing];
  if (known === undefined || other === undefined || known.basis !== other.basis) return false;
  return (
    known.keys.length === other.keys.length && known.keys.every((key, place) => key === other.keys[place])
  );
}
