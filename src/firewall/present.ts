import { exactJsonText } from "../exact-json/write.ts";
import type { NotKept } from "../large-result.ts";
import type { Result } from "../result.ts";
import type { ArtifactRecord, ArtifactsUnreachable } from "./artifacts/artifact.ts";
import { type CallProvenance, contentAnnotations, type Envelope } from "./envelope.ts";
import { factsOf } from "./facts.ts";
import { NOT_SELECTED, projectKept } from "./projection.ts";
import type { Bundling } from "./result/bundle.ts";
import type { InlineBounds } from "./result/inline-bounds.ts";
import { isTextual, type Keepsake, sizeOf } from "./result/keepsake.ts";
import { sortResult, type Sorted, type TextAs } from "./result/keepsakes.ts";
import { estimateTokens, estimateTokensOfAny } from "./result/token-estimate.ts";
import type { Part, ToolResult } from "./result/tool-result.ts";
import { utf8Bytes } from "./result/utf8.ts";
import { digestOf, type Digested } from "./digest.ts";
import { keptLines, proposedView } from "./kept-lines.ts";

/** Why something is not kept: its store gave no answer, it was too much, or the principal may keep no more. */
export type KeepFailure =
  | ArtifactsUnreachable
  | { readonly reason: "not_kept"; readonly why: NotKept | "quota"; readonly detail: string };

/** Writes one artifact of the call at hand. */
export type Keep = (keepsake: Keepsake) => Promise<Result<ArtifactRecord, KeepFailure>>;

/** What the operator's configuration says of one tool's results. */
export interface Presentation {
  readonly bounds: InlineBounds;
  /** JSONPaths of what is shown of a large JSON result, whatever else is kept back. */
  readonly keepPaths: readonly string[];
  /** What its texts are, where that is known. */
  readonly textAs?: TextAs;
  /** Of results that are lists of things. */
  readonly bundling?: Bundling;
}

/** A result as it is shown: the parts of the answer and the envelope for programs. */
export interface Presented {
  /** Porcelain: what a model reads. */
  readonly content: readonly Part[];
  /** Parts that follow the envelope in the JSON render. */
  readonly beside: readonly Part[];
  readonly envelope: Envelope;
  readonly isError: boolean;
  readonly meta: Sorted["meta"];
  /** What kept parts said beside their bytes, under their handles; programs see it, models do not. */
  readonly keptParts: readonly { readonly handle?: string; readonly part: Part }[];
  /** Top-level members that are passed on as they came. */
  readonly foreign: ToolResult["foreign"];
  /** What was written, for the ledger. */
  readonly records: readonly ArtifactRecord[];
  /** What could not be kept and why, for the operator's log. */
  readonly failures: readonly string[];
}

/** What became of something that is too large to be shown. */
export interface Kept {
  readonly keepsake: Keepsake;
  readonly record: ArtifactRecord | undefined;
  /** Why it is not kept. */
  readonly failure: KeepFailure | undefined;
  /** Not kept, and not to be shown either. */
  readonly lost: boolean;
}

/**
 * Makes a result fit: small ones stay as they came, of large ones a summary is shown and the rest is kept under handles.
 * A store that fails loses no answer: what fits is shown, and what is missing is named.
 */
export async function presentResult(
  result: ToolResult,
  tool: { readonly id: string; readonly server: string },
  call: CallProvenance,
  keep: Keep,
  { bounds, keepPaths, textAs, bundling }: Presentation,
): Promise<Presented> {
  const sorted = sortResult(result, bounds, textAs, bundling);
  const projected = projectKept(sorted, keepPaths, bounds);
  const wanted = [sorted.keepText, sorted.keepStructured, ...sorted.keepParts, projected?.keepsake];
  const attempts = await Promise.all(
    wanted.filter((keepsake) => keepsake !== undefined).map((each) => attempt(each, keep)),
  );
  const kept = withLosses(attempts, sorted.partBytesLeft);
  const unselected = projected?.unselected === undefined ? [] : [NOT_SELECTED[projected.unselected]];
  const digested = digestOf(sorted, kept, projected);
  const digest = { ...digested, more: [...digested.more, ...unselected] };
  const shown = kept.length === 0 ? showSmall(result, sorted) : showLarge(sorted, kept, digest);
  const annotations = contentAnnotations(result.content);
  const records = kept.flatMap(({ record }) => (record === undefined ? [] : [record]));
  const isPartial = kept.some(({ lost }) => lost);
  const isWhole = sorted.keepStructured === undefined && sorted.keepText === undefined;
  const envelope: Envelope = {
    status: result.isError ? "error" : isPartial ? "partial" : "ok",
    summary: shown.summary,
    facts: factsOf(result.structured ?? sorted.textValue, shown.summary),
    artifacts: kept.flatMap(({ keepsake: { label }, record }) =>
      record === undefined
        ? []
        : [{ handle: record.handle, media_type: record.mediaType, size_bytes: record.sizeBytes, label }],
    ),
    views: [
      ...records.map((record) => ({
        handle: record.handle,
        selector: proposedView(record),
        label: record.lines === null ? "first bytes" : "first lines",
      })),
      ...digest.views,
    ],
    provenance: {
      tool_id: tool.id,
      upstream: tool.server,
      ...(annotations.length === 0 ? {} : { content_annotations: annotations }),
      ...call,
    },
    firewall_stats: statsOf(sorted, kept, shown),
    ...(result.structured === undefined || !isWhole ? {} : { structured_content: result.structured }),
  };
  return {
    content: shown.content,
    beside: shown.beside,
    envelope,
    isError: result.isError,
    meta: sorted.meta,
    keptParts: partsBeside(sorted, kept),
    foreign: sorted.foreign,
    records,
    failures: [
      ...kept.flatMap(({ failure }) => (failure === undefined ? [] : [failure.detail])),
      ...unselected.map((why) => `${tool.id}: ${why}`),
    ],
  };
}

