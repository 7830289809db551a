import {
  VIEW_GREP_MIN_READ_BYTES,
  VIEW_GREP_WORK_MAX_COUNT,
  VIEW_PATTERN_MAX_CHARS,
  VIEW_SCAN_MAX_BYTES,
} from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import { indexStep, startNear } from "../artifacts/line-index.ts";
import { atBoundary, decodeUtf8, utf8Bytes } from "../result/utf8.ts";
import { seen } from "../summary/neutral.ts";
import { hasUnseen, UNSEEN } from "../../unseen.ts";
import { GrepPage } from "./grep-page.ts";
import { compileLinear, type LinearRegExp } from "../../linear-regexp.ts";
import { skipLines } from "./lines.ts";
import {
  fromEnd,
  NEWLINE,
  type TextShape,
  textView,
  type View,
  type ViewPlan,
  viewProblem,
  type ViewProblem,
} from "./plan.ts";
import type { SelectorOf } from "./selector.ts";

type GrepSelector = SelectorOf<"grep">;

/** The bytes to search: those of `bytes` from `at` to `end`; the first of their lines is number `line`. */
interface Range {
  readonly at: number;
  readonly end: number;
  readonly line: number;
  /** Where the bytes stand in the artifact. */
  readonly offset: number;
  /** How many of the first lines are context of a match before them. */
  readonly after: number;
}

/**
 * Lines in which a pattern in RE2's syntax is found, each as `number: text`, lines of context as `number- text`, and in the
 * end which lines were searched and how many match. Long lines are cut around each match. How much one view searches
 * depends on the pattern's size, so that no pattern takes long; `next` goes on. It begins with the context of the first
 * match that was not shown, and the lines before it are looked at again for matches whose context goes on: all answers
 * together show each match once, and all lines of context.
 */
export function planGrep(shape: TextShape, selector: GrepSelector): Result<ViewPlan, ViewProblem> {
  const { pattern, ignore_case: ignoreCase, offset } = selector;
  const compiled = compileLinear(pattern, ignoreCase);
  if (!compiled.ok) return noPattern(selector, compiled.reason);
  const line = fromEnd(selector.start ?? 0, shape.lines);
  if (offset !== undefined && offset > shape.sizeBytes) {
    return viewProblem("offset is behind the artifact's end; it comes from next", [
      hasUnseen(pattern) ? "grep" : { ...withoutOffset(selector), start: line },
    ]);
  }
  const work = Math.floor(VIEW_GREP_WORK_MAX_COUNT / compiled.value.size);
  const reach = Math.min(VIEW_SCAN_MAX_BYTES, Math.max(VIEW_GREP_MIN_READ_BYTES, work));
  const near = offset === undefined ? leadFor(shape, line, selector.context) : { line, offset, further: 0 };
  const lead = offset === undefined ? indexStep(shape.sizeBytes) + near.further : 0;
  return ok({
    offset: near.offset,
    length: Math.max(0, Math.min(VIEW_SCAN_MAX_BYTES, reach + lead, shape.sizeBytes - near.offset)),
    finish: (bytes) => {
      // An offset in the middle of a character is nobody's `next`; what is left of it is gone by.
      const at = offset === undefined ? skipLines(bytes, line - near.line) : beginning(bytes);
      const isLast = near.offset + bytes.length >= shape.sizeBytes;
      // The index leads to the line, unless it was lost.
      if (at >= bytes.length && !isLast) return viewProblem(`line ${line} was not found`, ["bytes", "lines"]);
      const end = rangeEnd(bytes, at, Math.min(bytes.length, at + reach), isLast);
      const after =
        offset === undefined
          ? contextLeft(compiled.value, selector.context, bytes.subarray(0, at), line - near.line)
          : 0;
      return ok(
        search(shape, selector, compiled.value, bytes, { at, end, line, offset: near.offset, after }),
      );
    },
  });
}

/** Where to read from to see so many lines before the first one too, unless these are long. */
function leadFor(
  { lineIndex }: TextShape,
  line: number,
  context: number,
): { readonly line: number; readonly offset: number; readonly further: number } {
  const near = startNear(lineIndex, line);
  const back = startNear(lineIndex, Math.max(0, line - context));
  const further = near.offset - back.offset;
  return further > VIEW_GREP_MIN_READ_BYTES ? { ...near, further: 0 } : { ...back, further };
}

/** How many lines from `before`'s end on are context of a match among its last lines. */
function contextLeft(regexp: LinearRegExp, context: number, before: Uint8Array, lines: number): number {
  const count = Math.min(context, lines);
  let end = before.length;
  for (let distance = 0; distance < count; distance += 1) {
    const start = end < 2 ? 0 : before.lastIndexOf(NEWLINE, end - 2) + 1;
    const line = decodeUtf8(before.subarray(start, end)).replace(/\r?\n$/, "");
    if (regexp.test(line)) return context - distance;
    end = start;
  }
  return 0;
}

