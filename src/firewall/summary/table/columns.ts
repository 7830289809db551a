import { SUMMARY_VALUE_HEAD_CHARS } from "../../../limits.ts";
import { grouped, pointsOf } from "../cut.ts";
import { describeNumbers, describeStrings } from "../json/describe.ts";
import type { ScannedText } from "../json/scanner.ts";
import { Shape } from "../json/shape.ts";
import { isDate } from "../scalars.ts";

const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

/** What the cells of one column have in common. */
export class Column {
  readonly #shape = new Shape();

  add(cell: ScannedText): void {
    if (cell.head === "") this.#shape.addLiteral("null");
    else if (isNumber(cell)) this.#shape.addNumber(cell);
    else this.#shape.addString(cell);
  }

  describe(): string {
    const { numbers, strings, nulls } = this.#shape;
    const parts = [
      { count: numbers, text: numbers === 0 ? "" : describeNumbers(this.#shape) },
      { count: strings, text: strings === 0 ? "" : describeStrings(this.#shape).replace(/^string/, "text") },
      { count: nulls, text: "empty" },
    ].filter(({ count }) => count > 0);
    const [only] = parts;
    if (only === undefined) return "empty";
    if (parts.length === 1) return only.text;
    return parts.map(({ text, count }) => `${text}×${grouped(count)}`).join(" | ");
  }

  /** Whether the cells tell rows apart as names do. */
  get telling(): boolean {
    return this.#shape.strings > 0 && this.#shape.stringTallies.all === undefined;
  }

  get retainedChars(): number {
    return this.#shape.retainedChars;
  }
}

/** A cell that is at hand. */
export function scannedCell(text: string): ScannedText {
  const head = text.slice(0, SUMMARY_VALUE_HEAD_CHARS);
  return { head, points: pointsOf(text), whole: head.length === text.length };
}

function isNumber({ head, whole }: ScannedText): boolean {
  return whole && NUMBER.test(head);
}

/** Names over columns: none of them a value, and hardly any twice. A first one without a name is an index. */
export function isHeader(cells: readonly ScannedText[]): boolean {
  const names = new Set(cells.map(({ head }) => head));
  const named = cells.every(
    (cell, index) =>
      cell.whole && !isNumber(cell) && !isDate(cell.head) && (index === 0 || cell.head.trim() !== ""),
  );
  return named && names.size * 2 > cells.length;
}

/** Whether some column has numbers or dates in all rows, as columns have and sentences have not. */
export function hasValues(rows: readonly (readonly ScannedText[])[]): boolean {
  const [first = []] = rows;
  return first.some((_, index) =>
    rows.every((cells) => {
      const cell = cells[index];
      return cell !== undefined && (isNumber(cell) || (cell.whole && isDate(cell.head)));
    }),
  );
}
