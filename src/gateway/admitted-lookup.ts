import type { Catalog } from "../catalog/catalog.ts";
import type { GatewayFailure } from "../errors.ts";
import type { Arrangement, BrowseCard } from "../principal/browse-state.ts";
import { ok, type Result } from "../result.ts";
import { withAdmittedCatalog } from "./admitted-catalog.ts";
import type { GatewayPorts } from "./ports.ts";
import { quotaAsk } from "./quota.ts";
import type { AdmitAsk, RequestContext } from "./request-context.ts";

/** What was found in a catalog that the caller may be answered from. */
export interface Lookup<Found> {
  readonly found: Found;
  readonly generation: number;
  /** The cards in the principal's own order, where they were to be put in it. */
  readonly arrangement: Arrangement | null;
  /** Whether the catalog has other content for the caller than the session knows of: said once. */
  readonly changed: boolean;
}

/**
 * Finds, and asks `admit` once: whether the caller may go on, and for the order of the cards that `toArrange` gives;
 * `undefined` where what was found is nothing to look at. Where the principal has met a newer catalog, that one is loaded and
 * everything is asked again: what was shown before must not go back.
 */
export async function lookUp<Found>(
  find: (catalog: Catalog) => Found,
  toArrange: (found: Found) => readonly BrowseCard[] | undefined,
  context: RequestContext,
  ports: Pick<GatewayPorts, "catalogs" | "log" | "controls" | "newId">,
  metaTool: Parameters<typeof quotaAsk>[0] = "tool_browse",
): Promise<Result<Lookup<Found>, GatewayFailure>> {
  const quota = quotaAsk(metaTool, ports);
  const look = lookAsk(quota, context, ports);
  const looked = await withAdmittedCatalog(
    {
      path: "",
      metaTool,
      make: async (catalog) => {
        const found = find(catalog);
        return ok({ found, cards: toArrange(found), generation: catalog.version.generation });
      },
      ask: ({ cards }, { version }) => ({
        catalogVersion: version,
        ...quota,
        ...(cards === undefined ? {} : look),
        ...(cards !== undefined && cards.length > 0 ? { browse: { cards: [...cards], topK: null } } : {}),
      }),
    },
    context,
    ports,
  );
  if (!looked.ok) {
    if (looked.reason.reason === "not_ready") ports.log(looked.reason.detail);
    return looked;
  }
  const { made, admission } = looked.value;
  const { arrangement, changedFrom } = admission;
  const changed = changedFrom !== undefined && (await ports.catalogs.changedSince(changedFrom, context.sees));
  return ok({ found: made.found, generation: made.generation, arrangement, changed });
}

/** A session's look at the catalog, under a name, so that its repetition is told the same. Without a session nobody remembers it. */
function lookAsk(
  { attempt }: Pick<AdmitAsk, "attempt">,
  { sessionKey }: RequestContext,
  { newId }: Pick<GatewayPorts, "newId">,
): Pick<AdmitAsk, "browses" | "attempt"> {
  return sessionKey === null ? {} : { browses: true, attempt: attempt ?? newId() };
}
