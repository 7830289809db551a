import type { Catalog } from "../catalog/catalog.ts";
import { navigationCard, orderedCard, withScore, type Card } from "../catalog/cards/card.ts";
import { parsePath } from "../catalog/tree/path.ts";
import type { GatewayFailure } from "../errors.ts";
import type { ToolAnswer } from "../surface.ts";
import type { Arrangement, BrowseCard } from "../principal/browse-state.ts";
import { fail, ok, type Result } from "../result.ts";
import { errorAnswer, shownPath } from "./answers.ts";
import { type BrowseArguments, readBrowseArguments } from "./arguments.ts";
import { type BrowsePage, browseAnswer } from "./browse-answer.ts";
import type { GatewayPorts } from "./ports.ts";
import type { RequestContext } from "./request-context.ts";

/** What was found, before it is put in the principal's order. */
type Found = Omit<BrowsePage, "generation" | "cards" | "breakpointAt"> & {
  readonly cards: readonly BrowseCard[];
};

/** `tool_browse`: the tools that a query means, or what a path leads to. */
export async function browse(
  args: unknown,
  context: RequestContext,
  ports: GatewayPorts,
): Promise<ToolAnswer> {
  const read = readBrowseArguments(args);
  if (!read.ok) return errorAnswer(read.reason);
  const page = await browsePage(read.value, context, ports);
  return page.ok ? browseAnswer(page.value, read.value.render) : errorAnswer(page.reason);
}

/**
 * Finds, asks `admit` once, and arranges. Where the principal has met a newer catalog, that one is loaded and everything
 * is asked again: what was shown before must not go back.
 */
async function browsePage(
  asked: BrowseArguments,
  context: RequestContext,
  ports: GatewayPorts,
): Promise<Result<BrowsePage, GatewayFailure>> {
  let loaded = await ports.catalogs.current();
  for (let attempt = 1; ; attempt += 1) {
    if (!loaded.ok) return fail(notReady("catalog", loaded.reason.detail));
    const catalog = loaded.value;
    const found = find(asked, catalog, context, ports);
    const cards = found.ok ? found.value.cards : [];
    const admission = await context.admit({
      catalogVersion: catalog.version,
      ...(ports.settings.cacheStable && cards.length > 0
        ? { browse: { cards: [...cards], topK: null } }
        : {}),
    });
    if (!admission.admitted) return fail(notReady("principal", `admit: ${admission.reason}`));
    if (admission.stale && admission.newestGeneration !== null) {
      if (attempt > 1) return fail(notReady("catalog", "the newer catalog could not be loaded"));
      loaded = await ports.catalogs.atLeast(admission.newestGeneration);
      continue;
    }
    if (!found.ok) return found;
    const arrangement: Arrangement = admission.arrangement ?? { cards, breakpointAt: null };
    return ok({ ...found.value, ...arrangement, generation: catalog.version.generation });
  }
}

function find(
  asked: BrowseArguments,
  catalog: Catalog,
  { sees }: RequestContext,
  ports: GatewayPorts,
): Result<Found, GatewayFailure> {
  return asked.path === undefined
    ? ok(search(asked.query, asked.topK ?? ports.settings.topK, catalog, sees))
    : list(asked.path, catalog, sees);
}

function search(query: string, topK: number, catalog: Catalog, sees: RequestContext["sees"]): Found {
  const { hits, total, ambiguous, weak } = catalog.search(query, topK, sees);
  const cards = hits.flatMap(({ id, score }) => {
    const tool = catalog.find(id);
    return tool === undefined ? [] : [browseCard(withScore(tool.card, score), tool.line)];
  });
  if (cards.length > 0) return { cards, total, ambiguous, weak };
  const namespaces = catalog.namespaces(sees).map(({ namespace }) => namespace);
  return { cards, total: 0, ambiguous: false, weak: false, unmatched: namespaces };
}

function list(path: string, catalog: Catalog, sees: RequestContext["sees"]): Result<Found, GatewayFailure> {
  const parsed = parsePath(path);
  if (!parsed.ok) {
    const { problem, suggestion } = parsed.reason;
    const meant = nearestTo(suggestion, catalog, sees);
    return fail({ reason: "path_invalid", path: shownPath(path), problem, try: meant });
  }
  const listing = catalog.resolve(parsed.value, sees);
  if (!listing.ok) {
    const { nearest, suggestions } = listing.reason;
    return fail({ reason: "path_not_found", path: shownPath(path), nearest, try: suggestions });
  }
  const cards = listing.value.entries.flatMap((entry) => {
    if (entry.kind === "node") return [navigation(entry.path, entry.count)];
    const tool = catalog.find(entry.id);
    return tool === undefined ? [] : [browseCard(orderedCard(tool.card), tool.line)];
  });
  const empty = cards.length === 0 ? { note: "the catalog has no tools" } : {};
  return ok({ cards, total: cards.length, ambiguous: false, weak: false, ...empty });
}

/** The path that was most likely meant as far as it exists: what is proposed has to work. */
function nearestTo(suggestion: string | undefined, catalog: Catalog, sees: RequestContext["sees"]): string {
  const parsed = parsePath(suggestion);
  if (!parsed.ok) return "/";
  const listing = catalog.resolve(parsed.value, sees);
  return listing.ok ? parsed.value.text : listing.reason.nearest;
}

function navigation(path: string, tools: number): BrowseCard {
  const card = navigationCard(path, tools);
  return browseCard(card, `${card.id} — ${card.description}`);
}

function browseCard(card: Card, line: string): BrowseCard {
  return { id: card.id, kind: card.kind, json: JSON.stringify(card), line };
}

function notReady(what: "catalog" | "principal", detail: string): GatewayFailure {
  return { reason: "not_ready", path: "", what, detail };
}
