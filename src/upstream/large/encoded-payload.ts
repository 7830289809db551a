import { Base64Stream } from "./base64-stream.ts";
import type { Outflow, PayloadStream } from "./outflow.ts";

/** Takes a string's characters once they are too many to hold. */
export interface StringTaker {
  /** The first time, all that were held. */
  text(text: string): void;
  end(): void;
  /** A later member of the same name replaces it. */
  forget(): void;
}

/** A text with an artifact of its own. */
export class TextPayload implements StringTaker {
  readonly streams: readonly PayloadStream[];

  constructor(outflow: Outflow, mediaType: string | undefined) {
    this.streams = [outflow.open("text", mediaType)];
  }

  text(text: string): void {
    this.streams[0]?.text(text);
  }
  end(): void {}
  forget(): void {
    this.streams[0]?.abandon();
  }
}

/**
 * Base64, decoded as it comes. What is none from the beginning is kept as the characters that it is. Where it ceases to be
 * some later, its bytes are gone already: the rest of the characters becomes a payload of its own, so that nothing is lost
 * but which of the two alphabets the first part was written in.
 */
export class EncodedPayload implements StringTaker {
  readonly #outflow: Outflow;
  readonly #mediaType: string | undefined;
  readonly #base64 = new Base64Stream();
  #decoded: PayloadStream | undefined;
  #characters: PayloadStream | undefined;

  constructor(outflow: Outflow, mediaType: string | undefined) {
    this.#outflow = outflow;
    this.#mediaType = mediaType;
  }

  /** The bytes, if any, then the characters, if any. */
  get streams(): readonly PayloadStream[] {
    return [this.#decoded, this.#characters].filter((stream) => stream !== undefined);
  }

  text(text: string): void {
    if (this.#characters !== undefined) {
      this.#characters.text(text);
      return;
    }
    const bytes = this.#base64.push(text);
    const { rest } = this.#base64;
    if (this.#decoded === undefined && rest !== undefined) {
      this.#keepCharacters(text);
      return;
    }
    this.#decoded ??= this.#outflow.open("bytes", this.#mediaType);
    this.#decoded.bytes(bytes);
    if (rest !== undefined) this.#keepCharacters(rest);
  }

  end(): void {
    if (this.#characters !== undefined) return;
    this.#decoded?.bytes(this.#base64.end());
    const { rest } = this.#base64;
    if (rest !== undefined) this.#keepCharacters(rest);
  }

  forget(): void {
    for (const stream of this.streams) stream.abandon();
  }

  #keepCharacters(text: string): void {
    this.#characters = this.#outflow.open("text");
    this.#characters.text(text);
  }
}
