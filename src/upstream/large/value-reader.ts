import { parseExactJson } from "../../exact-json/parse.ts";
import { decodedPart, type JsonTokens } from "./json-stream.ts";

/** Told of the tokens of one value, from its first to its last. */
export interface ValueReader extends JsonTokens {
  /** Of an object or array it is told the beginning and the end, gaps, and string parts with escapes at most. */
  readonly isDeaf?: boolean;
  /** The value is over, at the place behind its last character. */
  finish(to: number): void;
}

export type ValueKind = "object" | "array" | "string" | "scalar";

/** Reads a value that nobody wants. */
export const UNREAD: ValueReader = {
  isDeaf: true,
  piece: () => undefined,
  gap: () => undefined,
  open: () => undefined,
  close: () => undefined,
  stringStart: () => undefined,
  stringPart: () => undefined,
  stringEnd: () => undefined,
  scalarStart: () => undefined,
  scalarEnd: () => undefined,
  pieceEnd: () => undefined,
  finish: () => undefined,
};

/** A string, of which the beginning is kept. */
export class ShortString {
  readonly #maxChars: number;
  value = "";

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  take(text: string, from: number, to: number, escaped: boolean): void {
    const room = this.#maxChars - this.value.length;
    if (room <= 0) return;
    // An escape takes six characters at most, and is not cut: the whole part is decoded where it has any.
    const part = escaped ? decodedPart(text, from, to, true) : text.slice(from, Math.min(to, from + room));
    this.value += part.slice(0, room);
  }
}

/** Reads a value that is short where it means anything: a string's beginning, a scalar, or which kind it is of. */
export class ShortValue implements ValueReader {
  readonly isDeaf = true;
  readonly #string: ShortString;
  readonly #maxChars: number;
  readonly #kind: ValueKind;
  readonly #done: (value: unknown) => void;
  #text = "";
  #from = 0;
  #scalar = "";

  constructor(kind: ValueKind, maxChars: number, done: (value: unknown) => void) {
    this.#kind = kind;
    this.#maxChars = maxChars;
    this.#string = new ShortString(maxChars);
    this.#done = done;
  }

  piece(text: string): void {
    this.#text = text;
    this.#from = 0;
  }
  gap(): void {}
  open(): void {}
  close(): void {}
  stringStart(): void {}
  stringPart(from: number, to: number, escaped: boolean): void {
    if (this.#kind === "string") this.#string.take(this.#text, from, to, escaped);
  }
  stringEnd(): void {}
  scalarStart(at: number): void {
    this.#from = at;
  }
  scalarEnd(at: number): void {
    this.#keep(at);
  }
  pieceEnd(to: number): void {
    this.#keep(to);
    this.#from = 0;
  }

  finish(): void {
    this.#done(this.#value());
  }

  #keep(to: number): void {
    if (this.#kind !== "scalar" || this.#scalar.length > this.#maxChars) return;
    this.#scalar += this.#text.slice(this.#from, Math.min(to, this.#from + this.#maxChars + 1));
  }

  /** Of containers their kind alone, and of a number that is too long that it is one and no whole one. */
  #value(): unknown {
    switch (this.#kind) {
      case "object":
        return {};
      case "array":
        return [];
      case "string":
        return this.#string.value;
      case "scalar": {
        if (this.#scalar.length > this.#maxChars) return Number.NaN;
        const read = parseExactJson(this.#scalar, { duplicates: "last" });
        return read.ok ? read.value : undefined;
      }
    }
  }
}
