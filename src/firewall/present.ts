import {
  UNKEPT_TEXT_MAX_CODE_POINTS,
  VIEW_BYTES_DEFAULT_BYTES,
  VIEW_LINES_PROPOSED_COUNT,
} from "../limits.ts";
import type { Result } from "../result.ts";
import type { ArtifactRecord, ArtifactsUnreachable } from "./artifact.ts";
import { contentAnnotations, type Envelope, factsOf } from "./envelope.ts";
import { type Keepsake, sortResult, type Sorted } from "./keepsakes.ts";
import type { Selector } from "./selector.ts";
import { cutPoints, summarise } from "./summary.ts";
import { estimateTokens } from "./token-estimate.ts";
import type { Part, ToolResult } from "./tool-result.ts";

/** Writes one artifact of the call at hand. */
export type Keep = (keepsake: Keepsake) => Promise<Result<ArtifactRecord, ArtifactsUnreachable>>;

/** A result as it is shown: the parts of the answer and the envelope for programs. */
export interface Presented {
  /** Porcelain: what a model reads. */
  readonly content: readonly Part[];
  /** Parts that follow the envelope in the JSON render. */
  readonly beside: readonly Part[];
  readonly envelope: Envelope;
  readonly isError: boolean;
  readonly meta: ToolResult["meta"];
  /** What was written, for the ledger. */
  readonly records: readonly ArtifactRecord[];
  /** Why something could not be kept, for the operator's log. */
  readonly failures: readonly string[];
}

interface Kept {
  readonly keepsake: Keepsake;
  readonly record: ArtifactRecord | undefined;
}

const NO_TEXT = "(no text)";

/**
 * Makes a result fit: small ones stay as they came, of large ones a summary is shown and the rest is kept under handles.
 * A store that fails loses no answer: what fits is shown, and what is missing is named.
 */
export async function presentResult(
  result: ToolResult,
  tool: { readonly id: string; readonly server: string },
  keep: Keep,
): Promise<Presented> {
  const sorted = sortResult(result);
  const failures: string[] = [];
  const attempt = async (keepsake: Keepsake): Promise<Kept> => {
    const kept = await keep(keepsake);
    if (!kept.ok) failures.push(kept.reason.detail);
    return { keepsake, record: kept.ok ? kept.value : undefined };
  };
  const wanted = [sorted.keepText, sorted.keepStructured, ...sorted.keepParts];
  const kept = await Promise.all(wanted.filter((keepsake) => keepsake !== undefined).map(attempt));
  const shown = kept.length === 0 ? showSmall(result, sorted) : showLarge(sorted, kept);
  const annotations = contentAnnotations(result.content);
  const records = kept.flatMap(({ record }) => (record === undefined ? [] : [record]));
  const partial = kept.some(({ keepsake, record }) => record === undefined && isLost(keepsake));
  const envelope: Envelope = {
    status: result.isError ? "error" : partial ? "partial" : "ok",
    summary: shown.summary,
    facts: factsOf(result.structured),
    artifacts: kept.flatMap(({ keepsake: { label }, record }) =>
      record === undefined
        ? []
        : [{ handle: record.handle, media_type: record.mediaType, size_bytes: record.sizeBytes, label }],
    ),
    views: records.map((record) => ({
      handle: record.handle,
      selector: proposed(record),
      label: record.lines === null ? "first bytes" : "first lines",
    })),
    provenance: {
      tool_id: tool.id,
      upstream: tool.server,
      ...(annotations.length === 0 ? {} : { content_annotations: annotations }),
    },
    firewall_stats: statsOf(sorted, kept, shown.summary),
    ...(result.structured === undefined ||
    sorted.keepStructured !== undefined ||
    kept[0]?.keepsake.label === "text"
      ? {}
      : { structured_content: result.structured }),
  };
  return {
    content: shown.content,
    beside: shown.beside,
    envelope,
    isError: result.isError,
    meta: result.meta,
    records,
    failures,
  };
}

interface Shown {
  readonly summary: string;
  readonly content: readonly Part[];
  readonly beside: readonly Part[];
}

function showSmall(result: ToolResult, { text, structuredText, others }: Sorted): Shown {
  const only = result.content.length === 0 && structuredText !== "";
  return {
    summary: only ? structuredText : text,
    content: only ? [textPart(structuredText)] : result.content,
    beside: others,
  };
}

function showLarge(sorted: Sorted, kept: readonly Kept[]): Shown {
  const summary = summaryOf(sorted, kept);
  const lines = kept.flatMap((each) => lineOf(each, summary));
  const replaced = new Set(kept.filter((each) => isReplaced(each)).map(({ keepsake }) => keepsake.part));
  const others = sorted.others.filter((part) => !replaced.has(part));
  return { summary, content: [summary, ...lines].map(textPart).concat(others), beside: others };
}

/** The whole text where it is small, else its summary, or as much of it as fits where it could not be kept. */
function summaryOf({ text, structuredText }: Sorted, kept: readonly Kept[]): string {
  const main = kept.find(
    ({ keepsake }) => keepsake.label === "text" || (text === "" && keepsake.label === "structured content"),
  );
  if (main === undefined) return text === "" ? NO_TEXT : text;
  const whole = text === "" ? structuredText : text;
  return main.record === undefined ? cutPoints(whole, UNKEPT_TEXT_MAX_CODE_POINTS) : summarise(whole);
}

/** The line by which a model finds an artifact again (CONTRACTS "Large result"), or learns that it cannot. */
function lineOf({ keepsake, record }: Kept, summary: string): string[] {
  if (record !== undefined) {
    const call = JSON.stringify({ handle: record.handle, selector: proposed(record) });
    return [`kept ${record.mediaType} ${record.sizeBytes} bytes: tool_view ${call}`];
  }
  if (!isLost(keepsake) || keepsake.text === summary) return [];
  return [`not kept ${keepsake.mediaType} ${keepsake.bytes.length} bytes: the artifact store did not answer`];
}

/** Binary content that could not be kept is shown as it came; a text of any length cannot be. */
function isLost(keepsake: Keepsake): boolean {
  return keepsake.text !== undefined;
}

function isReplaced({ keepsake, record }: Kept): boolean {
  return record !== undefined || isLost(keepsake);
}

function proposed(record: ArtifactRecord): Selector {
  return record.lines === null
    ? { type: "bytes", offset: 0, length: VIEW_BYTES_DEFAULT_BYTES }
    : { type: "lines", start: 0, end: VIEW_LINES_PROPOSED_COUNT };
}

function statsOf(sorted: Sorted, kept: readonly Kept[], summary: string): Envelope["firewall_stats"] {
  const only = sorted.text === "";
  const text = only ? sorted.structuredText : sorted.text;
  const tokens = only ? sorted.structuredTokens : sorted.textTokens;
  const beside = kept.filter(({ keepsake }) => keepsake.part !== undefined);
  return {
    original_bytes:
      new TextEncoder().encode(text).length +
      beside.reduce((sum, { keepsake }) => sum + keepsake.bytes.length, 0),
    original_tokens:
      tokens + beside.reduce((sum, { keepsake }) => sum + estimateTokens(keepsake.text ?? ""), 0),
    shown_tokens: kept.length === 0 ? tokens : estimateTokens(summary),
  };
}

function textPart(text: string): Part {
  return { type: "text", text };
}
