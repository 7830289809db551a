import { VIEW_LINES_PROPOSED_COUNT, VIEW_MAX_BYTES } from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import { indexStep, startNear } from "../artifacts/line-index.ts";
import { atBoundary } from "../result/utf8.ts";
import { SPILL_BYTES } from "./bytes.ts";
import {
  bytesFrom,
  fromEnd,
  NEWLINE,
  type TextShape,
  textView,
  type ViewPlan,
  viewProblem,
  type ViewProblem,
} from "./plan.ts";
import type { Selector, SelectorOf } from "./selector.ts";

/** Lines with their ends; a line too long for an answer is shown by `bytes`. The index says where to read. */
export function planLines(shape: TextShape, selector: SelectorOf<"lines">): Result<ViewPlan, ViewProblem> {
  const { lines } = shape;
  if (lines > 0 && selector.start >= lines) {
    const last = Math.max(0, lines - VIEW_LINES_PROPOSED_COUNT);
    return viewProblem(`the artifact has ${lines} lines, numbered from 0`, [
      { type: "lines", start: last, end: lines },
    ]);
  }
  return ok(linesPlan(shape, selector));
}

function linesPlan(shape: TextShape, selector: SelectorOf<"lines">): ViewPlan {
  const { lines } = shape;
  const start = fromEnd(selector.start, lines);
  const end = Math.max(start, fromEnd(selector.end ?? lines, lines));
  const window = end > start ? end - start : VIEW_LINES_PROPOSED_COUNT;
  const linesFrom = (line: number): Selector | undefined =>
    line < lines ? { type: "lines", start: line, end: Math.min(lines, line + window) } : undefined;
  if (end === start) {
    const finish = () => ok(textView(shape, "", { type: "lines", start, end: start }, linesFrom(start)));
    return { offset: 0, length: 0, finish };
  }
  const near = startNear(shape.lineIndex, start);
  const reach = indexStep(shape.sizeBytes) + VIEW_MAX_BYTES + SPILL_BYTES;
  return {
    offset: near.offset,
    length: Math.max(0, Math.min(reach, shape.sizeBytes - near.offset)),
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
        const applied = { type: "lines", start, end: line } as const;
        return ok(textView(shape, bytes.subarray(from, to), applied, linesFrom(line)));
      }
      const cut = atBoundary(bytes, Math.min(from + VIEW_MAX_BYTES, bytes.length));
      const applied = { type: "bytes", offset: near.offset + from, length: cut - from } as const;
      return ok(textView(shape, bytes.subarray(from, cut), applied, bytesFrom(shape, near.offset + cut)));
    },
  };
}

/** The offset behind so many lines; the end where there are fewer. */
export function skipLines(bytes: Uint8Array, count: number): number {
  let at = 0;
  for (let line = 0; line < count; line += 1) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline < 0) return bytes.length;
    at = newline + 1;
  }
  return at;
}
