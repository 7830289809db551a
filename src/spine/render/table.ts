import {
  INLINE_MIN_CHARS,
  PORCELAIN_DEFAULT_MAX_LINES,
  TABLE_CELL_DEFAULT_MAX_CHARS,
  TABLE_COLUMNS_DEFAULT_MAX_COUNT,
} from "../../limits/spine.ts";
import { wholeBound } from "./bounds.ts";
import { boundLines } from "./lines.ts";
import { isUnsayable, partsOf } from "./members.ts";
import { previewJson } from "./preview.ts";
import { cutPlain, isPrintable, quoteJson } from "./quote.ts";
import { truncateChars } from "./truncate.ts";

export interface TableBounds {
  /** The header among them; at least 1. */
  readonly maxLines: number;
  /** Code points; at least 3. */
  readonly maxCellChars: number;
  /** At least 1. A line with more ends in one cell that counts them. */
  readonly maxColumns: number;
}

const SEPARATOR = " | ";
/** A cell that a row does not have. */
const MISSING = "-";

/**
 * A header and rows, ` | ` between the cells: as many cells in each line as there are columns, so that a line can be split
 * at its separators. A short row has `-` where it ends; what a row has beyond its columns is counted as `+N more` in one
 * more cell. Scalars stand without quotes. A string is quoted as JSON only where it could be taken for something else: if
 * it holds `|`, a line break or another control character, blanks around it, or reads like one of the marks here. Objects
 * and arrays are previews. Where there are more lines than the bound, the last says how many are omitted, itself included.
 */
export function renderTable(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  bounds: Partial<TableBounds> = {},
): string {
  const { maxLines = PORCELAIN_DEFAULT_MAX_LINES } = bounds;
  const maxChars = wholeBound(bounds.maxCellChars ?? TABLE_CELL_DEFAULT_MAX_CHARS, INLINE_MIN_CHARS);
  const most = wholeBound(bounds.maxColumns ?? TABLE_COLUMNS_DEFAULT_MAX_COUNT, 1);
  const width = Math.min(columns.length, most);
  return boundLines(rows.length + 1, maxLines, (line) => {
    const cells = (line === 0 ? columns : rows[line - 1]) ?? [];
    const texts = Array.from({ length: width }, (_, index) => cellText(cells[index], maxChars));
    if (cells.length > width) texts.push(`+${cells.length - width} more`);
    return texts.join(SEPARATOR);
  });
}

function cellText(value: unknown, maxChars: number): string {
  if (isUnsayable(value)) return MISSING;
  const parts = partsOf(value);
  if (parts.kind === "scalar") return cutPlain(parts.text, maxChars);
  if (parts.kind !== "string") return previewJson(value, maxChars, "cell");
  // Of a text without end no more is looked at than can be shown.
  const isBare = isBareCell(truncateChars(parts.value, maxChars).text);
  return isBare ? cutPlain(parts.value, maxChars) : quoteJson(parts.value, maxChars, "cell").text;
}

/** The texts that a cell has for other reasons. */
const MARKS: ReadonlySet<string> = new Set(["", MISSING, "null", "true", "false"]);
const COUNT_MARK = /^\+\d+ more$/;

function isBareCell(text: string): boolean {
  return (
    isPrintable(text) &&
    !text.includes("|") &&
    !MARKS.has(text) &&
    !COUNT_MARK.test(text) &&
    !/^[\s"{[…]|[\s…]$/u.test(text)
  );
}
