import type { Catalog } from "../catalog/catalog.ts";
import { refusalOf } from "../dispatch/admit.ts";
import type { GatewayFailure } from "../errors.ts";
import type { Arrangement, BrowseCard } from "../principal/browse-state.ts";
import { fail, ok, type Result } from "../result.ts";
import type { GatewayPorts } from "./ports.ts";
import { quotaAsk } from "./quota.ts";
import type { RequestContext } from "./request-context.ts";

/** What was found in a catalog that the caller may be answered from. */
export interface Lookup<Found> {
  readonly found: Found;
  readonly generation: number;
  /** The cards in the principal's own order, where they were to be put in it. */
  readonly arrangement: Arrangement | null;
}

/**
 * Finds, and asks `admit` once: whether the caller may go on, and for the order of the cards that `toArrange` gives. Where
 * the principal has met a newer catalog, that one is loaded and everything is asked again: what was shown before must not
 * go back.
 */
export async function lookUp<Found>(
  find: (catalog: Catalog) => Found,
  toArrange: (found: Found) => readonly BrowseCard[],
  context: RequestContext,
  ports: Pick<GatewayPorts, "catalogs" | "log" | "controls" | "newId">,
): Promise<Result<Lookup<Found>, GatewayFailure>> {
  const { catalogs, log } = ports;
  const quota = quotaAsk("tool_browse", ports);
  let loaded = await catalogs.current();
  for (let attempt = 1; ; attempt += 1) {
    if (!loaded.ok) {
      log(loaded.reason.detail);
      return notReady(loaded.reason.detail);
    }
    const catalog = loaded.value;
    const found = find(catalog);
    const cards = toArrange(found);
    const admission = await context.admit({
      catalogVersion: catalog.version,
      ...quota,
      ...(cards.length > 0 ? { browse: { cards: [...cards], topK: null } } : {}),
    });
    if (!admission.admitted) return fail(refusalOf(admission, "", "tool_browse"));
    if (admission.stale && admission.newestGeneration !== null) {
      if (attempt > 1) return notReady("the newer catalog could not be loaded");
      loaded = await catalogs.atLeast(admission.newestGeneration);
      continue;
    }
    return ok({ found, generation: catalog.version.generation, arrangement: admission.arrangement });
  }
}

function notReady(detail: string): Result<never, GatewayFailure> {
  return fail({ reason: "not_ready", path: "", what: "catalog", detail });
}
