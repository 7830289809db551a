import { REDACT_HEADER_MAX_CHARS } from "../limits.ts";
import type { HiddenCount } from "./hidden-count.ts";
import type { GiveLine, LineRedaction } from "./line-redaction.ts";
import { hiddenText } from "./member-hiding.ts";
import { namedColumns, type NamedColumns, secretCells } from "./named-columns.ts";

/** A table's columns by where they begin; a column ends where the next one begins. */
interface Columns {
  readonly starts: readonly number[];
  readonly secrets: NamedColumns;
}

const GAP = / {2,}/g;
const MAY_BE_HEADER = /^ *\S.* {2}/;
/** A sentence ends in a point. */
const NAME = /^[\p{L}\p{N}_#](?:[\p{L}\p{N}_ .-]{0,62}[\p{L}\p{N}_])?$/u;

/**
 * Takes the cells out of columns that are named like secrets, of tables aligned with two spaces and more, as command lines
 * print them. A row that does not stand under its header stays; an empty line ends the table. A cell that was taken out
 * may move what follows it, so that it stands under no header any more and is left alone.
 */
export class ColumnRedaction implements LineRedaction {
  readonly #hidden: HiddenCount;
  #columns: Columns | undefined;

  constructor(hidden: HiddenCount) {
    this.#hidden = hidden;
  }

  get isInside(): boolean {
    return this.#columns !== undefined;
  }

  line(line: string, give: GiveLine): void {
    if (this.#columns !== undefined) {
      if (line.trim() === "") this.#columns = undefined;
      else {
        give(this.#row(line, this.#columns));
        return;
      }
    } else if (line.length <= REDACT_HEADER_MAX_CHARS && line.includes("  ")) this.#columns = columnsOf(line);
    give(line);
  }

  release(): void {
    // Nothing waits.
  }

  #row(line: string, { starts, secrets }: Columns): string {
    const cellAt = (index: number): string | undefined => {
      const [start, end] = [starts[index] ?? 0, starts[index + 1]];
      if (!beginsAt(line, start) || (end !== undefined && line.length > end && !beginsAt(line, end)))
        return undefined;
      return line.slice(start, end).trimEnd();
    };
    const cells = [...secretCells(secrets, (index) => cellAt(index) ?? "")];
    let text = line;
    // The last one first, so that the places of those before it stay.
    for (const [index, name] of cells.toReversed()) {
      const value = cellAt(index);
      const hidden = value === undefined ? undefined : hiddenText(name, value);
      if (value === undefined || hidden === undefined) continue;
      const start = starts[index] ?? 0;
      text = text.slice(0, start) + hidden + text.slice(start + value.length);
      this.#hidden.add(value);
    }
    return text;
  }
}

/** The columns of a header, where some may hold secrets. */
function columnsOf(line: string): Columns | undefined {
  if (!MAY_BE_HEADER.test(line)) return undefined;
  const header = line.trimEnd();
  const starts = [header.length - header.trimStart().length];
  for (const gap of header.matchAll(GAP)) if (gap.index > 0) starts.push(gap.index + gap[0].length);
  const names = starts.map((start, index) => header.slice(start, starts[index + 1]).trimEnd());
  if (names.length < 2 || !names.every((name) => NAME.test(name))) return undefined;
  const secrets = namedColumns(names);
  return secrets === undefined ? undefined : { starts, secrets };
}

/** Whether a cell begins at a place, or is empty there. */
function beginsAt(line: string, at: number): boolean {
  return at === 0 || line.charAt(at - 1) === " ";
}
