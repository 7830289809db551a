import { SUMMARY_COLUMNS_MAX_COUNT } from "../../../limits.ts";
import { owned } from "../cut.ts";
import { LineSplitter } from "../lines/line-splitter.ts";
import { scannedCell } from "./columns.ts";
import type { TableRecord } from "./record-splitter.ts";

/** Stands for columns that are aligned with spaces, as command-line tools print them. */
export const SPACED = "  ";

const GAP = / {2,}| *\t */g;
/** Below the names, or nothing. */
const RULE = /^[\s=-]*$/;
const LINES_MIN_COUNT = 3;
const COLUMNS_MIN_COUNT = 3;
const RULED = /^-{2,}(?: +-{2,})+\s*$/;
/** One line in so many may have a cell that is empty. */
const UNEVEN_SHARE = 4;

/** Splits lines into cells with two spaces between them; where one is empty, by the places of the names above. */
export class SpacedSplitter {
  readonly #splitter: LineSplitter;
  readonly brokenAt: undefined;
  #header: readonly PlacedCell[] | undefined;

  constructor(onRecord: (record: TableRecord) => void) {
    this.#splitter = new LineSplitter((head, _, line) => {
      if (RULE.test(head)) return;
      const found = cellsOf(head);
      if (found.length === 0) return;
      this.#header ??= found.map(({ text, from, to }) => ({ text: owned(text), from, to }));
      const all = aligned(found, this.#header) ?? found.map(({ text }) => text);
      const cells = all.slice(0, SUMMARY_COLUMNS_MAX_COUNT).map(scannedCell);
      onRecord({ cells, width: all.length, line });
    });
  }

  get retainedChars(): number {
    const held = this.#splitter.retainedChars;
    return (this.#header ?? []).reduce((sum, { text }) => sum + text.length, held);
  }

  push(piece: string): void {
    this.#splitter.push(piece);
  }

  finish(): void {
    this.#splitter.finish();
  }
}

interface PlacedCell {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

function cellsOf(line: string): PlacedCell[] {
  const cells: PlacedCell[] = [];
  let from = line.length - line.trimStart().length;
  const end = line.trimEnd().length;
  if (end <= from) return [];
  for (const gap of line.slice(0, end).matchAll(GAP)) {
    if (gap.index < from) continue;
    cells.push({ text: line.slice(from, gap.index), from, to: gap.index });
    from = gap.index + gap[0].length;
  }
  cells.push({ text: line.slice(from, end), from, to: end });
  return cells;
}

/** A cell for each name, empty where none stands below it; nothing where a cell is below no name or there are more. */
function aligned(cells: readonly PlacedCell[], header: readonly PlacedCell[]): string[] | undefined {
  if (cells.length === header.length) return cells.map(({ text }) => text);
  const all = header.map(() => "");
  let next = 0;
  for (const { text, from, to } of cells) {
    // Names are never looked at twice, so that a line takes no longer than it is.
    while (next < header.length && header[next]?.from !== from && header[next]?.to !== to) next += 1;
    if (next === header.length) return undefined;
    all[next] = text;
    next += 1;
  }
  return all;
}

/** Whether a line of names, in capitals or with a line drawn below each, is followed by lines with as many cells. */
export function looksSpaced(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== "");
  const rule = filled[1] ?? "";
  const isRuled = RULED.test(rule) && cellsOf(rule).length === cellsOf(filled[0] ?? "").length;
  const [header, ...rows] = filled.filter((line) => !RULE.test(line)).map(cellsOf);
  if (header === undefined || header.length < (isRuled ? 2 : COLUMNS_MIN_COUNT)) return false;
  if (rows.length + 1 < LINES_MIN_COUNT) return false;
  const uneven = rows.filter((cells) => aligned(cells, header) === undefined).length;
  const isNamed = isRuled || header.every(({ text }) => /^[A-Z][A-Z0-9 %()/_.:-]*$/.test(text));
  return isNamed && uneven * UNEVEN_SHARE <= rows.length;
}
