import { SUMMARY_COLUMNS_MAX_COUNT, SUMMARY_VALUE_HEAD_CHARS } from "../../../limits.ts";
import { pointsOf } from "../cut.ts";
import type { ScannedText } from "../json/scanner.ts";
import { LineSplitter } from "../lines/line-splitter.ts";
import type { TableRecord } from "./record-splitter.ts";

/** Stands for columns that are aligned with spaces, as command-line tools print them. */
export const SPACED = "  ";

const GAP = /(?: {2,}| *\t *)/;
const LINES_MIN_COUNT = 3;
const COLUMNS_MIN_COUNT = 3;
/** One line in so many may have a cell that is empty. */
const UNEVEN_SHARE = 4;

/** Splits lines into cells with two spaces between them. */
export class SpacedSplitter {
  readonly #splitter: LineSplitter;
  readonly brokenAt: undefined;

  constructor(onRecord: (record: TableRecord) => void) {
    this.#splitter = new LineSplitter((head, _, line) => {
      const all = cellsOf(head);
      if (all.length === 0) return;
      const cells = all.slice(0, SUMMARY_COLUMNS_MAX_COUNT).map(scanned);
      onRecord({ cells, width: all.length, line });
    });
  }

  get retainedChars(): number {
    return this.#splitter.retainedChars;
  }

  push(piece: string): void {
    this.#splitter.push(piece);
  }

  finish(): void {
    this.#splitter.finish();
  }
}

function cellsOf(line: string): string[] {
  const trimmed = line.trim();
  return trimmed === "" ? [] : trimmed.split(GAP);
}

function scanned(text: string): ScannedText {
  const head = text.slice(0, SUMMARY_VALUE_HEAD_CHARS);
  return { head, points: pointsOf(text), whole: head.length === text.length };
}

/** Whether a line of names in capitals is followed by lines with as many cells. */
export function looksSpaced(lines: readonly string[]): boolean {
  const [header, ...rows] = lines.filter((line) => line.trim() !== "").map(cellsOf);
  if (header === undefined || header.length < COLUMNS_MIN_COUNT || rows.length + 1 < LINES_MIN_COUNT)
    return false;
  const uneven = rows.filter(({ length }) => length !== header.length).length;
  return (
    header.every((name) => /^[A-Z][A-Z0-9 %()/_.:-]*$/.test(name)) && uneven * UNEVEN_SHARE <= rows.length
  );
}