async function attempt(keepsake: Keepsake, keep: Keep): Promise<Omit<Kept, "lost">> {
  const written = await keep(keepsake);
  return written.ok
    ? { keepsake, record: written.value, failure: undefined }
    : { keepsake, record: undefined, failure: written.reason };
}

/** Binary content that could not be kept is shown as it came while it fits; a text of any length cannot be. */
function withLosses(attempts: readonly Omit<Kept, "lost">[], bytesLeft: number): Kept[] {
  let left = bytesLeft;
  return attempts.map((each) => {
    const { keepsake, record } = each;
    if (record !== undefined) return { ...each, lost: false };
    if (isTextual(keepsake) || keepsake.large !== undefined) return { ...each, lost: true };
    const size = utf8Bytes(exactJsonText(keepsake.parts));
    const lost = size > left;
    if (!lost) left -= size;
    return { ...each, lost };
  });
}

interface Shown {
  readonly summary: string;
  readonly content: readonly Part[];
  readonly beside: readonly Part[];
  /** All that a model reads of it. */
  readonly text: string;
}

function showSmall(result: ToolResult, { text, structuredText, others }: Sorted): Shown {
  const isOnly = result.content.length === 0 && structuredText !== "";
  const summary = isOnly ? structuredText : text;
  return {
    summary,
    content: isOnly ? [textPart(structuredText)] : result.content,
    beside: others,
    text: summary,
  };
}

function showLarge(sorted: Sorted, kept: readonly Kept[], { summary, more }: Digested): Shown {
  const texts = [summary, ...keptLines(kept, summary, sorted.isBundled), ...more];
  const replaced = new Set(
    kept.flatMap(({ keepsake, record, lost }) => (record !== undefined || lost ? keepsake.parts : [])),
  );
  const others = sorted.others.filter((part) => !replaced.has(part));
  return {
    summary: [summary, ...more].join("\n\n"),
    content: [...texts.map(textPart), ...others],
    beside: others,
    text: texts.join("\n"),
  };
}

/** A text part's own members stay in a small answer; of a large one's, and in a JSON answer, programs find them here. */
function partsBeside({ textRests }: Sorted, kept: readonly Kept[]): Presented["keptParts"] {
  const main = kept.find(({ keepsake }) => keepsake.role === "text")?.record;
  const ofTexts = textRests.map((part) => (main === undefined ? { part } : { handle: main.handle, part }));
  const ofParts = kept.flatMap(({ keepsake: { rests }, record }) =>
    record === undefined ? [] : rests.map((part) => ({ handle: record.handle, part })),
  );
  return [...ofTexts, ...ofParts];
}

function statsOf(sorted: Sorted, kept: readonly Kept[], shown: Shown): Envelope["firewall_stats"] {
  // What says the same once more, alone in a member, counts once too.
  const texts = [sorted.text, ...(sorted.repeats || sorted.wraps ? [] : [sorted.structuredText])];
  const beside = kept.flatMap(({ keepsake }) =>
    keepsake.large !== undefined || keepsake.role === "part" ? [keepsake] : [],
  );
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  return {
    original_bytes: sum([...texts.map(utf8Bytes), ...beside.map(sizeOf)]),
    original_tokens: sum([...texts.map(estimateTokensOfAny), ...beside.map(tokensOf)]),
    shown_tokens: estimateTokens(shown.text),
  };
}

/** Of a payload that was never here whole, by what its beginning costs. */
function tokensOf({ text, large }: Keepsake): number {
  if (large === undefined) return estimateTokensOfAny(text ?? "");
  const headBytes = utf8Bytes(large.head);
  return headBytes === 0 ? 0 : Math.ceil((estimateTokens(large.head) * large.sizeBytes) / headBytes);
}

function textPart(text: string): Part {
  return { type: "text", text };
}
