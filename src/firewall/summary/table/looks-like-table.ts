import { hasValues, isHeader } from "./columns.ts";
import { RecordSplitter, type TableRecord } from "./record-splitter.ts";

const DELIMITERS = ["\t", ",", ";", "|"];
/** Without a media type, so many rows must agree, and prose with commas must not. */
const RECORDS_MIN_COUNT = 3;
const WIDTH_MIN_COUNT = 3;
/** A header of so many names is one, though it leaves no room for a row to agree. */
const WIDE_MIN_COUNT = 100;
/** So many that agree are a table, though its quotes do not match further on. */
const BROKEN_MIN_COUNT = 10;
/** Enough to see; prose does not keep its commas for so long. */
const RECORDS_JUDGED_COUNT = 40;
/** Where no name is over them, so many rows of which a column holds values. */
const HEADLESS_MIN_COUNT = 10;
const NAME_MAX_UNITS = 64;

/**
 * The delimiter of a text that begins like a table, if it does. `said`: whether its media type or its name says so, which
 * makes two records with two fields enough.
 */
export function tableDelimiter(head: string, whole: boolean, said: boolean): string | undefined {
  let best: { readonly delimiter: string; readonly width: number } | undefined;
  for (const delimiter of DELIMITERS) {
    const width = widthOf(head, whole, delimiter, said);
    if (width > (best?.width ?? 1)) best = { delimiter, width };
  }
  return best?.delimiter;
}

/** The number of fields in which the records agree, 0 where they do not. */
function widthOf(head: string, whole: boolean, delimiter: string, said: boolean): number {
  const records: TableRecord[] = [];
  const splitter = new RecordSplitter(delimiter, (record) => {
    if (records.length < RECORDS_JUDGED_COUNT) records.push(record);
  });
  splitter.push(head);
  if (whole) splitter.finish();
  const [first, ...rest] = records;
  if (first === undefined) return said && !whole ? head.split(delimiter).length : 0;
  if (first.width < 2) return 0;
  // A first row may go on behind what is judged, as a header may.
  if (rest.length === 0) {
    const isWide = first.width >= WIDE_MIN_COUNT && looksNamed(first);
    return !whole && (said || isWide) && isHeader(first.cells) ? first.width : 0;
  }
  const even = rest.filter(({ width }) => width === first.width).length;
  if (said) return even * 2 >= rest.length ? first.width : 0;
  const narrow = delimiter !== "\t" && first.width < WIDTH_MIN_COUNT;
  if (narrow || records.length < RECORDS_MIN_COUNT || even < rest.length) return 0;
  if (splitter.brokenAt !== undefined && records.length < BROKEN_MIN_COUNT) return 0;
  if (!looksNamed(first)) return 0;
  if (isHeader(first.cells)) return first.width;
  const isEnough = records.length >= HEADLESS_MIN_COUNT || (splitter.brokenAt === undefined && whole);
  return isEnough && hasValues(records.map(({ cells }) => cells)) ? first.width : 0;
}

/** A name or a value, which no bracket and no sentence begins. */
const SINGLE = /^[\p{L}\p{N}_][\p{L}\p{N}_ .:#%()@+/-]*$/u;
const SINGLE_MAX_SPACES = 2;

/** Whether what is said to be a table has one column only: one short value a line. */
export function isOneColumn(head: string, whole: boolean): boolean {
  if (DELIMITERS.some((delimiter) => head.includes(delimiter))) return false;
  const cells: string[] = [];
  const splitter = new RecordSplitter(",", ({ cells: [cell] }) => {
    cells.push(cell?.whole === true ? cell.head : "");
  });
  splitter.push(head);
  if (whole) splitter.finish();
  const plain = cells.filter((cell) => SINGLE.test(cell) && cell.split(" ").length <= SINGLE_MAX_SPACES + 1);
  return (
    cells.length >= RECORDS_MIN_COUNT && plain.length === cells.length && splitter.brokenAt === undefined
  );
}

const PREAMBLE = /^\ufeff?(?:[ \t]*(?:#[^\n]{0,400})?\r?\n){1,20}/;

/** What stands above a table that begins with comments: how long that is, and how many lines. */
export function preambleOf(head: string): { readonly units: number; readonly lines: number } | undefined {
  const text = PREAMBLE.exec(head)?.[0] ?? "";
  if (!text.includes("#")) return undefined;
  return { units: text.length, lines: text.split("\n").length - 1 };
}

/** Sentences have a space behind each comma, and Markdown's tables have one around each cell. */
function looksNamed({ cells }: TableRecord): boolean {
  const spaced = cells.filter(({ head }) => head.startsWith(" ")).length;
  return spaced * 2 < cells.length && cells.every(({ points }) => points <= NAME_MAX_UNITS);
}
