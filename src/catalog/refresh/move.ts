import { REPORT_ENTRIES_MAX_COUNT } from "../../limits.ts";
import { boundDiff } from "../drift/diff.ts";
import type { Comparison, DiffRecord } from "../../outbox/refresh-record.ts";
import type { Inventory } from "../drift/inventory.ts";
import { type Compared, compareInventories, graver } from "../rollout/compare.ts";
import { type Move, promote, rollBack } from "../rollout/rollout.ts";
import {
  type ActiveTarget,
  activeTargets,
  pointerTargets,
  sameTargets,
  targetOf,
  targetKeys,
} from "../rollout/targets.ts";
import { targetIn } from "../snapshot/pointer.ts";
import { compose } from "./compose.ts";
import { type Listed, listTargets, recallTarget, UNCOUNTED } from "./list-targets.ts";
import { believerOf, compareExchange, judgeOther, partOf, recallOther, TOO_LARGE } from "./other-targets.ts";
import { publishFound, type RefreshOutcome } from "./publish-found.ts";
import { keepCatalog } from "./publish.ts";
import type { MoveAnswer, MoveRefusal, MoveRequest, ServerReport } from "./refresh-contract.ts";
import type { RefreshPorts } from "./refresh-ports.ts";
import { runRefresh } from "./refresh.ts";
import type { FoundServer } from "./server-reports.ts";
import type { CatalogSettings, ServerSettings } from "./settings.ts";

type Asked = Pick<MoveRequest, "server" | "move" | "acceptBreaking">;

/** What a move came to, and what was done on the way. */
export interface MoveRun {
  readonly answer: MoveAnswer;
  /** Publications, in their order, for the ledger. */
  readonly outcomes: readonly RefreshOutcome[];
  /** Something is written half-way, or found out and not told yet: run again soon. */
  readonly unfinished: boolean;
}

const NEVER_LISTED = "it was never listed";
const LAST_FAILED = "it failed at the last refresh";
const NOT_COMPARABLE = "what is kept of the active one is too old to be compared";

/**
 * Moves a server's calls to its other target. Both are listed anew and compared, a rollback's way back alone: where calls go
 * now may be what hangs. The other servers are as they were listed last. Nothing is decided but in the commit of the catalog
 * that goes with it, and until then everything is as it was; from then on every run finds the new target, whatever becomes of
 * this one. To be run when no refresh runs, and no other move. `lastReports` say why servers failed that are not listed now.
 */
export async function runMove(
  settings: CatalogSettings,
  asked: Asked,
  lastReports: readonly ServerReport[],
  ports: RefreshPorts,
): Promise<MoveRun> {
  const server = settings.servers.find(({ name }) => name === asked.server);
  if (server === undefined) return unmoved("unknown_server");
  if (server.candidate === undefined) {
    return unmoved(asked.move === "promote" ? "no_candidate" : "nothing_to_roll_back");
  }
  const outcomes = (await isBehind(settings, ports)) ? [await runRefresh(settings, ports, "first_use")] : [];
  const refreshed = outcomes.some(({ unfinished }) => unfinished);
  const known = ports.store.rollouts.rollout(server.name);
  const keys = targetKeys(server);
  const plan = asked.move === "promote" ? promote(known, keys) : rollBack(known, keys);
  if (!plan.ok) {
    // Asked again since no answer came: what was decided then may not stand in KV yet.
    const unfinished = await keepCatalog(settings.hash, ports.store.published(settings.hash), ports);
    return { ...unmoved(plan.reason), outcomes, unfinished: refreshed || unfinished };
  }
  const last = outcomes.at(-1);
  const reasons = new Map((last?.servers ?? lastReports).map(({ name, reason }) => [name, reason]));
  const run = await exchange({ settings, server, asked, plan: plan.value, last, reasons }, ports);
  return { ...run, outcomes: [...outcomes, ...run.outcomes], unfinished: refreshed || run.unfinished };
}

/** Whether the catalog that is published goes by other targets than the rollouts, or there is none: both are listed first. */
async function isBehind({ hash, servers }: CatalogSettings, { store }: RefreshPorts): Promise<boolean> {
  const published = store.published(hash);
  const targets = pointerTargets(activeTargets(servers, store.rollouts));
  return published === undefined || !sameTargets(published.pointer, targets);
}

interface Exchanging {
  readonly settings: CatalogSettings;
  readonly server: ServerSettings;
  readonly asked: Asked;
  readonly plan: Move;
  /** The refresh that has just been. */
  readonly last: RefreshOutcome | undefined;
  /** Why servers failed, by name, as far as that is known. */
  readonly reasons: ReadonlyMap<string, string | undefined>;
}

