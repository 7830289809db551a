import { VIEW_JSON_TREE_MAX_BYTES, VIEW_MAX_BYTES } from "../../../limits.ts";
import { ok, type Result } from "../../../result.ts";
import { normalizedPath } from "../../../json-path/node.ts";
import { resumeText } from "../json/resume.ts";
import { OPEN_ARRAY, Room } from "../json/scan.ts";
import { type Found, JsonWalk, type Step, type WalkState } from "../json/walk.ts";
import { type TextShape, textView, type View, viewProblem, type ViewProblem } from "../plan.ts";
import type { Selector } from "../selector.ts";
import { ElementWriter } from "./project.ts";
import { asBytes, noEnd, tooLong } from "./table.ts";
import { appliedRows, behindRows, rowsFrom, type RowsSelector, windowOf } from "./window.ts";

const ELEMENTS: readonly Step[] = [{ kind: "all" }];

/** Elements of a top-level array, one line of compact JSON each, or of each the members asked for. */
export function arrayRows(
  shape: TextShape,
  selector: RowsSelector,
  bytes: Uint8Array,
  state: WalkState | undefined,
): Result<View, ViewProblem> {
  const offset = selector.offset ?? 0;
  const isLast = offset + bytes.length >= shape.sizeBytes;
  const isWhole = state === undefined && isLast;
  const total = isWhole ? countElements(bytes) : undefined;
  if (total === "broken") return noArray();
  const window = windowOf(selector, total);
  if (window === undefined) return noEnd(shape);
  const behind = behindRows(selector, total);
  if (behind !== undefined) return behind;

  const walk = new JsonWalk(bytes, ELEMENTS, state);
  const writer = new ElementWriter(selector.columns);
  const room = new Room(VIEW_MAX_BYTES);
  let row = state?.levels[0]?.index ?? 0;
  let shown = 0;
  const resume = () => {
    const reached = walk.state();
    // What never came into the array begins again from the front.
    if (isWhole || reached.levels.length === 0) return undefined;
    return { offset: offset + walk.at, resume: `json:${resumeText(reached)}` };
  };
  const answer = (goesOn: boolean): Result<View, ViewProblem> => {
    const isBefore = row < window.start;
    const text = isBefore ? `row ${window.start} is further on: ${row} rows passed` : room.take();
    const at = Math.max(window.start, row);
    const next = goesOn ? rowsFrom(selector, window, at, resume()) : undefined;
    const problem = state === undefined ? writer.problem(window, next) : undefined;
    return problem ?? ok(textView(shape, text, appliedRows(selector, window.start, at), next, total));
  };
  /** Whoever followed `next` is told in an answer, as its end. */
  const ended = (rows: number): Result<View, ViewProblem> => {
    const text = `the array ends before row ${window.start}: it has ${rows} elements`;
    return ok(textView(shape, text, appliedRows(selector, rows, rows), undefined));
  };
  for (;;) {
    if (row >= window.end && row >= window.start) return answer(!isOver(walk, bytes, isLast));
    const found = walk.next();
    if (found === "broken" || (found === "more" && isLast)) return noArray();
    if (found === "over") {
      if (row >= window.start) return answer(false);
      // A whole array is counted, so that no more than its end is asked for here.
      return state === undefined ? (behindRows(selector, row) ?? answer(false)) : ended(row);
    }
    if (found === "more") return walk.at === 0 ? tooLong() : answer(true);
    const isWanted = row >= window.start;
    if (found.inside !== null && isLast) return noArray();
    if (found.inside !== null) {
      // It ends behind the read: the next one begins with it, or goes by what is left of it.
      if (!isWanted) walk.leave(found);
      else if (found.from > 0) walk.putBack(found);
      else return asBytes(shape, bytes, offset, found.start);
      return answer(true);
    }
    if (isWanted) {
      const line = writer.write(bytes.subarray(found.start, found.end));
      if (line === undefined && shown === 0) return asBytes(shape, bytes, offset, found.start);
      if (line === undefined || line.length > room.left) {
        walk.putBack(found);
        return answer(true);
      }
      room.put(line);
      shown += 1;
    }
    walk.leave(found);
    row += 1;
  }
}

/** Whether nothing but the array's end follows. */
function isOver(walk: JsonWalk, bytes: Uint8Array, isLast: boolean): boolean {
  const rest = new JsonWalk(bytes, ELEMENTS, walk.state());
  rest.at = walk.at;
  return isLast && rest.next() === "over";
}

function countElements(bytes: Uint8Array): number | "broken" {
  const walk = new JsonWalk(bytes, ELEMENTS);
  let count = 0;
  for (;;) {
    const found = walk.next();
    if (found === "over") return count;
    // What the document's end cuts would be found there over and over.
    if (typeof found === "string" || found.inside !== null) return "broken";
    walk.leave(found);
    count += 1;
  }
}

function noArray(): Result<never, ViewProblem> {
  return viewProblem("the artifact is no JSON array", ["json_keys", "lines", "grep"]);
}

/** An object has no rows of its own; what in it does is named. */
export function noRowsInObject(shape: TextShape, bytes: Uint8Array): Result<never, ViewProblem> {
  const walk = new JsonWalk(bytes, [{ kind: "all", named: true }]);
  const arrays: Selector[] = [];
  const part = shape.sizeBytes > VIEW_JSON_TREE_MAX_BYTES ? "[*]" : "[0:100]";
  for (let found: Found | string = walk.next(); typeof found !== "string"; found = walk.next()) {
    const isArray = bytes[found.start] === OPEN_ARRAY;
    if (isArray && found.name !== undefined && found.name.length <= 64 && arrays.length < 3) {
      arrays.push({ type: "json_path", path: `${normalizedPath([found.name])}${part}` });
    }
    walk.leave({ ...found, inside: null });
  }
  return viewProblem("the artifact is a JSON object: only arrays have rows", [...arrays, "json_keys"]);
}
