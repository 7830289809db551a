import { parseExactJson } from "../../exact-json/parse.ts";
import { surveyExact } from "../../exact-json/survey.ts";
import { isRecord } from "../../json.ts";
import {
  VIEW_JSON_DEPTH_MAX_COUNT,
  VIEW_JSON_LOCATIONS_MAX_COUNT,
  VIEW_JSON_TREE_MAX_BYTES,
  VIEW_MAX_BYTES,
} from "../../limits.ts";
import { ok, type Result } from "../../result.ts";
import { atBoundary, decodeUtf8 } from "../result/utf8.ts";
import { planStreamedPath } from "./json-path-streamed.ts";
import { findJson, type QueryProblem } from "../../json-path/query-json.ts";
import { hasUnseen } from "../../unseen.ts";
import { type JsonLocation, type JsonNode, locationOf, normalizedPath } from "../../json-path/node.ts";
import { parseJsonPath, type PathProblem } from "../../json-path/parse.ts";
import type { Query } from "../../json-path/query.ts";
import { AT_VALUE, compactInto, Room } from "./json/scan.ts";
import { type Span, spansOf } from "./json/spans.ts";
import { shownNames } from "./names.ts";
import {
  fromEnd,
  type TextShape,
  textView,
  type View,
  type ViewPlan,
  viewProblem,
  type ViewProblem,
} from "./plan.ts";
import type { Selector, SelectorOf } from "./selector.ts";

type PathSelector = SelectorOf<"json_path">;

const NEWLINE_BYTES = new Uint8Array([10]);

/**
 * What a JSONPath query selects, one compact value a line, written as in the document. `start` is the first match to show,
 * `offset` the bytes of it that were shown before. Small documents answer all of RFC 9535; of large ones, which are not
 * held whole, only names, indexes from 0 and wildcards are looked for.
 */
export function planJsonPath(shape: TextShape, selector: PathSelector): Result<ViewPlan, ViewProblem> {
  const query = parseJsonPath(selector.path);
  if (!query.ok) return syntaxProblem(query.reason);
  if (shape.sizeBytes > VIEW_JSON_TREE_MAX_BYTES) return planStreamedPath(shape, selector, query.value);
  return ok({
    offset: 0,
    length: shape.sizeBytes,
    finish: (bytes) => answer(shape, selector, query.value, bytes),
  });
}

function syntaxProblem({ problem, at }: PathProblem): Result<never, ViewProblem> {
  return viewProblem(`the path is no JSONPath: ${problem}, at character ${at}`, [
    { type: "json_path", path: "$" },
    { type: "json_path", path: "$['name'][0:10]" },
  ]);
}

function answer(
  shape: TextShape,
  selector: PathSelector,
  query: Query,
  bytes: Uint8Array,
): Result<View, ViewProblem> {
  const root = readDocument(bytes);
  if (!root.ok) return root;
  const found = findJson(selector.path, root.value);
  if (!found.ok) return queryProblem(found.reason);
  const { nodes, reached } = found.value;
  if (nodes.length === 0) {
    const prefix = selector.path.slice(0, query.segments[reached.segments - 1]?.end ?? 1);
    return nothing(prefix, reached.nodes);
  }
  const start = fromEnd(selector.start ?? 0, nodes.length);
  if (start >= nodes.length) {
    return viewProblem(`the path selects ${nodes.length} values; start is behind them`, [
      hasUnseen(selector.path) ? "json_path" : { type: "json_path", path: selector.path, start: 0 },
    ]);
  }
  const locations = locationsFrom(nodes, start);
  const shown = write(bytes, spansOf(bytes, locations), selector.offset ?? 0);
  const at = start + shown.count;
  const isOver = at >= nodes.length;
  const rest = shown.cut === undefined ? {} : { offset: shown.cut };
  const next: Selector = { type: "json_path", path: selector.path, start: at, ...rest };
  const applied = { ...selector, ...(start === 0 ? {} : { start }) };
  return ok(textView(shape, shown.text, applied, isOver ? undefined : next));
}

/** The document as a tree, if it is one and no deeper than what recurses over it bears. */
function readDocument(bytes: Uint8Array): Result<unknown, ViewProblem> {
  const text = decodeUtf8(bytes).replace(/^\uFEFF/, "");
  const exact = parseExactJson(text, { duplicates: "last" });
  let root: unknown;
  if (exact.ok) root = exact.value;
  // Too many numbers to be compared exactly; what is shown is the document's own text anyway.
  else if (exact.reason.reason === "too_many_numbers") root = JSON.parse(text);
  else return viewProblem("the artifact is no JSON document", ["rows", "grep", "lines"]);
  return surveyExact(root).depth > VIEW_JSON_DEPTH_MAX_COUNT
    ? viewProblem(`the JSON is nested deeper than ${VIEW_JSON_DEPTH_MAX_COUNT} levels`, ["grep", "bytes"])
    : ok(root);
}

function queryProblem(reason: QueryProblem): Result<never, ViewProblem> {
  if (reason.reason === "syntax") return syntaxProblem(reason);
  return viewProblem("the query looks at too much of the document, or selects too much: narrow it", [
    "json_keys",
    "rows",
    "grep",
  ]);
}

/** Where the path leads nowhere, and what there is at the last place that it came to. */
function nothing(prefix: string, reached: readonly JsonNode[]): Result<never, ViewProblem> {
  const [node] = reached;
  // What cannot be seen in the caller's own words is told in ours.
  const path = hasUnseen(prefix) ? normalizedPath(node === undefined ? [] : locationOf(node)) : prefix;
  const value = node?.value;
  const works: ViewProblem["try"] = [{ type: "json_path", path }];
  if (Array.isArray(value)) {
    return viewProblem(`nothing matches behind ${path}, an array of ${value.length}`, works);
  }
  if (!isRecord(value)) return viewProblem(`nothing matches behind ${path}, which holds nothing more`, works);
  return viewProblem(`nothing matches behind ${path}`, works, shownNames(Object.keys(value)));
}

/** Of as many matches as an answer could hold, a byte and a line end each. */
function locationsFrom(nodes: readonly JsonNode[], start: number): readonly JsonLocation[] {
  const locations: JsonLocation[] = [];
  let keys = 0;
  for (const node of nodes.slice(start, start + VIEW_MAX_BYTES / 2)) {
    const location = locationOf(node);
    keys += location.length;
    if (keys > VIEW_JSON_LOCATIONS_MAX_COUNT && locations.length > 0) break;
    locations.push(location);
  }
  return locations;
}

/** `count` matches are shown to their ends; `cut` is how much was shown of the one behind them. */
interface Written {
  readonly text: string;
  readonly count: number;
  readonly cut: number | undefined;
}

/** Only the first match is ever cut. */
function write(bytes: Uint8Array, spans: readonly (Span | undefined)[], offset: number): Written {
  // The part that was shown before is written again and left out.
  const room = new Room(Math.min(offset, bytes.length) + VIEW_MAX_BYTES);
  let count = 0;
  for (const span of spans) {
    const before = room.length;
    if (count > 0) {
      if (room.left === 0) break;
      room.put(NEWLINE_BYTES);
    }
    const { start, end } = span ?? { start: 0, end: 0 };
    if (compactInto(room, bytes, start, end, AT_VALUE).end < end) {
      if (count > 0) room.length = before;
      break;
    }
    count += 1;
  }
  const all = room.take();
  const from = atBoundary(all, Math.min(offset, all.length));
  return { text: decodeUtf8(all.subarray(from)), count, cut: count === 0 ? all.length : undefined };
}
