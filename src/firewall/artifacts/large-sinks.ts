import { ARTIFACT_PASS_BYTES, LARGE_HEAD_MAX_CODE_POINTS } from "../../limits.ts";
import {
  LargePayload,
  type LargeForm,
  type LargeSink,
  type LargeSinks,
  type Unselected,
} from "../../large-result.ts";
import { ok } from "../../result.ts";
import { UNFILTERED } from "../../scrub/scrub-stream.ts";
import { isTextType } from "../result/text-blob.ts";
import type { ArtifactUpload } from "./artifact.ts";
import { createLineIndexer } from "./line-index.ts";
import type { BufferRoom } from "./part-buffer.ts";
import { createPayloadWriter } from "./payload-writer.ts";
import { createRunningDigest, type RunningDigest } from "./running-digest.ts";
import {
  blobPass,
  bytesPass,
  createTextHead,
  type PassedPiece,
  type TextFilter,
  textPass,
  wholePairs,
} from "./text-pass.ts";

/** Summarises a text as it goes by; how it is cut changes nothing. */
export interface TextSummariser {
  push(text: string): void;
  finish(): unknown;
}

export interface TextProjection {
  push(text: string): void;
  finish(): { readonly selected?: string; readonly unselected?: Unselected };
}

export interface LargeSinksPorts {
  /** Where one payload's bytes go. */
  openUpload(): ArtifactUpload;
  /** What all of them together hold in memory is taken from here. */
  readonly room: BufferRoom;
  openSummariser(hint: { readonly mediaType?: string }): TextSummariser;
  /** Selects parts of a JSON text as it goes by. */
  readonly openProjection?: () => TextProjection | undefined;
  /** What text passes before anything is done with it: hash, index, head and size are of what comes out. */
  readonly openFilter?: (name: string | undefined) => TextFilter;
  /** What the base64 of binary content passes before it is decoded. */
  readonly openBinaryFilter?: () => TextFilter;
  readonly openDigest?: () => RunningDigest;
}

/**
 * Payloads of an answer that is too large to hold, on their way into the store: in one pass over each its bytes are uploaded
 * and hashed, its lines indexed, its beginning kept and the whole summarised. Bytes that cannot be kept still count, and
 * still are summarised.
 */
export function createLargeSinks(ports: LargeSinksPorts): LargeSinks {
  const { openBinaryFilter } = ports;
  return {
    open: (form, mediaType, name) => openSink(ports, form, mediaType, name),
    // A text is filtered as one, once it is decoded: what takes secrets out of base64 would make it none.
    ...(openBinaryFilter !== undefined && {
      filterText: (mediaType) => (isTextType(mediaType) ? undefined : wholePairs(openBinaryFilter())),
    }),
  };
}

function openSink(
  ports: LargeSinksPorts,
  form: LargeForm,
  mediaType: string | undefined,
  name: string | undefined,
): LargeSink {
  const isText = form !== "bytes" || isTextType(mediaType);
  const hint = mediaType ?? (form === "json" ? "application/json" : undefined);
  // Bytes whose type comes behind them may be a text, and must not pass as they are if they are one.
  const mayBeText = isText || mediaType === undefined;
  const filter = mayBeText ? ports.openFilter?.(name) : undefined;
  const scrub = isText ? ports.openBinaryFilter : undefined;
  const pass =
    form !== "bytes"
      ? textPass(filter)
      : mayBeText
        ? blobPass(filter ?? UNFILTERED, isText, scrub?.())
        : bytesPass;
  const head = createTextHead(LARGE_HEAD_MAX_CODE_POINTS);
  let summariser = isText ? ports.openSummariser(hint === undefined ? {} : { mediaType: hint }) : undefined;
  const projection = isText ? ports.openProjection?.() : undefined;
  const writer = createPayloadWriter({
    upload: ports.openUpload(),
    room: ports.room,
    digest: (ports.openDigest ?? createRunningDigest)(),
    lines: isText ? createLineIndexer() : null,
  });
  let sizeBytes = 0;
  /** Given up, or what the text passes has failed: what comes is counted as it comes, and let go. */
  let isOver = false;

  /** A summariser that fails has nothing to say, and costs nothing but that. */
  const summarised = <Value>(work: (summariser: TextSummariser) => Value): Value | undefined => {
    try {
      return summariser && work(summariser);
    } catch {
      summariser = undefined;
      return undefined;
    }
  };
  /** A filter that fails must let nothing through. */
  const passed = (work: () => PassedPiece): PassedPiece | undefined => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };
  const take = async (piece: PassedPiece | undefined) => {
    if (piece === undefined) {
      isOver = true;
      await writer.abort();
      return;
    }
    const { bytes, text } = piece;
    sizeBytes += bytes.length;
    head.push(text);
    summarised((summariser) => {
      summariser.push(text);
    });
    projection?.push(text);
    await writer.take(bytes);
  };
  return {
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; at += ARTIFACT_PASS_BYTES) {
        const slice = bytes.subarray(at, at + ARTIFACT_PASS_BYTES);
        if (!isOver) await take(passed(() => pass.push(slice)));
        // Of what was not passed only the length is known.
        if (isOver) sizeBytes += slice.length;
      }
    },
    close: async () => {
      if (!isOver) await take(passed(() => pass.end()));
      const summary = isOver ? undefined : summarised((summariser) => summariser.finish());
      const stored = await writer.finish();
      // Of what was not passed to its end nobody knows what it would have been.
      const selection = isOver ? undefined : projection?.finish();
      const redactions = filter?.count?.() ?? 0;
      if (!pass.isText()) {
        const bytes = stored.ok ? ok({ ...stored.value, lines: null, lineIndex: "" }) : stored;
        return new LargePayload({
          form: "bytes",
          sizeBytes,
          head: "",
          stored: bytes,
          summary: undefined,
          redactions,
        });
      }
      return new LargePayload({
        form: form === "bytes" ? "text" : form,
        sizeBytes,
        head: head.finish(),
        stored,
        summary,
        ...selection,
        redactions,
      });
    },
    abort: async () => {
      isOver = true;
      await writer.abort();
    },
  };
}
