/** What is done with a line that is certain. */
export type GiveLine = (line: string) => void;

/**
 * Takes secrets out of a text's lines, which come one after another without their ends. Each is given as it is to be written,
 * in order; one may wait for what those behind it say.
 */
export interface LineRedaction {
  /** Whether the next line may lose something, however long it is. */
  readonly isInside: boolean;
  line(line: string, give: GiveLine): void;
  /** Gives all that waits: the text has ended, or goes on with a line that is too long to be looked at. */
  release(give: GiveLine): void;
}
