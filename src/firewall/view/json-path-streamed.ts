import { VIEW_JSON_TREE_MAX_BYTES, VIEW_MAX_BYTES, VIEW_PATH_MAX_CHARS } from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import { hasUnseen } from "../../unseen.ts";
import type { Query, Segment } from "../../json-path/query.ts";
import { seen } from "../summary/neutral.ts";
import { readResume, resumeText, scanBytes } from "./json/resume.ts";
import { compactInto, Room } from "./json/scan.ts";
import { type Found, JsonWalk, type Step } from "./json/walk.ts";
import { type TextShape, textView, type View, type ViewPlan, viewProblem, type ViewProblem } from "./plan.ts";
import type { SelectorOf } from "./selector.ts";

type PathSelector = SelectorOf<"json_path">;

const NEWLINE_BYTES = new Uint8Array([10]);

/**
 * A path through a document too large to hold: the matches among the bytes of one read, one compact value a line. `next`
 * goes on where the read ended, or inside a value that was cut.
 */
export function planStreamedPath(
  shape: TextShape,
  selector: PathSelector,
  query: Query,
): Result<ViewPlan, ViewProblem> {
  const { path, offset = 0, resume } = selector;
  const trail: Step[] = [];
  for (const segment of query.segments) {
    const step = stepOf(segment);
    if (step === undefined) return unsupported(path.slice(0, query.segments[trail.length - 1]?.end ?? 1));
    trail.push(step);
  }
  const state = resume === undefined ? undefined : readResume(resume);
  const isFresh = resume === undefined && offset === 0 && (selector.start ?? 0) === 0;
  if ((!isFresh && state === undefined) || offset > shape.sizeBytes) {
    return viewProblem("in a large artifact offset and resume come from next, and there is no start", [
      hasUnseen(path) ? "json_path" : { type: "json_path", path },
    ]);
  }
  return ok({
    offset,
    length: Math.min(scanBytes(state), shape.sizeBytes - offset),
    finish: (bytes) => scan(shape, selector, bytes, new JsonWalk(bytes, trail, state), isOne(trail)),
  });
}

/** A name, an index from 0, or a wildcard; nothing else can be followed from front to back in one pass. */
function stepOf({ isDescendant, selectors }: Segment): Step | undefined {
  const [only] = selectors;
  if (isDescendant || selectors.length !== 1 || only === undefined) return undefined;
  if (only.kind === "wildcard") return { kind: "all" };
  if (only.kind === "name") return { kind: "names", names: new Set([only.name]) };
  return only.kind === "index" && only.index >= 0 ? { kind: "index", index: only.index } : undefined;
}

function isOne(trail: readonly Step[]): boolean {
  return trail.every(({ kind }) => kind !== "all");
}

function unsupported(prefix: string): Result<never, ViewProblem> {
  return viewProblem(
    `in an artifact of more than ${VIEW_JSON_TREE_MAX_BYTES} bytes a path has names, indexes from 0 and * only`,
    [hasUnseen(prefix) ? "json_path" : { type: "json_path", path: prefix }, "json_keys", "rows", "grep"],
  );
}

function scan(
  shape: TextShape,
  selector: PathSelector,
  bytes: Uint8Array,
  walk: JsonWalk,
  one: boolean,
): Result<View, ViewProblem> {
  const { path, offset = 0 } = selector;
  const whole = offset + bytes.length >= shape.sizeBytes;
  const room = new Room(VIEW_MAX_BYTES);
  let shown = 0;
  const answer = (goesOn: boolean): Result<View, ViewProblem> => {
    // What is no text does not become one by asking again.
    if (goesOn && walk.at === 0) return noDocument();
    const at = offset + walk.at;
    const text = shown === 0 ? `no match in bytes ${offset} to ${at}` : room.take();
    const next = { type: "json_path", path, offset: at, resume: resumeText(walk.state()) } as const;
    return ok(textView(shape, text, selector, goesOn ? next : undefined));
  };
  for (;;) {
    const found = walk.next();
    const isStuck = found === "more" && (whole || resumeText(walk.state()) === "");
    if (found === "broken" || isStuck) {
      return noDocument();
    }
    if (found === "over") return shown === 0 && offset === 0 ? nothing(path) : answer(false);
    if (found === "more") return answer(true);
    const copied = copy(room, bytes, found, shown > 0);
    if (copied === undefined) {
      walk.putBack(found);
      return answer(true);
    }
    shown += 1;
    if (copied.end < found.end || (found.inside !== null && !whole)) {
      walk.leave(found, copied);
      return answer(true);
    }
    walk.leave({ ...found, inside: null });
    if (one) return answer(false);
  }
}

/** Writes a match, whole or, if it is the answer's first, as far as there is room; `undefined` where nothing was written. */
function copy(
  room: Room,
  bytes: Uint8Array,
  { start, end, before }: Found,
  isFurther: boolean,
): ReturnType<typeof compactInto> | undefined {
  const { length } = room;
  if (isFurther) {
    if (room.left === 0) return undefined;
    room.put(NEWLINE_BYTES);
  }
  const copied = compactInto(room, bytes, start, end, before);
  if (copied.end === end || !isFurther) return copied;
  room.length = length;
  return undefined;
}

function noDocument(): Result<never, ViewProblem> {
  return viewProblem("the artifact is no JSON document", ["rows", "grep", "lines"]);
}

function nothing(path: string): Result<never, ViewProblem> {
  return viewProblem(`nothing matches ${seen(path, VIEW_PATH_MAX_CHARS)}`, [
    { type: "json_path", path: "$.*" },
    "head",
    "grep",
  ]);
}
