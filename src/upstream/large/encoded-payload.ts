import type { CharacterFilter } from "../../large-result.ts";
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

/** Takes what is left of a string that ceased to be base64; a stream of its own, or undefined where it goes elsewhere. */
export interface RestTaker {
  readonly stream: PayloadStream | undefined;
  text(text: string): void;
  end(): void;
}

/**
 * Base64, decoded as it comes. What is none from the beginning is kept as the characters that it is. Where it ceases to be
 * some later, its bytes are gone already: the rest of the characters goes its own way, so that nothing is lost but which of
 * the two alphabets the first part was written in.
 */
export class EncodedPayload implements StringTaker {
  readonly #outflow: Outflow;
  readonly #mediaType: string | undefined;
  readonly #openRest: () => RestTaker;
  readonly #filter: CharacterFilter | undefined;
  readonly #base64 = new Base64Stream();
  #decoded: PayloadStream | undefined;
  #characters: PayloadStream | undefined;
  #rest: RestTaker | undefined;
  #isLost = false;

  constructor(outflow: Outflow, mediaType: string | undefined, openRest: () => RestTaker) {
    this.#outflow = outflow;
    this.#mediaType = mediaType;
    this.#openRest = openRest;
    this.#filter = outflow.filter(mediaType);
  }

  /** The bytes, if any, then the characters, if any. */
  get streams(): readonly PayloadStream[] {
    return [this.#decoded, this.#characters, this.#rest?.stream].filter((stream) => stream !== undefined);
  }

  text(text: string): void {
    this.#take(this.#passed((filter) => filter.push(text)) ?? text);
  }

  end(): void {
    this.#take(this.#passed((filter) => filter.end()) ?? "");
    if (!this.#isLost && this.#characters === undefined) this.#endBase64();
    this.#rest?.end();
  }

  forget(): void {
    for (const stream of this.streams) stream.abandon();
  }

  /** What the filter lets through; undefined without one. One that fails must let nothing through. */
  #passed(work: (filter: CharacterFilter) => string): string | undefined {
    if (this.#filter === undefined || this.#isLost) return undefined;
    try {
      return work(this.#filter);
    } catch {
      this.#isLost = true;
      // Whatever of it was let through before is worth nothing without the end.
      (this.#characters ?? (this.#decoded ??= this.#outflow.open("bytes", this.#mediaType))).lose();
      return "";
    }
  }

  #take(text: string): void {
    if (text === "" || this.#isLost) return;
    const kept = this.#characters ?? this.#rest;
    if (kept !== undefined) {
      kept.text(text);
      return;
    }
    const bytes = this.#base64.push(text);
    const { rest } = this.#base64;
    if (this.#decoded === undefined && rest !== undefined) {
      this.#characters = this.#outflow.open("text");
      this.#characters.text(text);
      return;
    }
    this.#decoded ??= this.#outflow.open("bytes", this.#mediaType);
    this.#decoded.bytes(bytes);
    if (rest !== undefined) this.#keepRest(rest);
  }

  #endBase64(): void {
    if (this.#rest !== undefined) return;
    this.#decoded?.bytes(this.#base64.end());
    const { rest } = this.#base64;
    if (rest !== undefined) this.#keepRest(rest);
  }

  #keepRest(text: string): void {
    this.#rest = this.#openRest();
    this.#rest.text(text);
  }
}
