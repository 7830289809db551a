import { type GatewayFailure, toWire } from "../../errors.ts";
import type { PrimitiveKind } from "../../identity/primitive-id.ts";
import { EVENT_IDS_MAX_COUNT } from "../../limits/spine.ts";
import { isCatalogId } from "../../spine/telemetry/identifiers.ts";
import { type CallEventOf, counts, UNNAMED } from "./call-event.ts";

/** What was asked of the catalog, as numbers; a query and a path are the caller's own words. */
export interface BrowseAsked {
  /** Absent: tools. */
  readonly kind?: PrimitiveKind;
  readonly queryChars?: number;
  readonly pathDepth?: number;
}

/** What a browse found. */
export interface BrowseFound {
  readonly cards: readonly { readonly id: string }[];
  readonly total: number;
  readonly generation: number;
  readonly ambiguous: boolean;
  readonly weak: boolean;
}

export function browseCompleted(
  asked: BrowseAsked,
  { cards, total, generation, ambiguous, weak }: BrowseFound,
): CallEventOf<"browse.completed"> {
  // Cards of places have paths for ids.
  const toolIds = cards.map(({ id }) => id).filter(isCatalogId);
  return {
    event: "browse.completed",
    success: true,
    ...UNNAMED,
    attributes: {
      card_count: cards.length,
      ...query(asked),
      ...counts({ total_count: total, generation }),
      ambiguous,
      weak,
      tool_ids: toolIds.slice(0, EVENT_IDS_MAX_COUNT),
    },
  };
}

/** `asked` is nothing where the arguments could not be read. */
export function browseFailed(
  asked: BrowseAsked | null,
  failure: GatewayFailure,
): CallEventOf<"browse.failed"> {
  const { error, retryable } = toWire(failure);
  return {
    event: "browse.failed",
    success: false,
    ...UNNAMED,
    attributes: { error_code: error, retryable, ...(asked === null ? {} : query(asked)) },
  };
}

function query({ kind = "tool", queryChars, pathDepth }: BrowseAsked) {
  return { primitive: kind, ...counts({ query_chars: queryChars, path_depth: pathDepth }) } as const;
}
