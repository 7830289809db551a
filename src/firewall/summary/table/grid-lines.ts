/**
 * Tables as database clients and command-line tools draw them: cells between bars, and under the names a line of dashes with
 * a joint for each bar. In a frame a bar stands at both ends of each line too (mysql, DuckDB), else there is none (psql).
 */
export type GridForm = "frame" | "grid";

const BARS = ["│", "┃", "║", "|"];
/** Nothing but lines, from U+2500 on as boxes are drawn. */
const RULE = /^[\s+\-=|\u2500-\u257f]+$/;
const RULED = /-{2}|={2}|[─━═]{2}/;
const JOINT = /[+┬┼┴┯┿┷┰╂┸┳╋┻╤╪╧╥╫╨╦╬╩]/;
const EDGE = /^[+|├┝┠┣╞╟╠┤┥┨┫╡╢╣]/;
const ROWS_MIN_COUNT = 2;
/** Of the lines judged, one in so many may have another number of cells. */
const UNEVEN_SHARE = 4;
/** Titles and what else stands above the names. */
const ABOVE_MAX_COUNT = 10;

/** Whether a line draws and says nothing. */
export function isGridRule(line: string): boolean {
  return RULE.test(line) && RULED.test(line);
}

/** What is in the cells of a line; nothing of a line that has fewer than two. */
export function gridCells(line: string, form: GridForm): readonly string[] | undefined {
  const bar = BARS.find((each) => line.includes(each));
  if (bar === undefined || isGridRule(line)) return undefined;
  const all = line.split(bar);
  const cells = (form === "frame" ? all.slice(1, -1) : all).map((cell) => cell.trim());
  return cells.length < 2 ? undefined : cells;
}

/** How a text's lines draw a table, if they do: names, a line that divides them like the rows, rows. */
export function gridForm(lines: readonly string[]): GridForm | undefined {
  const names = lines.findIndex((line) => formOf(line) !== undefined);
  const [header = "", rule = "", ...rows] = names < 0 ? [] : lines.slice(names);
  if (names > ABOVE_MAX_COUNT || !isGridRule(rule)) return undefined;
  const form = formOf(header);
  const width = form === undefined ? 0 : gridCells(header, form)?.length;
  if (form === undefined || dividedBy(rule) !== width) return undefined;
  const widths = rows.map((line) => gridCells(line, form)?.length).filter((each) => each !== undefined);
  const uneven = widths.filter((each) => each !== width).length;
  return widths.length >= ROWS_MIN_COUNT && uneven * UNEVEN_SHARE <= widths.length ? form : undefined;
}

/** By which form a line has two cells or more. */
function formOf(line: string): GridForm | undefined {
  const text = line.trim();
  const isFramed = BARS.some((bar) => text.startsWith(bar) && text.endsWith(bar));
  const form = isFramed ? "frame" : "grid";
  return gridCells(line, form) === undefined ? undefined : form;
}

/** The number of columns between a rule's joints. Markdown's have bars for joints, and are no grid's. */
function dividedBy(rule: string): number {
  const text = rule.trim();
  const inner = text.slice(EDGE.test(text) ? 1 : 0, EDGE.test(text.slice(-1)) ? -1 : undefined);
  const parts = inner.split(JOINT).length;
  return parts < 2 ? 0 : parts;
}
