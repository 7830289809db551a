import { CARD_NAME_MAX_CODE_POINTS } from "../../limits.ts";
import { readHints } from "./annotations.ts";
import { displayText, firstCodePoints, wellFormed } from "./display-text.ts";
import { capTags, cleanTag, DESTRUCTIVE_TAG, MCP_TAG, READ_ONLY_TAG, type Safety, safetyOf } from "./tags.ts";

export type CardKind = "tool" | "agent" | "skill" | "internal" | "resource" | "prompt";

/** What a browse shows of one item: these fields in this order, and never a schema (seed 000 §2.1 and §2.2). */
export interface Card {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly kind: CardKind;
  readonly namespace: string;
  readonly has_schema: boolean;
  readonly score?: number;
  readonly cost_hint: number;
  readonly side_effects: boolean;
  readonly safety: Safety;
}

/** A tool as ingest knows it. What came from the server is unknown until it is read here. */
export interface CardInput {
  /** The canonical id. */
  readonly id: string;
  readonly namespace: string;
  readonly upstreamName: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly annotations?: unknown;
  readonly inputSchema?: unknown;
  /** Further tags, beside `mcp` and what the annotations give. */
  readonly tags?: readonly string[];
}

/** The same card with its keys in the contract's order, whatever order they were given in. */
export function orderedCard(card: Card): Card {
  return {
    id: card.id,
    name: card.name,
    description: card.description,
    tags: card.tags,
    kind: card.kind,
    namespace: card.namespace,
    has_schema: card.has_schema,
    ...(card.score === undefined ? {} : { score: card.score }),
    cost_hint: card.cost_hint,
    side_effects: card.side_effects,
    safety: card.safety,
  };
}

/** The card with a rank's score; no score where JSON could not carry it. */
export function withScore(card: Card, score: number): Card {
  const { score: _replaced, ...rest } = card;
  return orderedCard(Number.isFinite(score) ? { ...rest, score } : rest);
}

/** The first candidate that shows something, as one line. */
export function firstSeen(candidates: readonly unknown[]): string {
  for (const candidate of candidates) {
    const text = typeof candidate === "string" ? displayText(candidate) : "";
    if (text !== "") return text;
  }
  return "";
}

function hasFields(schema: unknown): boolean {
  return (
    typeof schema === "object" && schema !== null && !Array.isArray(schema) && Object.keys(schema).length > 0
  );
}

/**
 * The card of a tool, its description in full: `cardLine` cuts it, since the cut depends on the line. A description that
 * says nothing is replaced by the title, and that by the upstream name. Never throws.
 */
export function buildCard(input: CardInput): Card {
  const hints = readHints(input.annotations);
  const tags = [
    MCP_TAG,
    ...(hints.readOnly ? [READ_ONLY_TAG] : []),
    ...(hints.destructive ? [DESTRUCTIVE_TAG] : []),
    ...(input.tags ?? []).map(cleanTag),
  ];
  return {
    id: input.id,
    name: firstCodePoints(wellFormed(input.upstreamName), CARD_NAME_MAX_CODE_POINTS),
    description: firstSeen([input.description, input.title, hints.title, input.upstreamName, input.id]),
    tags: capTags(tags),
    kind: "tool",
    namespace: input.namespace,
    has_schema: hasFields(input.inputSchema),
    cost_hint: hints.costHint,
    side_effects: !hints.readOnly,
    safety: safetyOf(tags),
  };
}

/** A place in a catalog that has tools, or items of another kind, under it. It names itself by its path and says how many. */
export function navigationCard(
  path: string,
  count: number,
  kind: "tool" | "resource" | "prompt" = "tool",
): Card {
  const segments = path.split("/").filter((segment) => segment !== "");
  return {
    id: path,
    name: firstCodePoints(segments.at(-1) ?? "", CARD_NAME_MAX_CODE_POINTS),
    description: count === 1 ? `1 ${kind}` : `${count} ${kind}s`,
    tags: [],
    kind: "internal",
    namespace: segments[0] ?? "",
    has_schema: false,
    cost_hint: 0,
    side_effects: false,
    safety: "",
  };
}

/** Where a client may put its cache breakpoint (seed 000 §5): between what it has seen and what is new. */
export const CACHE_BREAKPOINT_CARD: Card = {
  id: "__cache_breakpoint__",
  name: "cache_breakpoint",
  description: "",
  tags: [],
  kind: "internal",
  namespace: "",
  has_schema: false,
  cost_hint: 0,
  side_effects: false,
  safety: "",
};
