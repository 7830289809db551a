import { VIEW_BYTES_DEFAULT_BYTES } from "../../limits.ts";
import { fail, type Result } from "../../result.ts";
import type { ArtifactRecord } from "../artifacts/artifact.ts";
import { decodeUtf8 } from "../result/utf8.ts";
import type { Selector, SelectorType } from "./selector.ts";

/** What `tool_view` answers (CONTRACTS "View object"), its keys in this order. */
export type View = (
  | { readonly text: string; readonly blob?: undefined }
  | { readonly blob: string; readonly text?: undefined }
) & {
  readonly media_type: string;
  /** What is shown, which may be less than was asked for. */
  readonly selector: Selector;
  /** Goes on where this one ended; absent at the end. */
  readonly next?: Selector;
  readonly total: {
    readonly bytes: number;
    readonly lines?: number;
    /** Only where they are known without reading more. */
    readonly rows?: number;
  };
};

export type Shape = Pick<ArtifactRecord, "mediaType" | "sizeBytes" | "lines" | "lineIndex">;

/** A text's shape: its lines were counted. */
export type TextShape = Shape & { readonly lines: number };

/** Why a selector does not read an artifact, and what would. */
export interface ViewProblem {
  readonly problem: string;
  /** Names that exist where one was asked for that does not: keys, columns. Bounded. */
  readonly have?: readonly string[];
  /** Types of selectors, or selectors as they can be used. */
  readonly try: readonly (SelectorType | Selector)[];
}

/** One range to read, nothing where `length` is 0, and what to make of its bytes. `finish` is pure and never throws. */
export interface ViewPlan {
  readonly offset: number;
  readonly length: number;
  readonly finish: (bytes: Uint8Array) => Result<View, ViewProblem>;
}

export const NEWLINE = 10;

/** Negatives count from the end, as slices do. */
export function fromEnd(position: number, count: number): number {
  return Math.min(count, Math.max(0, position < 0 ? count + position : position));
}

/** The selector that reads on from a byte; `undefined` at the end. */
export function bytesFrom(
  shape: Shape,
  offset: number,
  length = VIEW_BYTES_DEFAULT_BYTES,
): Selector | undefined {
  return offset < shape.sizeBytes ? { type: "bytes", offset, length } : undefined;
}

export function textView(
  shape: Shape,
  text: string | Uint8Array,
  selector: Selector,
  next: Selector | undefined,
  rows?: number,
): View {
  return {
    text: typeof text === "string" ? text : decodeUtf8(text),
    media_type: shape.mediaType,
    selector,
    ...(next === undefined ? {} : { next }),
    total: {
      bytes: shape.sizeBytes,
      ...(shape.lines === null ? {} : { lines: shape.lines }),
      ...(rows === undefined ? {} : { rows }),
    },
  };
}

export function viewProblem(
  problem: string,
  works: ViewProblem["try"],
  have?: readonly string[],
): Result<never, ViewProblem> {
  return fail({ problem, ...(have === undefined ? {} : { have }), try: works });
}
