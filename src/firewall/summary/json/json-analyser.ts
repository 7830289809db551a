import { VIEW_JSON_DEPTH_MAX_COUNT } from "../../../limits.ts";
import type { Analyser, ProposedView, Summary } from "../analyser.ts";
import { counted, grouped, SETTLE_CHARS } from "../cut.ts";
import { fit } from "../fit.ts";
import { type Collection, collectionsOf } from "./collections.ts";
import { describe, describeFields, nounOf } from "./describe.ts";
import { type JsonFault, JsonScanner } from "./scanner.ts";
import type { Shape } from "./shape.ts";
import { JsonShaper } from "./shaper.ts";
import type { Samples } from "./sample.ts";
import { keyText, nameSegment } from "./value-text.ts";
import { jsonViews, ndjsonViews } from "./views.ts";

/** Beside the largest collection. */
const OTHER_COLLECTIONS_MAX_COUNT = 3;
const KEYS_SHOWN_COUNT = 3;
const PATH_SHOWN_POINTS = 80;
const HEAD_CHARS = 4_000;
const LINES_COUNT = 100;
const LINES_AROUND_COUNT = 10;
const ROWS_COUNT = 20;

/** JSON, one value or several, with what all elements of its largest array or map have in common. */
export class JsonAnalyser implements Analyser {
  readonly #shaper = new JsonShaper();
  readonly #scanner = new JsonScanner(this.#shaper);
  #units = 0;
  #ended = false;

  push(piece: string): void {
    this.#units += piece.length;
    this.#scanner.push(piece);
    if (piece.length >= SETTLE_CHARS) this.#shaper.settle();
  }

  get retainedChars(): number {
    return this.#shaper.retainedChars + this.#scanner.retainedChars;
  }

  /** Where it stopped being JSON, as far as it was read. */
  get fault(): JsonFault | undefined {
    return this.#scanner.fault;
  }

  get values(): number {
    return this.#shaper.shape.count;
  }

  /** Whether every value that has begun is over. */
  get complete(): boolean {
    return this.#shaper.complete;
  }

  /** Describes what the lines have in common, where each is one value and there are several; instead of `finish`. */
  finishLines(): ((room: number) => string) | undefined {
    this.#end();
    const { shape } = this.#shaper;
    const even = this.#scanner.oneALine && this.#scanner.fault === undefined && shape.count > 1;
    return even ? (room) => describe(shape, room) : undefined;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#scanner.finish();
    this.#shaper.finish();
  }

  #views(shape: Shape, collections: readonly Collection[]): ProposedView[] {
    // What is nested deeper, or breaks, is read as text only.
    const readable = this.#scanner.fault === undefined && this.#scanner.deepest <= VIEW_JSON_DEPTH_MAX_COUNT;
    return readable ? jsonViews(shape, collections, this.#units) : this.#plainViews();
  }

