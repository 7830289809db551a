import { SUMMARY_COLUMNS_MAX_COUNT, SUMMARY_LINE_JUDGED_CHARS } from "../../../limits.ts";
import { LineSplitter } from "../lines/line-splitter.ts";
import { scannedCell } from "./columns.ts";
import { gridCells, type GridForm } from "./grid-lines.ts";
import type { TableRecord } from "./record-splitter.ts";

/** Stands for a drawn table's bars, in either form. */
export const GRIDS: Readonly<Record<GridForm, string>> = { grid: " \n", frame: "\n " };

/** The rows of a drawn table; lines that draw, titles and the count below are none. */
export class GridSplitter {
  readonly #splitter: LineSplitter;
  readonly brokenAt: undefined;

  constructor(form: GridForm, onRecord: (record: TableRecord) => void) {
    this.#splitter = new LineSplitter((head, _, line) => {
      const cells = gridCells(head, form);
      if (cells === undefined) return;
      onRecord({
        cells: cells.slice(0, SUMMARY_COLUMNS_MAX_COUNT).map(scannedCell),
        width: cells.length,
        line,
      });
    }, SUMMARY_LINE_JUDGED_CHARS);
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
