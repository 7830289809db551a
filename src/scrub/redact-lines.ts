import { REDACT_HEADER_MAX_CHARS, REDACT_LINE_MAX_CHARS } from "../limits.ts";
import { HiddenCount } from "./hidden-count.ts";
import type { LineRedaction } from "./line-redaction.ts";
import { ColumnRedaction } from "./redact-columns.ts";
import { ManifestRedaction } from "./redact-manifests.ts";
import { TableRedaction } from "./redact-tables.ts";
import { NestedRedaction } from "./redact-nested.ts";
import type { RedactingFilter } from "./redaction.ts";
import type { RedactedText } from "./secret-shapes.ts";

/**
 * Takes out of a text, which has lost some already, what its lines say of one another: columns named like secrets, and what YAML
 * has under such names.
 */
export function redactLines(redacted: RedactedText): RedactedText {
  const { text, count } = redacted;
  // A line alone says nothing of another.
  if (!text.includes("\n")) return redacted;
  const lines = new LineStream();
  const clean = lines.push(text) + lines.end();
  return { text: clean, count: lines.count(count) };
}

/** The same for a text that comes in pieces, however it is cut. A line that is longer than can be held passes as it is. */
export class LineStream implements RedactingFilter {
  readonly #hidden = new HiddenCount();
  readonly #stages: readonly LineRedaction[] = [
    new TableRedaction(this.#hidden),
    new ColumnRedaction(this.#hidden),
    new ManifestRedaction(this.#hidden),
    new NestedRedaction(this.#hidden),
  ];
  /** Where a stage's lines go: made once, since there are many. */
  readonly #next = this.#stages.map(
    (_, index) =>
      (line: string): void =>
        this.#line(line, index + 1),
  );
  /** The beginning of the line that has not ended. */
  #held = "";
  /** It is so long that its beginning was given already. */
  #isLong = false;
  #hasGiven = false;
  #given: string[] = [];

  /** With `before` that were taken out of the text before it came here. */
  readonly count = (before = 0): number => this.#hidden.total(before);

  push(piece: string): string {
    let from = 0;
    for (let end = piece.indexOf("\n"); end !== -1; end = piece.indexOf("\n", from)) {
      this.#take(piece.slice(from, end));
      this.#endLine();
      from = end + 1;
    }
    this.#take(from === 0 ? piece : piece.slice(from));
    return this.#taken();
  }

  end(): string {
    this.#endLine();
    this.#release(0);
    return this.#taken();
  }

  #take(part: string): void {
    if (this.#isLong) {
      this.#given.push(part);
      return;
    }
    this.#held += part;
    if (this.#held.length <= REDACT_HEADER_MAX_CHARS || this.#isHeld()) return;
    this.#release(0);
    this.#give(this.#held);
    this.#held = "";
    this.#isLong = true;
  }

  /** What is inside of nothing and longer than a header says nothing. */
  #isHeld(): boolean {
    return this.#held.length <= REDACT_LINE_MAX_CHARS && this.#stages.some(({ isInside }) => isInside);
  }

  #endLine(): void {
    if (this.#isLong) this.#isLong = false;
    else {
      this.#line(this.#held, 0);
      this.#held = "";
    }
  }

  #line(line: string, index: number): void {
    const stage = this.#stages[index];
    if (stage === undefined) this.#give(line);
    else stage.line(line, this.#next[index] ?? this.#give);
  }

  #release(index: number): void {
    const stage = this.#stages[index];
    if (stage === undefined) return;
    stage.release(this.#next[index] ?? this.#give);
    this.#release(index + 1);
  }

  readonly #give = (line: string): void => {
    this.#given.push(this.#hasGiven ? `\n${line}` : line);
    this.#hasGiven = true;
  };

  #taken(): string {
    const text = this.#given.join("");
    this.#given = [];
    return text;
  }
}
