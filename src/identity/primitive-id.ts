import { fail, ok, type Result } from "../result.ts";
import { formatToolId, parseToolId, type ToolIdParts, type ToolIdReason } from "./tool-id.ts";

/** What MCP lets a client choose from. */
export type PrimitiveKind = "tool" | "resource" | "prompt";

/** An id of any kind in its parts (seed 000 §9.1). */
export interface PrimitiveIdParts extends ToolIdParts {
  readonly kind: PrimitiveKind;
}

export type PrimitiveIdReason = ToolIdReason | "unknown_kind";

const KIND_MARK = "::";

/** Assembles `[kind::]namespace:name[@version][#hash8]`; a tool's kind is never written. */
export function formatPrimitiveId(parts: PrimitiveIdParts): Result<string, ToolIdReason> {
  const body = formatToolId(parts);
  return body.ok && parts.kind !== "tool" ? ok(`${parts.kind}${KIND_MARK}${body.value}`) : body;
}

/**
 * Splits a canonical id of any kind. No tool id can have `::` in it, so the three kinds never share an id. The `~N`
 * key of a collision is not canonical and is refused.
 */
export function parsePrimitiveId(id: string): Result<PrimitiveIdParts, PrimitiveIdReason> {
  const mark = id.indexOf(KIND_MARK);
  const kind = mark === -1 ? "tool" : writtenKind(id.slice(0, mark));
  if (kind === undefined) return fail("unknown_kind");
  const body = parseToolId(mark === -1 ? id : id.slice(mark + KIND_MARK.length));
  return body.ok ? ok({ kind, ...body.value }) : body;
}

/** What kind of thing an id names, whether it is canonical or the `~N` key of a collision. */
export function kindOfId(id: string): PrimitiveKind {
  const mark = id.indexOf(KIND_MARK);
  return (mark === -1 ? undefined : writtenKind(id.slice(0, mark))) ?? "tool";
}

function writtenKind(text: string): PrimitiveKind | undefined {
  return text === "resource" || text === "prompt" ? text : undefined;
}
