import { RESULT_MAX_DEPTH } from "../../limits.ts";
import type { PayloadStream } from "./outflow.ts";
import type { Reading } from "./reading.ts";
import { TokenDigest } from "./token-digest.ts";
import type { ValueReader } from "./value-reader.ts";

/** A value as it came, white space between its tokens left out: here, or on its way to the store. */
export type Captured =
  | { readonly here: true; readonly json: string; readonly bytes: number }
  | { readonly here: false; readonly stream: PayloadStream; readonly digest: TokenDigest | undefined };

export interface CaptureOptions {
  /** Where the value goes once it is too large. */
  readonly spill: () => PayloadStream;
  /** Whether it is to be compared with the text, even where it is too large. */
  readonly digest?: boolean;
  readonly done: (captured: Captured) => void;
}

/** Reads one value as JSON text, for the exact reader of the whole where it stays small. */
export class JsonCapture implements ValueReader {
  readonly isDeaf = true;
  readonly #reading: Reading;
  readonly #options: CaptureOptions;
  #text = "";
  #from = 0;
  #begun = false;
  #stream: PayloadStream | undefined;
  #digest: TokenDigest | undefined;

  constructor(reading: Reading, options: CaptureOptions) {
    this.#reading = reading;
    this.#options = options;
    reading.buffer.cutTo(0);
  }

  piece(text: string): void {
    this.#text = text;
    this.#from = 0;
  }
  gap(from: number, to: number): void {
    this.#put(from);
    this.#from = to;
  }
  open(at: number): void {
    this.#begin(at);
  }
  close(): void {}
  stringStart(at: number): void {
    this.#begin(at);
  }
  stringPart(): void {}
  stringEnd(): void {}
  scalarStart(at: number): void {
    this.#begin(at);
  }
  scalarEnd(): void {}
  pieceEnd(to: number): void {
    this.#put(to);
    this.#from = 0;
  }

  finish(to: number): void {
    this.#put(to);
    const { buffer } = this.#reading;
    this.#options.done(
      this.#stream === undefined
        ? { here: true, json: buffer.text(), bytes: buffer.length }
        : { here: false, stream: this.#stream, digest: this.#digest },
    );
  }

  #begin(at: number): void {
    if (!this.#begun) this.#from = at;
    this.#begun = true;
  }

  #put(to: number): void {
    const text = this.#text.slice(this.#from, to);
    this.#from = to;
    if (text === "") return;
    if (this.#stream !== undefined) {
      this.#write(text);
      return;
    }
    const { buffer, bounds } = this.#reading;
    const isPut = buffer.put(text);
    if (isPut && buffer.length <= bounds.payloadBytes) return;
    this.#stream = this.#options.spill();
    if (this.#options.digest === true) this.#digest = new TokenDigest(RESULT_MAX_DEPTH);
    this.#write(buffer.text());
    if (!isPut) this.#write(text);
  }

  #write(text: string): void {
    this.#stream?.text(text);
    this.#digest?.push(text);
  }
}
