import { type JsonEvents, JsonScanner, type ScannedText } from "../json/scanner.ts";
import { type Level, levelNumbered, levelWord } from "./levels.ts";

const KEYS: ReadonlySet<string> = new Set(
  "level lvl severity levelname loglevel log_level log.level @l".split(" "),
);
/** Of the Elastic Common Schema: `{"log":{"level":"error"}}`. */
const OUTER_KEY = "log";

export interface JsonLevel {
  readonly level: Level;
  readonly form: "word" | "number";
}

/** Hears the level that an object has as one of its own members: what its other members say is no level. */
class LevelListener implements JsonEvents {
  found: JsonLevel | undefined;
  keys = 0;
  #depth = 0;
  #within = false;
  #awaited = false;

  open(): void {
    this.#depth += 1;
    this.#awaited = false;
  }

  close(): void {
    this.#depth -= 1;
  }

  key({ head }: ScannedText): void {
    this.keys += 1;
    const key = head.toLowerCase();
    if (this.#depth === 1) this.#within = key === OUTER_KEY;
    this.#awaited =
      (this.#depth === 1 && KEYS.has(key)) || (this.#depth === 2 && this.#within && key === "level");
  }

  string({ head, whole }: ScannedText): void {
    const level = whole && this.#awaited ? levelWord(head) : undefined;
    if (level !== undefined) this.found ??= { level, form: "word" };
    this.#awaited = false;
  }

  number({ head }: ScannedText): void {
    const level = this.#awaited ? levelNumbered(head) : undefined;
    if (level !== undefined) this.found ??= { level, form: "number" };
    this.#awaited = false;
  }

  literal(): void {
    this.#awaited = false;
  }
}

/** Reads the level of one line that comes in pieces and begins like an object, however long it is. */
export class JsonLineLevel {
  readonly #listener = new LevelListener();
  /** Made where the line begins like an object, as most lines of most logs do not. */
  #scanner: JsonScanner | undefined;
  #begun = false;

  push(piece: string): void {
    if (!this.#begun) {
      const begin = piece.search(/[^\s\ufeff]/);
      if (begin < 0) return;
      this.#begun = true;
      if (piece[begin] !== "{") return;
      this.#scanner = new JsonScanner(this.#listener);
      this.#scanner.push(piece.slice(begin));
    } else this.#scanner?.push(piece);
  }

  /** Whether the line is an object, as far as it can be read: text in braces is none. */
  get isObject(): boolean {
    return this.#listener.keys > 0;
  }

  get found(): JsonLevel | undefined {
    return this.#listener.found;
  }

  get retainedChars(): number {
    return this.#scanner?.retainedChars ?? 0;
  }
}
