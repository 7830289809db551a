import { SUMMARY_SAMPLED_MAX_COUNT, SUMMARY_SHAPE_MAX_DEPTH } from "../../../limits.ts";
import { type Sample, Samples } from "./sample.ts";
import type { JsonEvents, ScannedText } from "./scanner.ts";
import { Shape, ShapeBudget } from "./shape.ts";

interface Frame {
  array: boolean;
  shape: Shape | undefined;
  /** Where the value behind the last key is noted. */
  member: Shape | undefined;
  size: number;
  serial: number;
  /** Whether only objects are around it, so that it is there once. */
  once: boolean;
}

/** Objects at this depth and above have their first member sampled: maps of records stand there. */
const MEMBERS_SAMPLED_MAX_DEPTH = 3;

/** Makes a shape of a document from its tokens. */
export class JsonShaper implements JsonEvents {
  /** Of all outermost values. */
  readonly shape = new Shape();
  readonly samples: Samples;
  readonly budget = new ShapeBudget();
  readonly #frames: Frame[] = [];
  /** Brackets below those that have frames. */
  #below = 0;
  #serial = 0;
  readonly #sampling: Sample[] = [];
  #sampledArrays = 0;
  #sampledObjects = 0;
  readonly #allSamples: Samples[] = [];

  constructor() {
    this.samples = this.#newSamples(2);
  }

  key(text: ScannedText): void {
    for (const sample of this.#sampling) sample.key(text);
    if (this.#below > 0) return;
    const frame = this.#frames.at(-1);
    if (frame !== undefined) frame.member = frame.shape?.member(text, frame.serial, this.budget);
  }

  open(array: boolean): void {
    const shape = this.#begin();
    for (const sample of this.#sampling) sample.open(array);
    shape?.addOpen(array);
    if (this.#below > 0 || this.#frames.length >= SUMMARY_SHAPE_MAX_DEPTH) {
      this.#below += 1;
      if (shape !== undefined) shape.deep = true;
      return;
    }
    const parent = this.#frames.at(-1);
    const once = parent === undefined || (parent.once && !parent.array);
    this.#serial += 1;
    this.#frames.push({ array, shape, member: undefined, size: 0, serial: this.#serial, once });
    if (once && shape !== undefined && shape.samples === undefined) this.#openSamples(shape, array);
  }

  close(): void {
    if (this.#below > 0) this.#below -= 1;
    else {
      const frame = this.#frames.pop();
      frame?.shape?.addClose(frame.array, frame.size);
    }
    for (const sample of this.#sampling) sample.close();
    this.#endSamples();
  }

  string(text: ScannedText): void {
    this.#begin()?.addString(text);
    for (const sample of this.#sampling) sample.string(text);
    this.#endSamples();
  }

  number(text: ScannedText): void {
    this.#begin()?.addNumber(text);
    for (const sample of this.#sampling) sample.word(text);
    this.#endSamples();
  }

  literal(text: "true" | "false" | "null"): void {
    this.#begin()?.addLiteral(text);
    const word: ScannedText = { head: text, points: text.length, whole: true };
    for (const sample of this.#sampling) sample.word(word);
    this.#endSamples();
  }

  /** Makes what is kept of a large piece its own, so that the piece can go. */
  settle(): void {
    for (const samples of this.#allSamples) samples.settle();
  }

  /** At the end. Objects and arrays that have not ended are counted as they are. */
  finish(): void {
    for (const frame of this.#frames.toReversed()) {
      frame.shape?.addClose(frame.array, frame.size);
      if (frame.shape !== undefined) frame.shape.partial = true;
    }
    this.#frames.length = 0;
    this.shape.foldAlike(this.budget);
  }

  get complete(): boolean {
    return this.#frames.length === 0;
  }

  get retainedChars(): number {
    return (
      this.#allSamples.reduce((sum, samples) => sum + samples.retainedChars, 0) + this.shape.retainedChars
    );
  }

  /** A value begins: counts it in what it is in, and gives where it is noted. */
  #begin(): Shape | undefined {
    if (this.#below > 0) return undefined;
    const frame = this.#frames.at(-1);
    if (frame === undefined) {
      this.#sample(this.samples);
      return this.shape;
    }
    frame.size += 1;
    if (frame.array || frame.size === 1) this.#sample(frame.shape?.samples);
    return frame.array ? frame.shape?.element(this.budget) : frame.member;
  }

  #sample(samples: Samples | undefined): void {
    if (samples !== undefined) this.#sampling.push(samples.begin());
  }

  #endSamples(): void {
    while (this.#sampling.at(-1)?.done === true) this.#sampling.pop();
  }

  #openSamples(shape: Shape, array: boolean): void {
    if (array && this.#sampledArrays < SUMMARY_SAMPLED_MAX_COUNT) {
      this.#sampledArrays += 1;
      shape.samples = this.#newSamples(2);
    } else if (
      !array &&
      this.#frames.length <= MEMBERS_SAMPLED_MAX_DEPTH &&
      this.#sampledObjects < SUMMARY_SAMPLED_MAX_COUNT
    ) {
      this.#sampledObjects += 1;
      shape.samples = this.#newSamples(1);
    }
  }

  #newSamples(firstCount: number): Samples {
    const samples = new Samples(firstCount);
    this.#allSamples.push(samples);
    return samples;
  }
}
