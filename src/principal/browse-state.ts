import { compareCodePoints } from "../code-points.ts";
import { SEEN_CARDS_MAX_BYTES, SEEN_CARDS_MAX_COUNT } from "../limits.ts";

/**
 * Cache-stable browsing (seed 000 §5): what a session has seen comes first, in the bytes in which it was first seen, so
 * that a client's prompt cache holds; what is new follows behind a breakpoint.
 */

/** One card as browse renders it: its compact JSON and its line. */
export interface BrowseCard {
  readonly id: string;
  /** `internal` cards are places to go, not tools; they are shown and never recorded, since their counts vary. */
  readonly kind: string;
  readonly json: string;
  readonly line: string;
}

/** The catalog that cards come from: which configuration's, and its generation. */
export interface CatalogVersion {
  readonly catalog: string;
  readonly generation: number;
}

export interface BrowseState {
  readonly version: CatalogVersion;
  /** By id, as first seen. */
  readonly seen: ReadonlyMap<string, BrowseCard>;
}

export interface Arrangement {
  /** The cards to show, without the breakpoint. */
  readonly cards: readonly BrowseCard[];
  /** The breakpoint stands before the card at this index; `null` where one side of it would be empty. */
  readonly breakpointAt: number | null;
}

/** The state to judge a browse of `version` with: what is known, or nothing where the catalog has moved since. */
export function stateFor(known: BrowseState | null, version: CatalogVersion): BrowseState {
  const same = known?.version.catalog === version.catalog && known.version.generation === version.generation;
  return known !== null && same ? known : { version, seen: new Map() };
}

/**
 * Orders one browse's cards: the first `topK` of `ranked` (`null`: all) are shown, seen ones first, each part by id in code
 * points. A card that the limit cut does not become seen. A repeated id is shown once.
 *
 * The seen set is bounded in cards and bytes, and nothing ever leaves it: at the bound what it holds keeps its bytes and
 * its place before the breakpoint, and a card that no longer fits stays behind it, as it is now.
 */
export function arrange(
  state: BrowseState,
  ranked: readonly BrowseCard[],
  topK: number | null,
): { readonly arrangement: Arrangement; readonly state: BrowseState } {
  const shown = new Map<string, BrowseCard>();
  for (const card of ranked) {
    if (topK !== null && shown.size >= topK) break;
    if (!shown.has(card.id)) shown.set(card.id, card);
  }
  const stable: BrowseCard[] = [];
  const fresh: BrowseCard[] = [];
  for (const card of shown.values()) {
    const frozen = state.seen.get(card.id);
    if (frozen === undefined) fresh.push(card);
    else stable.push(frozen);
  }
  stable.sort(byId);
  fresh.sort(byId);
  const breakpointAt = stable.length > 0 && fresh.length > 0 ? stable.length : null;
  return { arrangement: { cards: [...stable, ...fresh], breakpointAt }, state: withSeen(state, fresh) };
}

/** The state after a model has seen these cards some other way (seed 000 §5.1: hydrated); the first sight stands. */
export function withSeen(state: BrowseState, cards: readonly BrowseCard[]): BrowseState {
  let bytes = 0;
  for (const card of state.seen.values()) bytes += sizeOf(card);
  const seen = new Map(state.seen);
  for (const card of cards) {
    if (card.kind === "internal" || seen.has(card.id)) continue;
    bytes += sizeOf(card);
    if (seen.size >= SEEN_CARDS_MAX_COUNT || bytes > SEEN_CARDS_MAX_BYTES) break;
    seen.set(card.id, card);
  }
  return seen.size === state.seen.size ? state : { version: state.version, seen };
}

/** The seen cards as text for one row. */
export function encodeSeen(state: BrowseState): string {
  return JSON.stringify([...state.seen.values()].map(({ id, kind, json, line }) => [id, kind, json, line]));
}

/** The seen cards of a row; a row that cannot be read counts as nothing seen, which costs a cache miss. */
export function decodeSeen(version: CatalogVersion, text: string): BrowseState {
  const seen = new Map<string, BrowseCard>();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { version, seen };
  }
  for (const row of Array.isArray(value) ? value : []) {
    const fields: readonly unknown[] = Array.isArray(row) ? row : [];
    const [id, kind, json, line] = fields;
    if (typeof id !== "string" || typeof kind !== "string") continue;
    if (typeof json !== "string" || typeof line !== "string") continue;
    seen.set(id, { id, kind, json, line });
  }
  return { version, seen };
}

const encoder = new TextEncoder();

function sizeOf(card: BrowseCard): number {
  return encoder.encode(card.id + card.json + card.line).length;
}

function byId(left: BrowseCard, right: BrowseCard): number {
  return compareCodePoints(left.id, right.id);
}