async function exchange(
  { settings, server, asked, plan, last, reasons }: Exchanging,
  ports: RefreshPorts,
): Promise<MoveRun> {
  const { rollouts } = ports.store;
  const actives = activeTargets(settings.servers, rollouts);
  const at = settings.servers.indexOf(server);
  const [from, to] = [actives[at], targetOf(server, plan.to)];
  if (from === undefined || to === undefined) return unmoved("no_candidate");
  const listedAnew = await listTargets(asked.move === "promote" ? [to, from] : [to], ports);
  const [there, here] = listedAnew;
  if (there === undefined) return unmoved("candidate_rejected");
  if (there.uncounted !== undefined && asked.move === "promote") {
    return unmoved("unpublished", { detail: UNCOUNTED });
  }
  const wasRejected = rollouts.rejection(server.name, to.source) !== undefined;
  const judged = judgeOther(there, ports);
  const isUsable = judged?.status === "listed" || (asked.move === "rollback" && there.listing !== undefined);
  if (!isUsable) {
    const refused = unmoved("candidate_rejected", { detail: there.failure ?? NEVER_LISTED });
    // Nothing is published that could tell it, and the interval's run may be hours away.
    return { ...refused, unfinished: judged?.status === "rejected" && !wasRejected };
  }

  const listed = await listedLast(settings, actives, staleServers(settings, last, ports), reasons, ports);
  if (here !== undefined) listed[at] = here;
  const composed = compose(listed.map(partOf));
  const exchanged = compareExchange(listed, composed, at, there);
  // Callers know what is published, whatever the active target lists just now.
  const published = compareInventories(
    publishedInventory(settings, ports),
    exchanged.inventory,
    believerOf(listed),
  );
  const compared = published.diff === undefined ? exchanged : graver(exchanged, published);
  const told = toldOf(compared);
  if (exchanged.tooLarge) return unmoved("candidate_rejected", { ...told, detail: TOO_LARGE });
  const isSafe = compared.comparison === "identical" || compared.comparison === "compatible";
  if (asked.move === "promote" && !isSafe && !asked.acceptBreaking) {
    return unmoved("breaking", {
      ...told,
      ...(compared.comparison === "unknown" ? { detail: NOT_COMPARABLE } : {}),
    });
  }

  const found = actives.map((active, place): FoundServer => {
    if (place !== at) {
      const own = listed[place] ?? recallTarget(active, undefined, ports);
      return { active, listed: own, other: recallOther(active, ports) };
    }
    const moved: ActiveTarget = { ...to, generation: plan.generation };
    return { active: moved, listed: there, other: recallOther(moved, ports) };
  });
  const commit = () => {
    rollouts.saveRollout(server.name, plan.rollout);
    // A way back that gave no list is where calls go now: as another target it begins anew.
    rollouts.acquit(server.name, to.source);
  };
  const outcome = await publishFound(settings, found, { commit }, ports);
  // By what was committed, not by how the run ended: a fault behind the commit takes nothing back.
  const { pointer } = outcome;
  if (pointer === null || targetIn(pointer, server.name).generation !== plan.generation) {
    return { ...refusedOutcome(outcome, told), unfinished: outcome.unfinished };
  }
  return {
    answer: {
      version: 1,
      moved: true,
      server: server.name,
      active: plan.to,
      generation: plan.generation,
      catalogGeneration: pointer.generation,
      ...told,
    },
    outcomes: [outcome],
    unfinished: outcome.unfinished,
  };
}

function publishedInventory({ hash }: CatalogSettings, { store }: RefreshPorts): Inventory | undefined {
  const facts = store.published(hash)?.facts;
  return facts && store.inventory(hash, facts.fingerprint);
}

/** Which servers' last listing failed: as the refresh has found that was just run, else as the pointer says. */
function staleServers(
  { hash }: CatalogSettings,
  last: RefreshOutcome | undefined,
  { store }: RefreshPorts,
): ReadonlySet<string> {
  if (last === undefined) return new Set(store.published(hash)?.pointer.stale);
  return new Set(last.servers.filter(({ status }) => status !== "ok").map(({ name }) => name));
}

async function listedLast(
  { hash }: CatalogSettings,
  actives: readonly ActiveTarget[],
  stale: ReadonlySet<string>,
  reasons: Exchanging["reasons"],
  ports: RefreshPorts,
): Promise<Listed[]> {
  const listed: Listed[] = [];
  const staleKinds = ports.store.published(hash)?.pointer.staleKinds;
  for (const active of actives) {
    await ports.pause();
    const { name } = active.server;
    const why = reasons.get(name);
    const own = recallTarget(active, stale.has(name) ? (why ?? LAST_FAILED) : undefined, ports, staleKinds);
    listed.push(own.listing === undefined ? { ...own, failure: own.failure ?? why ?? NEVER_LISTED } : own);
  }
  return listed;
}

interface Told {
  readonly comparison: Comparison;
  readonly diff?: DiffRecord;
}

function toldOf({ comparison, diff }: Compared): Told {
  return { comparison, ...(diff === undefined ? {} : { diff: boundDiff(diff, REPORT_ENTRIES_MAX_COUNT) }) };
}

function unmoved(reason: MoveRefusal, found: Partial<Told> & { readonly detail?: string } = {}): MoveRun {
  return { answer: { version: 1, moved: false, reason, ...found }, outcomes: [], unfinished: false };
}

function refusedOutcome({ failureCode, failure, pin }: RefreshOutcome, told: Told): MoveRun {
  if (failureCode === "pin_mismatch") {
    const detail = `gateway.pin expects ${pin?.expected ?? ""}, and this would be ${pin?.actual ?? ""}`;
    return unmoved("pinned", { ...told, detail });
  }
  return unmoved("unpublished", { ...told, ...(failure === undefined ? {} : { detail: failure }) });
}
