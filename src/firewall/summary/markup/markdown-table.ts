import { owned } from "../cut.ts";

export interface MarkdownTable {
  readonly line: number;
  readonly header: string;
  rows: number;
  first: string;
  last: string;
}

const ROW_CHARS = 320;

/** Finds tables (GFM §4.10) line by line: a header, a row of dashes, and rows until a line without a bar. */
export class MarkdownTables {
  count = 0;
  largest: MarkdownTable | undefined;
  #open: MarkdownTable | undefined;
  #before = "";

  /** Of a line outside of code. */
  line(head: string, line: number): void {
    const open = this.#open;
    if (open !== undefined) {
      if (head.includes("|")) {
        open.rows += 1;
        if (open.rows === 1) open.first = owned(head.slice(0, ROW_CHARS));
        open.last = head.slice(0, ROW_CHARS);
        return;
      }
      this.end();
    }
    if (this.#before.includes("|") && isDashes(head)) {
      this.count += 1;
      this.#open = {
        line: line - 1,
        header: owned(this.#before.slice(0, ROW_CHARS)),
        rows: 0,
        first: "",
        last: "",
      };
    }
    this.#before = head;
  }

  /** Ends the table at hand: at a line that belongs to something else, and at the text's end. */
  end(): void {
    const open = this.#open;
    this.#open = undefined;
    this.#before = "";
    if (open !== undefined && open.rows > (this.largest?.rows ?? 0)) {
      open.last = owned(open.last);
      this.largest = open;
    }
  }

  get retainedChars(): number {
    return [this.largest, this.#open].reduce(
      (sum, table) =>
        sum + (table === undefined ? 0 : table.header.length + table.first.length + table.last.length),
      this.#before.length,
    );
  }

  settle(): void {
    if (this.#open !== undefined) this.#open.last = owned(this.#open.last);
    this.#before = owned(this.#before);
  }
}

/** `| --- | :-: |`; at least one bar, so that it is no rule. */
function isDashes(head: string): boolean {
  return (
    head.includes("|") &&
    head.includes("-") &&
    /^[\s|:-]+$/.test(head) &&
    /^\s*\|?\s*:?-+:?\s*(?:\||$)/.test(head)
  );
}
