import { exactJsonText } from "../exact-json/write.ts";
import {
  ARTIFACT_NAME_SHOWN_MAX_CODE_POINTS,
  UNKEPT_TEXT_MAX_CODE_POINTS,
  VIEW_BYTES_DEFAULT_BYTES,
  VIEW_LINES_PROPOSED_COUNT,
} from "../limits.ts";
import type { Result } from "../result.ts";
import type { ArtifactRecord, ArtifactsUnreachable } from "./artifacts/artifact.ts";
import { type CallProvenance, contentAnnotations, type Envelope, factsOf } from "./envelope.ts";
import type { Keepsake } from "./result/keepsake.ts";
import { sortResult, type Sorted } from "./result/keepsakes.ts";
import type { Selector } from "./view/selector.ts";
import { cutPoints, summarise } from "./summary/summary.ts";
import { estimateTokens } from "./result/token-estimate.ts";
import type { Part, ToolResult } from "./result/tool-result.ts";
import { utf8Bytes } from "./result/utf8.ts";

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
  /** What kept parts said beside their bytes, under their handles; programs see it, models do not. */
  readonly keptParts: readonly { readonly handle: string; readonly part: Part }[];
  /** Top-level members that are passed on as they came. */
  readonly foreign: ToolResult["foreign"];
  /** What was written, for the ledger. */
  readonly records: readonly ArtifactRecord[];
  /** What could not be kept or passed on and why, for the operator's log. */
  readonly failures: readonly string[];
}

interface Kept {
  readonly keepsake: Keepsake;
  readonly record: ArtifactRecord | undefined;
  /** Not kept, and not to be shown either. */
  readonly lost: boolean;
}

const NO_TEXT = "(no text)";

/**
 * Makes a result fit: small ones stay as they came, of large ones a summary is shown and the rest is kept under handles.
 * A store that fails loses no answer: what fits is shown, and what is missing is named.
 */
export async function presentResult(
  result: ToolResult,
  tool: { readonly id: string; readonly server: string },
  call: CallProvenance,
  keep: Keep,
): Promise<Presented> {
  const sorted = sortResult(result);
  const failures: string[] = [];
  if (sorted.metaBytesLeftOut > 0) {
    failures.push(`${tool.id}: the upstream's _meta of ${sorted.metaBytesLeftOut} bytes was left out`);
  }
  const attempt = async (keepsake: Keepsake) => {
    const written = await keep(keepsake);
    if (!written.ok) failures.push(written.reason.detail);
    return { keepsake, record: written.ok ? written.value : undefined };
  };
  const wanted = [sorted.keepText, sorted.keepStructured, ...sorted.keepParts];
  const attempts = await Promise.all(wanted.filter((keepsake) => keepsake !== undefined).map(attempt));
  const kept = withLosses(attempts, sorted.partBytesLeft);
  const shown = kept.length === 0 ? showSmall(result, sorted) : showLarge(sorted, kept);
  const annotations = contentAnnotations(result.content);
  const records = kept.flatMap(({ record }) => (record === undefined ? [] : [record]));
  const partial = kept.some(({ lost }) => lost);
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
      ...call,
    },
    firewall_stats: statsOf(sorted, kept, shown.summary),
    ...(result.structured === undefined ||
    sorted.keepStructured !== undefined ||
    sorted.keepText !== undefined
      ? {}
      : { structured_content: result.structured }),
  };
  return {
    content: shown.content,
    beside: shown.beside,
    envelope,
    isError: result.isError,
    meta: sorted.meta,
    keptParts: kept.flatMap(({ keepsake: { rest }, record }) =>
      record === undefined || rest === undefined ? [] : [{ handle: record.handle, part: rest }],
    ),
    foreign: sorted.foreign,
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
  const replaced = new Set(
    kept.flatMap(({ keepsake, record, lost }) => (record !== undefined || lost ? keepsake.parts : [])),
  );
  const others = sorted.others.filter((part) => !replaced.has(part));
  const texts = [summary, ...lines, ...namesOf(kept)];
  return { summary, content: texts.map(textPart).concat(others), beside: others };
}

/** The lines have a fixed form without a place for names; where there are any, one more text gives them in the same order. */
function namesOf(kept: readonly Kept[]): string[] {
  const found = kept.filter(({ record }) => record !== undefined).map(({ keepsake }) => keepsake);
  if (!found.some(({ named }) => named)) return [];
  const names = found.map(({ label }) => cutPoints(label, ARTIFACT_NAME_SHOWN_MAX_CODE_POINTS));
  return [`kept, in this order: ${names.join(", ")}`];
}

/** The whole text where it is small, else its summary, or as much of it as fits where it could not be kept. */
function summaryOf({ text, structuredText }: Sorted, kept: readonly Kept[]): string {
  const main = kept.find(
    ({ keepsake: { role } }) => role === "text" || (text === "" && role === "structured"),
  );
  if (main === undefined) return text === "" ? NO_TEXT : text;
  const whole = text === "" ? structuredText : text;
  return main.record === undefined ? cutPoints(whole, UNKEPT_TEXT_MAX_CODE_POINTS) : summarise(whole);
}

/** The line by which a model finds an artifact again (CONTRACTS "Large result"), or learns that it cannot. */
function lineOf({ keepsake, record, lost }: Kept, summary: string): string[] {
  if (record !== undefined) {
    const call = JSON.stringify({ handle: record.handle, selector: proposed(record) });
    return [`kept ${record.mediaType} ${record.sizeBytes} bytes: tool_view ${call}`];
  }
  if (!lost || keepsake.text === summary) return [];
  return [`not kept ${keepsake.mediaType} ${keepsake.bytes.length} bytes: the artifact store did not answer`];
}

/** Binary content that could not be kept is shown as it came while it fits; a text of any length cannot be. */
function withLosses(attempts: readonly Omit<Kept, "lost">[], bytesLeft: number): Kept[] {
  let left = bytesLeft;
  return attempts.map(({ keepsake, record }) => {
    if (record !== undefined) return { keepsake, record, lost: false };
    const size = utf8Bytes(exactJsonText(keepsake.parts));
    const lost = keepsake.text !== undefined || size > left;
    if (!lost) left -= size;
    return { keepsake, record, lost };
  });
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
  const beside = kept.filter(({ keepsake }) => keepsake.role === "part");
  return {
    original_bytes: utf8Bytes(text) + beside.reduce((sum, { keepsake }) => sum + keepsake.bytes.length, 0),
    original_tokens:
      tokens + beside.reduce((sum, { keepsake }) => sum + estimateTokens(keepsake.text ?? ""), 0),
    shown_tokens: kept.length === 0 ? tokens : estimateTokens(summary),
  };
}

function textPart(text: string): Part {
  return { type: "text", text };
}
