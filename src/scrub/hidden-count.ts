import { SCRUBBED } from "./secret-places.ts";

/**
 * How many secrets were taken out of a text's lines, after those that were taken out by their shape. What is hidden now may have
 * marks in it, each of which was counted then or stood in the text as it came.
 */
export class HiddenCount {
  #hidden = 0;
  #marks = 0;

  /** `value` becomes a mark. */
  add(value: string): void {
    this.#hidden += 1;
    this.#marks += value.split(SCRUBBED).length - 1;
  }

  /** Of both, of which `before` by their shape. At least one where a line has changed: none means that the text is as it came. */
  total(before: number): number {
    return this.#hidden === 0 ? before : Math.max(1, before + this.#hidden - this.#marks);
  }
}
