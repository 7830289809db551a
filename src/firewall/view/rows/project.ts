import { parseExactJson } from "../../../exact-json/parse.ts";
import { exactJsonText } from "../../../exact-json/write.ts";
import { isRecord } from "../../../json.ts";
import { VIEW_JSON_TREE_MAX_BYTES, VIEW_MAX_BYTES } from "../../../limits.ts";
import { type Result } from "../../../result.ts";
import { decodeUtf8 } from "../../result/utf8.ts";
import { AT_VALUE, compactInto, Room } from "../json/scan.ts";
import { shownNames } from "../names.ts";
import { hasUnseen } from "../../../unseen.ts";
import { viewProblem, type ViewProblem } from "../plan.ts";
import type { Selector } from "../selector.ts";
import type { RowWindow } from "./window.ts";

const encoder = new TextEncoder();

/** Writes elements as lines of compact JSON, each whole or only the members asked for. */
export class ElementWriter {
  readonly #columns: readonly string[] | undefined;
  /** Names of the first object that was asked for members. */
  #names: readonly string[] | undefined;
  #hasAny = false;

  constructor(columns: readonly string[] | undefined) {
    this.#columns = columns;
  }

  /** One line with its end; `undefined` where it is longer than an answer may be. */
  write(element: Uint8Array): Uint8Array | undefined {
    const text = this.#columns === undefined ? compact(element) : this.#project(element, this.#columns);
    return text !== undefined && text.length <= VIEW_MAX_BYTES ? text : undefined;
  }

  /**
   * Says so where an artifact's first rows were asked for and written, and none of the objects has any of the members.
   * Further on it is no problem: rows may differ, and whoever follows `next` must get to the end. `next` is where the
   * rest could be asked for all the same.
   */
  problem(window: RowWindow, next: Selector | undefined): Result<never, ViewProblem> | undefined {
    if (this.#names === undefined || this.#hasAny || window.start > 0) return undefined;
    const goesOn = next === undefined || this.#columns?.some(hasUnseen) ? [] : [next];
    return viewProblem(
      "the first rows have none of these columns",
      [{ type: "rows", start: 0, end: 10 }, ...goesOn],
      shownNames(this.#names),
    );
  }

  /** What is no object is written as it is. */
  #project(element: Uint8Array, columns: readonly string[]): Uint8Array | undefined {
    if (element.length > VIEW_JSON_TREE_MAX_BYTES) return undefined;
    const parsed = parseExactJson(decodeUtf8(element), { duplicates: "last" });
    if (!parsed.ok || !isRecord(parsed.value)) return compact(element);
    const row = parsed.value;
    this.#names ??= Object.keys(row);
    const members = columns
      .filter((column) => Object.hasOwn(row, column))
      .map((column) => `${JSON.stringify(column)}:${exactJsonText(row[column])}`);
    this.#hasAny ||= members.length > 0;
    return encoder.encode(`{${members.join(",")}}\n`);
  }
}

function compact(element: Uint8Array): Uint8Array | undefined {
  const room = new Room(Math.min(element.length, VIEW_MAX_BYTES) + 1);
  const { end } = compactInto(room, element, 0, element.length, AT_VALUE);
  if (end < element.length || room.left === 0) return undefined;
  room.put(LINE_END);
  return room.take();
}

const LINE_END = new Uint8Array([10]);
