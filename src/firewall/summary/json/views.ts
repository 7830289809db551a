import {
  SUMMARY_VIEWS_MAX_COUNT,
  VIEW_JSON_TREE_MAX_BYTES,
  VIEW_PATH_MAX_CHARS,
  VIEW_SCAN_MAX_BYTES,
} from "../../../limits.ts";
import { fitsIn } from "../cut.ts";
import type { ProposedView } from "../analyser.ts";
import type { Collection } from "./collections.ts";
import type { Shape } from "./shape.ts";
import { nameSegment } from "./value-text.ts";

const ROWS_COUNT = 20;
const ELEMENTS_COUNT = 10;
/** Fields by which people know a thing. */
const NAMES = ["name", "title", "path", "id", "key", "full_name", "message", "summary"];
/** Top-level members that are shown whole together. */
const KEYS_MAX_COUNT = 12;

export function jsonViews(shape: Shape, collections: readonly Collection[], units: number): ProposedView[] {
  // Larger documents are read by names, indexes and wildcards only.
  const slices = fitsIn(units, VIEW_JSON_TREE_MAX_BYTES);
  // Only in what one read holds, rows are counted from the end.
  const scanned = fitsIn(units, VIEW_SCAN_MAX_BYTES);
  const [main, second] = collections;
  const views: ProposedView[] = [];
  if (main !== undefined) views.push(...collectionViews(main, slices, scanned));
  const plain = plainKeys(shape, main?.path ?? "");
  if (plain.length > 0) {
    views.push({ selector: { type: "json_keys", keys: plain }, label: "members that are no collections" });
  }
  if (second !== undefined && second.count > 0)
    views.push(...collectionViews(second, slices, scanned).slice(0, 1));
  return views.filter(fitsPath).slice(0, SUMMARY_VIEWS_MAX_COUNT);
}

export function ndjsonViews(shape: Shape): ProposedView[] {
  const [first, last] = rowViews(shape.count, true);
  const lines: ProposedView = { selector: { type: "lines", start: -ROWS_COUNT }, label: last?.label ?? "" };
  return first === undefined ? [] : last === undefined ? [first] : [first, lines];
}

function rowViews(count: number, fromEnd: boolean): ProposedView[] {
  const first: ProposedView = {
    selector: { type: "rows", start: 0, end: Math.min(ROWS_COUNT, count) },
    label: `the first ${Math.min(ROWS_COUNT, count)} elements`,
  };
  if (count <= ROWS_COUNT || !fromEnd) return [first];
  return [
    first,
    { selector: { type: "rows", start: -ROWS_COUNT }, label: `the last ${ROWS_COUNT} elements` },
  ];
}

function collectionViews(
  { path, map, count, each, keys }: Collection,
  slices: boolean,
  fromEnd: boolean,
): ProposedView[] {
  const views: ProposedView[] = [];
  if (path === "$" && !map) views.push(...rowViews(count, fromEnd));
  else if (map) {
    const [key] = keys;
    if (key !== undefined) views.push(byPath(`${path}${nameSegment(key)}`, "the first entry"));
  } else if (slices)
    views.push(byPath(`${path}[0:${Math.min(ELEMENTS_COUNT, count)}]`, "the first elements"));
  else views.push(byPath(`${path}[0]`, "the first element"));
  const name = tellingField(each);
  if (name !== undefined) views.push(byPath(`${path}${map ? ".*" : "[*]"}${name}`, "one field of each"));
  return views;
}

/** The path from a record to what tells it from others, in it or in an object in it. */
function tellingField(record: Shape): string | undefined {
  const own = NAMES.find((name) => isTelling(record.fields.get(name)));
  if (own !== undefined) return nameSegment(own);
  for (const [key, { fields }] of record.fields) {
    const inner = NAMES.find((name) => isTelling(fields.get(name)));
    if (inner !== undefined) return `${nameSegment(key)}${nameSegment(inner)}`;
  }
  for (const [key, field] of record.fields) {
    if (isTelling(field)) return nameSegment(key);
    const inner = [...field.fields].find(([, each]) => isTelling(each));
    if (inner !== undefined) return `${nameSegment(key)}${nameSegment(inner[0])}`;
  }
  return undefined;
}

function isTelling(field: Shape | undefined): boolean {
  if (field === undefined || field.scalars === 0) return false;
  return field.stringTallies.all?.length !== 1 && field.numberTallies.all?.length !== 1;
}

function byPath(path: string, label: string): ProposedView {
  return { selector: { type: "json_path", path }, label };
}

/** Half a surrogate pair in a name, which `nameSegment` escapes, is in no legal path. */
const LONE_SURROGATE = /\\u[dD][89a-fA-F]/;

function fitsPath({ selector }: ProposedView): boolean {
  if (selector.type !== "json_path") return true;
  return selector.path.length <= VIEW_PATH_MAX_CHARS && !LONE_SURROGATE.test(selector.path);
}

/** Top-level members that are small, where others are not. `main`: the path of the largest collection. */
function plainKeys(shape: Shape, main: string): string[] {
  const keys = [...shape.fields]
    .filter(([key]) => !isWithin(main, `$${nameSegment(key)}`))
    .filter(
      ([, field]) => field.count === field.scalars || (field.objects === 1 && field.values === undefined),
    )
    .map(([key]) => key);
  return keys.length < shape.fields.size || shape.lost > 0 ? keys.slice(0, KEYS_MAX_COUNT) : [];
}

/** Whether a path leads to what another leads to, or on from there. */
function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
}
