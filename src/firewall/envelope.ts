import { isExactNumber } from "../exact-json/exact-number.ts";
import { exactJsonText } from "../exact-json/write.ts";
import { isJsonArray, memberOf } from "../json.ts";
import { ANNOTATIONS_MAX_CHARS, READER_MAX_CODE_POINTS } from "../limits.ts";
import type { ReplayContract } from "../spine/replay/contract.ts";
import type { Selector } from "./view/selector.ts";
import { seen } from "./summary/neutral.ts";
import type { Part } from "./result/tool-result.ts";

/** A result as programs read it (CONTRACTS "Execute object"), its keys in this order. */
export interface Envelope {
  readonly status: "ok" | "error" | "partial";
  readonly summary: string;
  readonly facts: readonly string[];
  readonly artifacts: readonly EnvelopeArtifact[];
  readonly views: readonly EnvelopeView[];
  readonly provenance: {
    readonly tool_id: string;
    readonly upstream: string;
    readonly content_annotations?: readonly Readonly<Record<string, unknown>>[];
  } & CallProvenance;
  /** Before: every payload once, however often it was sent. After: the text that a model reads. Tokens are estimates. */
  readonly firewall_stats: {
    readonly original_bytes: number;
    readonly original_tokens: number;
    readonly shown_tokens: number;
  };
  readonly structured_content?: unknown;
}

/** What was done to the call besides making it; absent where nothing was. */
export interface CallProvenance {
  readonly arg_repairs?: readonly { readonly path: string; readonly rule: string }[];
  /** How many more repairs there were. */
  readonly arg_repairs_untold?: number;
  readonly cache_hit?: true;
  /** How often it was sent, where that was more than once. */
  readonly attempts?: number;
  /** What may run again of the tool. */
  readonly replay?: ReplayContract;
  /** How many secrets were taken out, where the operator asked for that. */
  readonly redactions?: number;
}

export interface EnvelopeArtifact {
  readonly handle: string;
  readonly media_type: string;
  readonly size_bytes: number;
  readonly label: string;
}

export interface EnvelopeView {
  readonly handle: string;
  readonly selector: Selector;
  readonly label: string;
}

/**
 * Seed 001: who a part is for and how much it matters, by the part's place in the upstream's content. As many as fit; an
 * audience is a word or two, so only hundreds of parts do not.
 */
export function contentAnnotations(parts: readonly Part[]): Readonly<Record<string, unknown>>[] {
  let left = ANNOTATIONS_MAX_CHARS;
  return parts.flatMap((part, index) => {
    const audience = memberOf(part["annotations"], "audience");
    const priority = memberOf(part["annotations"], "priority");
    const known = {
      ...(isJsonArray(audience)
        ? { audience: audience.flatMap(shownReader).slice(0, READERS_MAX_COUNT) }
        : {}),
      ...(typeof priority === "number" || isExactNumber(priority) ? { priority } : {}),
    };
    if (Object.keys(known).length === 0) return [];
    const annotation = { part_index: index, ...known };
    left -= exactJsonText(annotation).length;
    return left < 0 ? [] : [annotation];
  });
}

/** MCP knows two, `user` and `assistant`; others are words of the server's. */
const READERS_MAX_COUNT = 4;

function shownReader(reader: unknown): string[] {
  return typeof reader === "string" ? [seen(reader, READER_MAX_CODE_POINTS)] : [];
}
