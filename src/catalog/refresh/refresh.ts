import { activeTargets, otherTarget } from "../rollout/targets.ts";
import { listTargets } from "./list-targets.ts";
import { judgeOther, othersToList, recallOther } from "./other-targets.ts";
import { publishFound, type RefreshOutcome } from "./publish-found.ts";
import type { RefreshReason } from "./refresh-contract.ts";
import type { RefreshPorts } from "./refresh-ports.ts";
import type { FoundServer } from "./server-reports.ts";
import type { CatalogSettings } from "./settings.ts";

/**
 * One refresh: lists every server where its calls go, and beside it where they might go instead; judges what is new, and
 * publishes the catalog if its content changed. Failures of a server stay with that server, unless it is required: then the
 * whole catalog stays as it was. So it does where a strict pin names another one. Never throws.
 */
export async function runRefresh(
  settings: CatalogSettings,
  ports: RefreshPorts,
  trigger: RefreshReason = "operator",
): Promise<RefreshOutcome> {
  const actives = activeTargets(settings.servers, ports.store.rollouts);
  const others = othersToList(actives, trigger, ports);
  const all = await listTargets([...actives, ...others], ports);
  const judged = new Map(
    all.slice(actives.length).map((listed) => [listed.server.name, judgeOther(listed, ports)]),
  );
  const found = actives.flatMap((active, at): FoundServer[] => {
    const listed = all[at];
    if (listed === undefined) return [];
    const other = otherTarget(active) && (judged.get(active.server.name) ?? recallOther(active, ports));
    return [{ active, listed, other }];
  });
  return publishFound(settings, found, undefined, ports);
}
