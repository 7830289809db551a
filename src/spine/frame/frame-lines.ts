import { FRAME_READER_START_BYTES } from "../../limits/spine.ts";
import { fail, ok, type Result } from "../../result.ts";
import { exceedsLimit, type FrameLimit } from "./frame-limit.ts";
import type { FrameProblem } from "./frame-problem.ts";
import { isBlank } from "./frame.ts";

const LF = 0x0a;
const CR = 0x0d;

/** A byte order mark is content, for the parser to refuse. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A line's text, without what ended it, or why there is none; in the order in which the lines came. */
export type FrameLine = Result<string, Extract<FrameProblem, { readonly reason: "over_limit" }> | NotUtf8>;

interface NotUtf8 {
  readonly reason: "not_utf8";
}

export interface FrameLineReader {
  /** Takes the next bytes, cut anywhere, and gives the lines that end in them. The chunk is not kept. */
  push(chunk: Uint8Array): FrameLine[];
  /** The stream is over: a last line needs no end. */
  end(): FrameLine[];
}

/**
 * Cuts bytes into lines, each the text for one `parseFrame`. Lines end with LF or CRLF; blank ones are left out. A line
 * that is longer than the limit is refused with its first byte too many, skipped, and the next one is read as ever: no
 * more than the limit is held. Bytes that are no UTF-8 are refused, since a replacement character would change an id.
 */
export function createFrameLineReader(limit: FrameLimit): FrameLineReader {
  let held = new Uint8Array(0);
  let length = 0;
  /** The line so far ends with a CR, not held: the line's end if an LF follows, and a byte like any other if not. */
  let afterCr = false;
  let isSkipping = false;

  const append = (bytes: Uint8Array): void => {
    const needed = length + bytes.length;
    if (needed > held.length) {
      const grown = new Uint8Array(
        Math.min(limit, Math.max(needed, held.length * 2, FRAME_READER_START_BYTES)),
      );
      grown.set(held.subarray(0, length));
      held = grown;
    }
    held.set(bytes, length);
    length = needed;
  };

  /** Takes a piece of a line; gives the refusal when it becomes too long. */
  const take = (piece: Uint8Array): FrameLine[] => {
    if (isSkipping || piece.length === 0) return [];
    const endsWithCr = piece.at(-1) === CR;
    const content = endsWithCr ? piece.subarray(0, -1) : piece;
    if (length + (afterCr ? 1 : 0) + content.length > limit) {
      isSkipping = true;
      held = new Uint8Array(0);
      return [fail({ reason: "over_limit", limit_bytes: limit })];
    }
    if (afterCr) append(Uint8Array.of(CR));
    append(content);
    afterCr = endsWithCr;
    return [];
  };

  const finish = (): FrameLine[] => {
    const line = isSkipping ? [] : decodeLine(held.subarray(0, length));
    // A long line's room is not kept: a peer would hold the limit's worth for as long as it stays connected.
    if (held.length > FRAME_READER_START_BYTES) held = new Uint8Array(0);
    length = 0;
    afterCr = false;
    isSkipping = false;
    return line;
  };

  return {
    push: (chunk) => {
      const lines: FrameLine[] = [];
      let from = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
        lines.push(...take(chunk.subarray(from, end)), ...finish());
        from = end + 1;
      }
      lines.push(...take(chunk.subarray(from)));
      return lines;
    },
    end: finish,
  };
}

function decodeLine(bytes: Uint8Array): FrameLine[] {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return [fail({ reason: "not_utf8" })];
  }
  return isBlank(text) ? [] : [ok(text)];
}

/** Why a text is no line: what would be skipped, refused, read as two lines, or read as another text. */
export type FrameLineProblem =
  | Extract<FrameProblem, { readonly reason: "over_limit" }>
  | { readonly reason: "empty" | "embedded_newline" | "trailing_carriage_return" | "lone_surrogate" };

/** The bytes of one line, its LF included, that `createFrameLineReader` with the same limit gives back as this text. */
export function writeFrameLine(text: string, limit: FrameLimit): Result<Uint8Array, FrameLineProblem> {
  if (exceedsLimit(text, limit)) return fail({ reason: "over_limit", limit_bytes: limit });
  if (isBlank(text)) return fail({ reason: "empty" });
  if (text.includes("\n")) return fail({ reason: "embedded_newline" });
  if (text.endsWith("\r")) return fail({ reason: "trailing_carriage_return" });
  if (LONE_SURROGATE.test(text)) return fail({ reason: "lone_surrogate" });
  return ok(new TextEncoder().encode(`${text}\n`));
}

const LONE_SURROGATE = /\p{Surrogate}/u;
