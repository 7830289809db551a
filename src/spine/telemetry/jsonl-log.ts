import { ok, type Result } from "../../result.ts";
import { judgeAppend, JSONL_BOUNDS, type JsonlBounds, type JsonlProblem } from "./jsonl.ts";

/** A bounded log of JSON lines in memory, for tests and for servers that ship it themselves. */
export class JsonlLog {
  readonly #bounds: JsonlBounds;
  #writes: Uint8Array[] = [];
  #bytes = 0;
  #emptied = 0;

  constructor(bounds: JsonlBounds = JSONL_BOUNDS) {
    this.#bounds = bounds;
  }

  /** Adds a record in one write. One that is refused leaves the log as it is. */
  append(record: string): Result<{ readonly emptied: boolean }, JsonlProblem> {
    const judged = judgeAppend(this.#bytes, record, this.#bounds);
    if (!judged.ok) return judged;
    if (judged.value.empties) {
      this.#writes = [];
      this.#emptied += 1;
    }
    this.#writes.push(judged.value.bytes);
    this.#bytes = judged.value.logBytes;
    return ok({ emptied: judged.value.empties });
  }

  get sizeBytes(): number {
    return this.#bytes;
  }

  /** How often older records gave way. */
  get timesEmptied(): number {
    return this.#emptied;
  }

  /** Everything in it, as one file would have it. */
  toBytes(): Uint8Array {
    const all = new Uint8Array(this.#bytes);
    let at = 0;
    for (const bytes of this.#writes) {
      all.set(bytes, at);
      at += bytes.length;
    }
    return all;
  }
}
