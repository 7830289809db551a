import {
  VIEW_BINARY_MAX_BYTES,
  VIEW_BYTES_DEFAULT_BYTES,
  VIEW_LINES_PROPOSED_COUNT,
  VIEW_MAX_BYTES,
} from "../../limits.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { ArtifactRecord } from "../artifacts/artifact.ts";
import { encodeBase64 } from "../result/base64.ts";
import { indexStep, startNear } from "../artifacts/line-index.ts";
import type { Selector } from "./selector.ts";
import { atBoundary, characterLength, decodeUtf8 } from "../result/utf8.ts";

/** What `tool_view` answers (CONTRACTS "View object"), its keys in this order. */
export type View = (
  | { readonly text: string; readonly blob?: undefined }
  | { readonly blob: string; readonly text?: undefined }
) & {
  readonly media_type: string;
  /** What is shown, which may be less than was asked for. */
  readonly selector: Selector;
  /** Goes on where this one ended; absent at the artifact's end. */
  readonly next?: Selector;
  readonly total: { readonly bytes: number; readonly lines?: number };
};

export type Shape = Pick<ArtifactRecord, "mediaType" | "sizeBytes" | "lines" | "lineIndex">;

/** One range to read, nothing where `length` is 0, and what to make of its bytes. */
export interface ViewPlan {
  readonly offset: number;
  readonly length: number;
  readonly finish: (bytes: Uint8Array) => View;
}

/** The bytes of the longest UTF-8 character but one: what may stand before or behind a cut. */
const SPILL_BYTES = 3;
const NEWLINE = 10;

/** Plans one view; fails for a selector that reads text on binary content. The read is bounded whatever is asked. */
export function planView(shape: Shape, selector: Selector): Result<ViewPlan, "binary"> {
  if (shape.lines === null) return selector.type === "bytes" ? ok(planBlob(shape, selector)) : fail("binary");
  switch (selector.type) {
    case "head":
      return ok(planHead(shape, selector.chars));
    case "lines":
      return ok(planLines(shape, shape.lines, selector));
    case "bytes":
      return ok(planBytes(shape, selector));
  }
}

type BytesSelector = Extract<Selector, { type: "bytes" }>;
type LinesSelector = Extract<Selector, { type: "lines" }>;

function planHead(shape: Shape, chars: number): ViewPlan {
  const length = Math.min(shape.sizeBytes, VIEW_MAX_BYTES, Math.ceil(chars) * 4);
  return {
    offset: 0,
    length,
    finish: (bytes) => {
      let end = 0;
      let shown = 0;
      while (shown < chars && end < bytes.length) {
        const character = characterLength(bytes, end);
        if (end + character > bytes.length) break;
        end += character;
        shown += 1;
      }
      const applied: Selector = { type: "head", chars: shown };
      return textView(shape, bytes.subarray(0, end), applied, goOn(shape, end));
    },
  };
}

function planBytes(shape: Shape, selector: BytesSelector): ViewPlan {
  const asked = Math.min(selector.offset, shape.sizeBytes);
  const wanted = Math.min(selector.length, VIEW_MAX_BYTES);
  const offset = Math.max(0, asked - SPILL_BYTES);
  return {
    offset,
    length: asked === shape.sizeBytes ? 0 : Math.min(shape.sizeBytes, asked + wanted + SPILL_BYTES) - offset,
    finish: (bytes) => {
      if (bytes.length === 0) {
        return textView(shape, bytes, { type: "bytes", offset: asked, length: 0 }, undefined);
      }
      const start = atBoundary(bytes, asked - offset);
      let end = atBoundary(bytes, Math.min(asked - offset + wanted, start + VIEW_MAX_BYTES, bytes.length));
      // Fewer bytes than the next character has: show it whole, or there would be no going on.
      if (end <= start) end = Math.min(start + characterLength(bytes, start), bytes.length);
      const applied: Selector = { type: "bytes", offset: offset + start, length: end - start };
      return textView(shape, bytes.subarray(start, end), applied, goOn(shape, offset + end, wanted));
    },
  };
}

function planBlob(shape: Shape, selector: BytesSelector): ViewPlan {
  const offset = Math.min(selector.offset, shape.sizeBytes);
  const wanted = Math.min(selector.length, VIEW_BINARY_MAX_BYTES);
  return {
    offset,
    length: Math.min(wanted, shape.sizeBytes - offset),
    finish: (bytes) => {
      const next = goOn(shape, offset + bytes.length, wanted);
      return {
        blob: encodeBase64(bytes),
        media_type: shape.mediaType,
        selector: { type: "bytes", offset, length: bytes.length },
        ...(next === undefined || bytes.length === 0 ? {} : { next }),
        total: { bytes: shape.sizeBytes },
      };
    },
  };
}

function planLines(shape: Shape, lines: number, selector: LinesSelector): ViewPlan {
  const start = fromEnd(selector.start, lines);
  const end = Math.max(start, fromEnd(selector.end ?? lines, lines));
  const window = end > start ? end - start : VIEW_LINES_PROPOSED_COUNT;
  const linesFrom = (line: number): Selector | undefined =>
    line < lines ? { type: "lines", start: line, end: Math.min(lines, line + window) } : undefined;
  if (end === start) {
    const finish = () =>
      textView(shape, new Uint8Array(), { type: "lines", start, end: start }, linesFrom(start));
    return { offset: 0, length: 0, finish };
  }
  const near = startNear(shape.lineIndex, start);
  const reach = indexStep(shape.sizeBytes) + VIEW_MAX_BYTES + SPILL_BYTES;
  const length = Math.max(0, Math.min(reach, shape.sizeBytes - near.offset));
  return {
    offset: near.offset,
    length,
    finish: (bytes) => {
      const whole = near.offset + bytes.length >= shape.sizeBytes;
      const from = skipLines(bytes, start - near.line);
      let to = from;
      let line = start;
      while (line < end && to < bytes.length) {
        const newline = bytes.indexOf(NEWLINE, to);
        if (newline < 0 && !whole) break;
        const after = newline < 0 ? bytes.length : newline + 1;
        if (after - from > VIEW_MAX_BYTES) break;
        to = after;
        line += 1;
      }
      if (line > start) {
        const applied: Selector = { type: "lines", start, end: line };
        return textView(shape, bytes.subarray(from, to), applied, linesFrom(line));
      }
      const cut = atBoundary(bytes, Math.min(from + VIEW_MAX_BYTES, bytes.length));
      const applied: Selector = { type: "bytes", offset: near.offset + from, length: cut - from };
      return textView(shape, bytes.subarray(from, cut), applied, goOn(shape, near.offset + cut));
    },
  };
}

/** Negatives count from the end, as slices do. */
function fromEnd(line: number, lines: number): number {
  return Math.min(lines, Math.max(0, line < 0 ? lines + line : line));
}

function skipLines(bytes: Uint8Array, count: number): number {
  let at = 0;
  for (let line = 0; line < count; line += 1) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline < 0) return bytes.length;
    at = newline + 1;
  }
  return at;
}

function goOn(shape: Shape, offset: number, length = VIEW_BYTES_DEFAULT_BYTES): Selector | undefined {
  return offset < shape.sizeBytes ? { type: "bytes", offset, length } : undefined;
}

function textView(shape: Shape, bytes: Uint8Array, selector: Selector, next: Selector | undefined): View {
  return {
    text: decodeUtf8(bytes),
    media_type: shape.mediaType,
    selector,
    ...(next === undefined ? {} : { next }),
    total: { bytes: shape.sizeBytes, ...(shape.lines === null ? {} : { lines: shape.lines }) },
  };
}
