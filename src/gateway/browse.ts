import type { Catalog } from "../catalog/catalog.ts";
import { navigationCard, orderedCard } from "../catalog/cards/card.ts";
import { parsePath } from "../catalog/tree/path.ts";
import type { GatewayFailure } from "../errors.ts";
import type { PrimitiveKind } from "../identity/primitive-id.ts";
import type { ToolAnswer } from "../surface.ts";
import type { BrowseCard } from "../principal/browse-state.ts";
import { fail, ok, type Result } from "../result.ts";
import { lookUp } from "./admitted-lookup.ts";
import { errorAnswer, shownPath } from "./answers.ts";
import { type BrowseArguments, readBrowseArguments } from "./arguments.ts";
import { type BrowsePage, browseAnswer, withChangeNote } from "./browse-answer.ts";
import type { CallContext } from "./call-context.ts";
import { BROWSE_OF } from "./meta-tools.ts";
import type { GatewayPorts } from "./ports.ts";
import { catalogOf } from "./primitives/kind-catalogs.ts";
import type { RequestContext } from "./request-context.ts";
import { type BrowseAsked, browseCompleted, browseFailed } from "./telling/browse-event.ts";
import { browseCard, search } from "./search.ts";

/** What was found, before it is put in the principal's order. */
type Found = Omit<BrowsePage, "generation" | "cards" | "breakpointAt"> & {
  readonly cards: readonly BrowseCard[];
};

/** `tool_browse`, `resource_browse`, `prompt_browse`: what a query means, or what a path leads to, of one kind alone. */
export async function browse(
  kind: PrimitiveKind,
  args: unknown,
  context: CallContext,
  ports: GatewayPorts,
): Promise<ToolAnswer> {
  const read = readBrowseArguments(args, BROWSE_OF[kind]);
  if (!read.ok) return refuse(kind === "tool" ? null : { kind }, read.reason, context);
  const asked = numbersOf(kind, read.value);
  const page = await browsePage(kind, read.value, context, ports);
  if (!page.ok) return refuse(asked, page.reason, context);
  context.tell(browseCompleted(asked, page.value));
  return browseAnswer(page.value, read.value.render);
}

function refuse(asked: BrowseAsked | null, failure: GatewayFailure, context: CallContext): ToolAnswer {
  context.tell(browseFailed(asked, failure));
  return errorAnswer(failure);
}

/** How much was asked, for the record. */
function numbersOf(kind: PrimitiveKind, { query, path }: BrowseArguments): BrowseAsked {
  if (path === undefined) return { kind, queryChars: query.length };
  const parsed = parsePath(path);
  return parsed.ok ? { kind, pathDepth: parsed.value.segments.length } : { kind };
}

/** Finds, and arranges where order is cache-stable. */
async function browsePage(
  kind: PrimitiveKind,
  asked: BrowseArguments,
  context: RequestContext,
  ports: GatewayPorts,
): Promise<Result<BrowsePage, GatewayFailure>> {
  const { cacheStable } = ports.settings;
  const looked = await lookUp(
    (catalog) => find(kind, asked, catalogOf(kind, catalog), context, ports),
    (found) => (found.ok ? (cacheStable ? found.value.cards : []) : undefined),
    context,
    ports,
    BROWSE_OF[kind],
  );
  if (!looked.ok) return looked;
  const { found, generation, arrangement, changed } = looked.value;
  if (!found.ok) return found;
  const { cards } = found.value;
  const page = { ...found.value, ...(arrangement ?? { cards, breakpointAt: null }), generation };
  return ok(changed ? withChangeNote(page) : page);
}

function find(
  kind: PrimitiveKind,
  asked: BrowseArguments,
  catalog: Catalog,
  { sees }: RequestContext,
  ports: GatewayPorts,
): Result<Found, GatewayFailure> {
  return asked.path === undefined
    ? ok(search(asked.query, asked.topK ?? ports.settings.topK, catalog, sees))
    : list(kind, asked.path, catalog, sees);
}

function list(
  kind: PrimitiveKind,
  path: string,
  catalog: Catalog,
  sees: RequestContext["sees"],
): Result<Found, GatewayFailure> {
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
    if (entry.kind === "node") return [navigation(kind, entry.path, entry.count)];
    const tool = catalog.find(entry.id);
    return tool === undefined ? [] : [browseCard(orderedCard(tool.card), tool.line)];
  });
  const empty = cards.length === 0 ? { note: `the catalog has no ${kind}s` } : {};
  return ok({ cards, total: cards.length, ambiguous: false, weak: false, ...empty });
}

/** The path that was most likely meant as far as it exists: what is proposed has to work. */
function nearestTo(suggestion: string | undefined, catalog: Catalog, sees: RequestContext["sees"]): string {
  const parsed = parsePath(suggestion);
  if (!parsed.ok) return "/";
  const listing = catalog.resolve(parsed.value, sees);
  return listing.ok ? parsed.value.text : listing.reason.nearest;
}

function navigation(kind: PrimitiveKind, path: string, count: number): BrowseCard {
  const card = { ...navigationCard(path, count), description: `${count} ${kind}${count === 1 ? "" : "s"}` };
  return browseCard(card, `${card.id} — ${card.description}`);
}