/** Behind the last whole line, or where a line must be cut that is longer than the read. */
function rangeEnd(bytes: Uint8Array, at: number, limit: number, isLast: boolean): number {
  if (isLast && limit === bytes.length) return limit;
  const newline = bytes.lastIndexOf(NEWLINE, limit - 1);
  if (newline >= at) return newline + 1;
  const cut = atBoundary(bytes, limit === bytes.length ? limit - 1 : limit);
  return cut > at ? cut : limit;
}

function beginning(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}

function search(
  shape: TextShape,
  selector: GrepSelector,
  regexp: LinearRegExp,
  bytes: Uint8Array,
  range: Range,
): View {
  const text = decodeUtf8(bytes.subarray(range.at, range.end));
  const page = new GrepPage(regexp, selector.context, range.after);
  let line = range.line;
  let at = 0;
  /** Where the answer was full, in the text; the search goes on to count. */
  let full: { readonly line: number; readonly at: number; readonly isInside: boolean } | undefined;
  /** Lines that match behind what is shown. */
  let further = 0;
  const isAll =
    range.line === 0 && range.offset + range.at === 0 && range.offset + range.end >= shape.sizeBytes;
  while (at < text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const content = text.slice(at, text[end - 1] === "\r" && end > at ? end - 1 : end);
    if (full === undefined) {
      const shown = page.take(line, content);
      if (shown !== undefined) {
        const isInside = shown > 0;
        full = { line: isInside ? line : line - page.pending, at: at + shown, isInside };
        if (!isAll) break;
      }
    }
    if (full !== undefined && !(full.line === line && full.isInside) && regexp.test(content)) further += 1;
    at = end + 1;
    if (newline >= 0 || range.offset + range.end >= shape.sizeBytes) line += 1;
  }
  const byteAt = (position: number): number =>
    Math.min(shape.sizeBytes, range.offset + range.at + utf8Bytes(text.slice(0, position)));
  const hasMore = range.offset + range.end < shape.sizeBytes;
  const isCut = text !== "" && !text.endsWith("\n") && hasMore;
  // Too few lines to look at some of them again: they were long, and the search must go on.
  const again = !hasMore || isCut || line - range.line < 2 * page.pending ? 0 : page.pending;
  const stop = full ?? { line: line - again, at: text.length, isInside: isCut };
  const goesOn = full !== undefined || hasMore;
  const next = {
    ...withoutOffset(selector),
    start: stop.line,
    ...(stop.isInside ? { offset: byteAt(stop.at) } : {}),
  };
  const last = Math.max(range.line, stop.isInside ? stop.line : stop.line - 1);
  const inAll = isAll && full !== undefined ? `; ${page.matched + further} in all` : "";
  // Of a line that is longer than a read, what was not read yet must not seem to hold no match.
  const from = selector.offset === undefined ? "" : `, the first from byte ${range.offset + range.at}`;
  const upTo = stop.isInside ? `, the last up to byte ${byteAt(stop.at)} of ${shape.sizeBytes}` : "";
  const searched = `(lines ${range.line}-${last} of ${shape.lines}${from}${upTo}: ${page.matched} match${inAll})`;
  const none = shape.lines === 0 ? "(no lines)" : `(no line ${range.line}: there are ${shape.lines})`;
  const foot = range.line < shape.lines ? searched : none;
  const applied = selector.start === undefined ? selector : { ...selector, start: range.line };
  return textView(shape, [...page.lines, foot].join("\n"), applied, goesOn ? next : undefined);
}

function withoutOffset({ pattern, context, ignore_case, start }: GrepSelector): GrepSelector {
  return { type: "grep", pattern, context, ignore_case, ...(start === undefined ? {} : { start }) };
}

function noPattern(selector: GrepSelector, problem: string): Result<never, ViewProblem> {
  const literal = selector.pattern
    .replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&")
    .replaceAll(UNSEEN, (sign) => `\\x{${sign.codePointAt(0)?.toString(16)}}`);
  const works: ViewProblem["try"] =
    literal.length > VIEW_PATTERN_MAX_CHARS || !compileLinear(literal, false).ok
      ? ["lines"]
      : [{ ...withoutOffset(selector), pattern: literal }, "lines"];
  const words = seen(problem, VIEW_PATTERN_MAX_CHARS);
  return viewProblem(`the pattern does not compile (RE2 syntax): ${words}`, works);
}
