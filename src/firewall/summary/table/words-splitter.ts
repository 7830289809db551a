import { SUMMARY_COLUMNS_MAX_COUNT } from "../../../limits.ts";
import { LineSplitter } from "../lines/line-splitter.ts";
import { scannedCell } from "./columns.ts";
import type { TableRecord } from "./record-splitter.ts";

/** Stands for columns that have one space between them where they are full, and words below words, as `ps` and `ls -l` print. */
export const WORDS = " ";

/** Where a word stands in its line. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/** What a beginning says of such a table. */
export interface WordsForm {
  /** The last one takes what is left of a line. */
  readonly columns: number;
  /** The words of the first line of the table, under which those of the others stand. */
  readonly places: readonly Place[];
  /** Lines above it. */
  readonly above: number;
}

const ROWS_MIN_COUNT = 4;
const COLUMNS_MIN_COUNT = 4;
const COLUMNS_MAX_COUNT = 24;
const NAME = /^[A-Z%#][\w%/.#:()-]*$/;
const VALUE = /^[\d.,:%/-]*\d[\d.,:%/A-Za-z-]*$/;
/** `ls -l`, `du`. */
const TOTAL = /^total \S+$/;

/** Splits lines into words that stand below those of the first line; a line of which one does not is uneven. */
export class WordsSplitter {
  readonly #splitter: LineSplitter;
  readonly #form: WordsForm;
  readonly brokenAt: undefined;

  constructor(form: WordsForm, onRecord: (record: TableRecord) => void) {
    this.#form = form;
    this.#splitter = new LineSplitter((head, _, line) => {
      if (line < form.above || head.trim() === "") return;
      const found = wordsOf(head, form.columns);
      const isEven = found.length === form.columns && standsBelow(found, form.places);
      const cells = found
        .slice(0, SUMMARY_COLUMNS_MAX_COUNT)
        .map(({ from, to }) => scannedCell(head.slice(from, to)));
      onRecord({ cells, width: isEven ? form.columns : found.length + form.columns, line });
    });
  }

  get remarks(): string {
    return this.#form.above === 0 ? "" : ", below a line with the total";
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

/** At most so many words; the last one is the rest of the line. */
function wordsOf(line: string, count: number): Place[] {
  const places: Place[] = [];
  const end = line.trimEnd().length;
  for (const word of line.slice(0, end).matchAll(/\S+/g)) {
    const isLast = places.length + 1 === count;
    places.push({ from: word.index, to: isLast ? end : word.index + word[0].length });
    if (isLast) break;
  }
  return places;
}

/** Whether each word has a sign above or below one of the other line's; the last one only begins there. */
function standsBelow(words: readonly Place[], places: readonly Place[]): boolean {
  return words.every(({ from, to }, index) => {
    const above = places[index];
    if (above === undefined) return false;
    return index === words.length - 1 ? from <= above.to : from < above.to && above.from < to;
  });
}

/**
 * The form of a table whose columns may be one space apart: at least four, under a line of names or not, with a number or
 * the like in one of them in every line. Sentences have no words below one another in all lines.
 */
export function wordsForm(lines: readonly string[]): WordsForm | undefined {
  const filled = lines.filter((line) => line.trim() !== "");
  const above = TOTAL.test(filled[0] ?? "") && lines[0] === filled[0] ? 1 : 0;
  const [first = "", ...rest] = filled.slice(above);
  const rows = rest.map((line) => wordsOf(line, COLUMNS_MAX_COUNT).length);
  const columns = Math.min(namesIn(first), ...rows);
  if (columns < COLUMNS_MIN_COUNT || columns >= COLUMNS_MAX_COUNT || rest.length < ROWS_MIN_COUNT)
    return undefined;
  const places = wordsOf(first, columns);
  const cells = rest.map((line) => wordsOf(line, columns));
  if (!cells.every((words) => standsBelow(words, places))) return undefined;
  const isNamed = first
    .trim()
    .split(/\s+/)
    .every((word) => NAME.test(word) || /^[a-z]+$/.test(word));
  const values = places.map((_, index) =>
    rest.every((line, row) => VALUE.test(cellOf(line, cells[row]?.[index]))),
  );
  // The last one is the rest of a line, which may begin with anything.
  const hasValues = values.slice(0, -1).includes(true);
  const isUneven = new Set([first, ...rest].map((line) => wordsOf(line, columns)[1]?.from)).size > 1;
  return hasValues && (isNamed || !isUneven || VALUES_MIN_COUNT <= values.filter(Boolean).length)
    ? { columns, places, above }
    : undefined;
}

const VALUES_MIN_COUNT = 2;
/** Of the last name, a word in small letters goes on with it: `Mounted on`. Of files listed, all behind their time is a name. */
const GOES_ON = /[A-Z]\S* [a-z]+$/;
const FILE = /^[-dlbcps][-rwxsStT]{9}/;
const FILE_COLUMNS_COUNT = 9;

function namesIn(first: string): number {
  if (FILE.test(first)) return FILE_COLUMNS_COUNT;
  return wordsOf(first, COLUMNS_MAX_COUNT).length - (GOES_ON.test(first.trimEnd()) ? 1 : 0);
}

function cellOf(line: string, place: Place | undefined): string {
  return place === undefined ? "" : line.slice(place.from, place.to);
}
