import { CACHE_BREAKPOINT_CARD } from "../catalog/cards/card.ts";
import {
  BROWSE_CHANGE_NOTE_TOKENS,
  BROWSE_EMPTY_FRAME_TOKENS,
  BROWSE_EMPTY_MAX_TOKENS,
  BROWSE_NAMESPACES_MAX_COUNT,
} from "../limits.ts";
import { nameTokens } from "../schema/name-tokens.ts";
import type { ToolAnswer } from "../surface.ts";
import type { BrowseCard } from "../principal/browse-state.ts";
import { objectAnswer, type Render, textPart } from "./answers.ts";

/** One browse, found and arranged. */
export interface BrowsePage {
  readonly cards: readonly BrowseCard[];
  /** Where the breakpoint stands among the cards. */
  readonly breakpointAt: number | null;
  /** Matches before the limit. */
  readonly total: number;
  readonly generation: number;
  readonly ambiguous: boolean;
  readonly weak: boolean;
  /** Where a query matched nothing: all namespaces there are, sorted. */
  readonly unmatched?: readonly string[];
  readonly note?: string;
}

const CHANGED = "the catalog has changed since your last look";

/** The page with the word that the catalog is another one than before: behind all else, since it varies. */
export function withChangeNote(page: BrowsePage): BrowsePage {
  return { ...page, note: page.note === undefined ? CHANGED : `${page.note}; ${CHANGED}` };
}

/** A page in either render (CONTRACTS "Browse object" and "Wire text"). Its cards come first, and nothing before them. */
export function browseAnswer(page: BrowsePage, render: Render): ToolAnswer {
  const namespaces = page.unmatched === undefined ? undefined : affordable(page.unmatched, page.note);
  const object = {
    cards: withBreakpoint(
      page.cards.map(({ json }): unknown => JSON.parse(json)),
      page.breakpointAt,
      CACHE_BREAKPOINT_CARD,
    ),
    total: page.total,
    generation: page.generation,
    ...(page.ambiguous ? { ambiguous: true } : {}),
    ...(page.weak ? { weak: true } : {}),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(page.note === undefined ? {} : { note: page.note }),
  };
  return objectAnswer(render, object, [textPart(linesOf(page, namespaces).join("\n"))]);
}

function linesOf(page: BrowsePage, namespaces: readonly string[] | undefined): string[] {
  const lines = withBreakpoint(
    page.cards.map(({ line }) => line),
    page.breakpointAt,
    CACHE_BREAKPOINT_CARD.id,
  );
  if (namespaces !== undefined) lines.push(noMatch(namespaces, page.unmatched?.length ?? 0));
  if (page.ambiguous) lines.push("ambiguous: near tie at the top");
  if (page.weak) lines.push("weak: no close match");
  if (page.note !== undefined) lines.push(`note: ${page.note}`);
  return lines;
}

function noMatch(named: readonly string[], all: number): string {
  const paths = named.length === 0 ? ["/"] : named.map((namespace) => `/${namespace}`);
  const more = all > named.length ? ` +${all - named.length} more` : "";
  return `no match; try other words or a path: ${paths.join(" ")}${more}`;
}

/** The first namespaces, fewer where their names are so long that an empty answer would cost more than it may. */
function affordable(namespaces: readonly string[], note: string | undefined): string[] {
  const named: string[] = [];
  const noted = note === undefined ? 0 : BROWSE_CHANGE_NOTE_TOKENS;
  let left = BROWSE_EMPTY_MAX_TOKENS - BROWSE_EMPTY_FRAME_TOKENS - noted;
  for (const namespace of namespaces.slice(0, BROWSE_NAMESPACES_MAX_COUNT)) {
    // What stands between two names is one token in either render: a space and a slash, or quotes and a comma.
    left -= nameTokens(namespace) + 1;
    if (left < 0) break;
    named.push(namespace);
  }
  return named;
}

function withBreakpoint<Item>(items: readonly Item[], at: number | null, breakpoint: Item): Item[] {
  return at === null ? [...items] : [...items.slice(0, at), breakpoint, ...items.slice(at)];
}