  #plainViews(): ProposedView[] {
    const { fault, lines } = this.#scanner;
    const views: ProposedView[] = [];
    if (lines <= 1) views.push({ selector: { type: "head", chars: HEAD_CHARS }, label: "the beginning" });
    else
      views.push({
        selector: { type: "lines", start: 0, end: Math.min(LINES_COUNT, lines) },
        label: "the beginning",
      });
    if (fault?.reason === "syntax" && fault.line > LINES_COUNT)
      views.push({
        selector: {
          type: "lines",
          start: fault.line - LINES_AROUND_COUNT,
          end: fault.line + LINES_AROUND_COUNT,
        },
        label: "where it stops being JSON",
      });
    else if (fault === undefined && lines > LINES_COUNT)
      views.push({ selector: { type: "lines", start: -ROWS_COUNT }, label: `the last ${ROWS_COUNT} lines` });
    return views;
  }

  finish(): Summary | undefined {
    this.#end();
    const { shape, samples } = this.#shaper;
    if (shape.count === 0) return undefined;
    const { fault } = this.#scanner;
    if (shape.count > 1) {
      const lines = this.#scanner.oneALine;
      const rows = lines && fault === undefined && this.#scanner.dense;
      // `tool_view` counts an empty line as a row, so that only line numbers mean the same to it.
      const { first, last } = this.#scanner.valueLines;
      const name = (index: number): string =>
        rows || !lines ? `value ${index}` : `line ${first[index] ?? last}`;
      const text = fit((room) => sequenceLines(shape, samples, lines, fault, name, room));
      return { kind: "ndjson", text, views: rows ? ndjsonViews(shape) : this.#plainViews() };
    }
    const collections = collectionsOf(shape);
    for (const collection of collections.slice(0, 1)) collection.shape.toldApart = true;
    const text = fit((room) => documentLines(shape, collections, fault, room));
    return { kind: "json", text, views: this.#views(shape, collections) };
  }
}

function sequenceLines(
  shape: Shape,
  samples: Samples,
  lines: boolean,
  fault: JsonFault | undefined,
  name: (index: number) => string,
  room: number,
): string[] {
  const { one, many } = nounOf(shape);
  const noun = shape.count === 1 ? one : many;
  const head = lines
    ? `NDJSON: ${grouped(shape.count)} ${noun}, one a line`
    : `JSON texts one behind the other: ${grouped(shape.count)} ${noun}`;
  return [
    `${head}${faultText(fault, shape.count)}`,
    `each: ${describe(shape, room * 0.5)}`,
    ...sampleLines(samples, shape.count, room * 0.35, name),
  ];
}

function documentLines(
  shape: Shape,
  collections: readonly Collection[],
  fault: JsonFault | undefined,
  room: number,
): string[] {
  const [main, ...others] = collections;
  const head = `${headline(shape)}${faultText(fault, 1)}`;
  if (main === undefined) return [head, shape.objects === 0 ? "" : describeFields(shape, room * 0.85)];
  const atRoot = main.path === "$";
  const small = collections.length > 1 ? 0.3 : 0.4;
  return [
    head,
    atRoot ? "" : describeFields(shape, room * small),
    eachLine(main, room * (atRoot ? 0.5 : 0.35)),
    ...sampleLines(main.samples, main.count, room * 0.3, (index) => elementName(main, index)),
    ...others
      .filter(({ each, count }) => count > 1 && each.objects > 0)
      .slice(0, OTHER_COLLECTIONS_MAX_COUNT)
      .map((other) => eachLine(other, room * 0.1)),
  ];
}

function headline(shape: Shape): string {
  if (shape.arrays === 1) {
    const count = shape.items?.count ?? 0;
    const { one, many } = shape.items === undefined ? { one: "value", many: "values" } : nounOf(shape.items);
    return `JSON array of ${shape.partial ? "at least " : ""}${counted(count, one, many)}`;
  }
  if (shape.objects === 1) {
    const least = shape.partial ? "at least " : "";
    return `JSON object with ${least}${counted(shape.members.sum, "member")}`;
  }
  return `JSON ${nounOf(shape).one}: ${describe(shape, 0)}`;
}

function eachLine(collection: Collection, room: number): string {
  const { path, map, count, each, keys } = collection;
  if (count === 0) return "";
  if (path === "$" && !map) return `each: ${describe(each, room)}`;
  const least = collection.partial ? "at least " : "";
  const some = keys.slice(0, KEYS_SHOWN_COUNT).map((key) => keyText(key));
  const names = map ? ` (${some.join(", ")}${count > some.length ? ", …" : ""})` : "";
  return `${shownPath(path)}${map ? ".*" : "[*]"}: ${least}${grouped(count)}${names}, each ${describe(each, room)}`;
}

/** The first elements and the last one, or only one at each end; whole ones only. */
function sampleLines(
  samples: Samples | undefined,
  count: number,
  room: number,
  name: (index: number) => string,
): string[] {
  if (samples === undefined) return [];
  const last = samples.last === undefined ? [] : [{ sample: samples.last, index: count - 1 }];
  const all = [...samples.first.map((sample, index) => ({ sample, index })), ...last].filter(
    ({ sample }) => sample.done,
  );
  const fits = all.reduce((sum, { sample }) => sum + sample.text(room).length, 0) <= room;
  const shown = fits || all.length < 2 ? all : [...all.slice(0, 1), ...all.slice(-1)];
  const each = room / Math.max(1, shown.length);
  return shown.map(({ sample, index }) => `${name(index)}: ${sample.text(each)}`);
}

function elementName({ path, map, keys }: Collection, index: number): string {
  return map ? shownPath(`${path}${nameSegment(keys[0] ?? "")}`) : `${shownPath(path)}[${index}]`;
}

/** Of a long path only the end. */
function shownPath(path: string): string {
  const points = Array.from(path);
  return points.length <= PATH_SHOWN_POINTS ? path : `$…${points.slice(2 - PATH_SHOWN_POINTS).join("")}`;
}

function faultText(fault: JsonFault | undefined, values: number): string {
  if (fault === undefined) return "";
  const place = `line ${fault.line}, character ${grouped(fault.points)}`;
  const what =
    fault.reason === "end"
      ? "cut off at its end"
      : fault.reason === "depth"
        ? `nested too deep to read at ${place} (from 0)`
        : `no JSON from ${place} (from 0) on`;
  return `, ${what}; all here is of the ${values > 1 ? "values" : "part"} before that`;
}
