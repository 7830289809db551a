import type { Analyser, Summary } from "../analyser.ts";
import { JsonAnalyser } from "../json/json-analyser.ts";
import { LogAnalyser } from "./log-analyser.ts";
import { levelOf } from "./log-line.ts";

/** A log whose lines are JSON: its levels and its errors, and what the fields of the lines have in common. */
export class JsonLogAnalyser implements Analyser {
  readonly #json = new JsonAnalyser();
  readonly #log = new LogAnalyser();

  push(piece: string): void {
    this.#json.push(piece);
    this.#log.push(piece);
  }

  finish(): Summary | undefined {
    const fields = this.#json.finishLines();
    if (fields === undefined || !this.#log.levelled)
      return this.#log.levelled ? this.#log.finish() : this.#json.finish();
    return this.#log.finish((room) => `each line: ${fields(room)}`);
  }

  get retainedChars(): number {
    return this.#json.retainedChars + this.#log.retainedChars;
  }
}

const LINES_MIN_COUNT = 3;

/** Whether most lines are objects that name a level. `lines`: as long as they are. */
export function looksLikeJsonLog(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== "");
  const levelled = filled.filter((line) => /^\s*\{/.test(line) && levelOf(line) !== undefined).length;
  return filled.length >= LINES_MIN_COUNT && levelled * 2 > filled.length;
}
