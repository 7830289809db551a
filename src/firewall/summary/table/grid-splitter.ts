import { SUMMARY_COLUMNS_MAX_COUNT, SUMMARY_LINE_JUDGED_CHARS } from "../../../limits.ts";
import { LineSplitter } from "../lines/line-splitter.ts";
import { counted, grouped } from "../cut.ts";
import { scannedCell } from "./columns.ts";
import { gridCells, type GridForm, isGridRule } from "./grid-lines.ts";
import type { TableRecord } from "./record-splitter.ts";

/** Stands for a drawn table's bars, in either form. */
export const GRIDS: Readonly<Record<GridForm, string>> = { grid: " \n", frame: "\n " };

/** What clients say below a table of themselves. */
const FOOTER = /^\s*\(?\d{1,15} rows?\b/;
/** So many lines beside a table are its titles; beyond them one may come to so many rows. */
const BESIDE_MAX_COUNT = 10;
const BESIDE_SHARE = 4;

/** The rows of a drawn table; lines that draw, titles and the count below are none. */
export class GridSplitter {
  readonly #splitter: LineSplitter;
  readonly brokenAt: undefined;
  #rows = 0;
  /** Lines that are none of the table's. */
  #beside = 0;
  /** Lines that go on with the row before, as psql draws cells with line ends in them: a plus where the column ends. */
  #further = 0;
  #goesOn = false;
  #ruleChars: number | undefined;

  constructor(form: GridForm, onRecord: (record: TableRecord) => void) {
    this.#splitter = new LineSplitter((head, _, line) => {
      const cells = gridCells(head, form);
      if (cells === undefined) {
        if (isGridRule(head)) this.#ruleChars ??= head.trimEnd().length;
        else if (head.trim() !== "" && !FOOTER.test(head)) this.#beside += 1;
        this.#goesOn = false;
        return;
      }
      this.#rows += 1;
      if (this.#goesOn) this.#further += 1;
      this.#goesOn =
        form === "grid" && (head.includes("+|") || (head.endsWith("+") && head.length === this.#ruleChars));
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

  /** Whether there is more beside the table than it is itself. */
  get isBeside(): boolean {
    return this.#beside > BESIDE_MAX_COUNT && this.#beside * BESIDE_SHARE > this.#rows;
  }

  get remarks(): string {
    const further =
      this.#further === 0 ? "" : `, ${grouped(this.#further)} of them going on with the row before`;
    return this.#beside === 0
      ? further
      : `${further}; beside it ${counted(this.#beside, "line")} of other text`;
  }

  push(piece: string): void {
    this.#splitter.push(piece);
  }

  finish(): void {
    this.#splitter.finish();
  }
}
