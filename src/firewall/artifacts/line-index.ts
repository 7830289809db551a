import { LINE_INDEX_MAX_COUNT, LINE_INDEX_STEP_BYTES } from "../../limits.ts";

/** Where a line begins. */
interface LineStart {
  readonly line: number;
  readonly offset: number;
}

/** What is known of a text's lines once all of it went by. */
export interface LineIndex {
  readonly lines: number;
  readonly index: string;
}

/** Takes a text's bytes piece by piece; how they are cut changes nothing. */
export interface LineIndexer {
  push(bytes: Uint8Array): void;
  finish(): LineIndex;
}

const NEWLINE = 10;
const RADIX = 36;

/**
 * Counts the lines of a text's bytes and notes where some of them begin, so that a range read can start near any line.
 * A line ends with `\n`; what follows the last one is a line too, unless it is empty.
 *
 * The text is divided into cells of equal length, and of each cell the first line that begins in it is noted: a line begins
 * less than a cell behind the noted one. The text's length is not known while it goes by, so cells that become too many
 * are joined in pairs, which gives what larger cells would have given from the beginning. Cells stay as long as
 * `indexStep` of the length, or shorter.
 */
export function createLineIndexer(): LineIndexer {
  let step = LINE_INDEX_STEP_BYTES;
  let noted: LineStart[] = [];
  let line = 0;
  let at = 0;
  /** Whether the next byte begins a line. */
  let begins = true;

  const cellOf = (offset: number) => Math.floor(offset / step);
  const note = (start: LineStart) => {
    const last = noted.at(-1);
    if (last !== undefined && cellOf(last.offset) === cellOf(start.offset)) return;
    noted.push(start);
    while (noted.length > LINE_INDEX_MAX_COUNT) {
      step *= 2;
      noted = noted.filter((each, index) => {
        const before = noted[index - 1];
        return before === undefined || cellOf(before.offset) !== cellOf(each.offset);
      });
    }
  };
  return {
    push: (bytes) => {
      let from = 0;
      while (from < bytes.length) {
        if (begins) {
          note({ line, offset: at + from });
          line += 1;
        }
        const newline = bytes.indexOf(NEWLINE, from);
        begins = newline >= 0;
        from = begins ? newline + 1 : bytes.length;
      }
      at += bytes.length;
    },
    finish: () => ({ lines: line, index: written(noted) }),
  };
}

/** The same of bytes that are at hand. */
export function indexLines(bytes: Uint8Array): LineIndex {
  const indexer = createLineIndexer();
  indexer.push(bytes);
  return indexer.finish();
}

/** The bytes between two entries, at most: how far a line can begin behind the entry before it. */
export function indexStep(sizeBytes: number): number {
  let step = LINE_INDEX_STEP_BYTES;
  while (step * LINE_INDEX_MAX_COUNT < sizeBytes) step *= 2;
  return step;
}

/** The last noted line that is not behind `line`; the beginning of the text where the index tells nothing. */
export function startNear(index: string, line: number): LineStart {
  let near: LineStart = { line: 0, offset: 0 };
  if (index === "") return near;
  for (const entry of index.split(" ")) {
    const [lines, bytes] = entry.split(".").map((digits) => Number.parseInt(digits, RADIX));
    if (lines === undefined || bytes === undefined || !(lines > 0) || !(bytes > 0)) break;
    if (near.line + lines > line) break;
    near = { line: near.line + lines, offset: near.offset + bytes };
  }
  return near;
}

/** Each entry as its distance from the one before; the first line needs none. */
function written(noted: readonly LineStart[]): string {
  return noted
    .slice(1)
    .map(({ line, offset }, index) => {
      const { line: lastLine, offset: lastOffset } = noted[index] ?? { line: 0, offset: 0 };
      return `${(line - lastLine).toString(RADIX)}.${(offset - lastOffset).toString(RADIX)}`;
    })
    .join(" ");
}
