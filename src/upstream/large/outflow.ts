import type { CharacterFilter, LargeForm, LargePayload, LargeSink, LargeSinks } from "../../large-result.ts";

/**
 * The payloads of one answer on their way to the store. The reader is told of tokens while it cannot wait, so what it
 * writes is lined up here and handed on before the next piece is read.
 */
export class Outflow {
  readonly #sinks: LargeSinks;
  /** Every one that is not given up. */
  readonly #streams = new Set<PayloadStream>();
  readonly #unwritten = new Set<PayloadStream>();
  #steps: (() => Promise<void>)[] = [];

  constructor(sinks: LargeSinks) {
    this.#sinks = sinks;
  }

  open(form: LargeForm, mediaType?: string, name?: string): PayloadStream {
    const stream: PayloadStream = new PayloadStream(this.#sinks.open(form, mediaType, name), {
      unwritten: () => this.#unwritten.add(stream),
      step: (step) => this.#steps.push(step),
      gone: () => this.#streams.delete(stream),
    });
    this.#streams.add(stream);
    return stream;
  }

  /** What base64 of that type goes through before it is decoded, if anything. */
  filter(mediaType: string | undefined): CharacterFilter | undefined {
    return this.#sinks.filterText?.(mediaType);
  }

  /** Hands on what was written, and waits until the store has taken it. */
  async drain(): Promise<void> {
    for (const stream of this.#unwritten) stream.flush();
    this.#unwritten.clear();
    while (this.#steps.length > 0) {
      const steps = this.#steps;
      this.#steps = [];
      for (const step of steps) await step();
    }
  }

  /** Gives up whatever was opened, closed or not. */
  async abandon(): Promise<void> {
    this.#steps = [];
    this.#unwritten.clear();
    await Promise.all([...this.#streams].map((stream) => stream.undo()));
  }
}

const encoder = new TextEncoder();

/** Where a stream lines up what it has to do. */
interface Line {
  unwritten(): void;
  step(step: () => Promise<void>): void;
  gone(): void;
}

/** One payload on its way. */
export class PayloadStream {
  readonly #sink: LargeSink;
  readonly #line: Line;
  #texts: string[] = [];
  /** From here on nothing it has to do counts, whatever of it is lined up already. */
  #isUnwanted = false;
  #gone = false;

  constructor(sink: LargeSink, line: Line) {
    this.#sink = sink;
    this.#line = line;
  }

  /** Text that is not cut inside a surrogate pair. */
  text(text: string): void {
    if (this.#texts.length === 0) this.#line.unwritten();
    this.#texts.push(text);
  }

  bytes(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#step(() => this.#sink.write(bytes));
  }

  /** One write for the many short texts of a piece. */
  flush(): void {
    const text = this.#texts.join("");
    this.#texts = [];
    if (text !== "") this.bytes(encoder.encode(text));
  }

  /** Nothing of it may be kept; it stays a payload, which says so. */
  lose(): void {
    this.#step(() => this.#sink.abort());
  }

  /** After the last byte; `place` puts the payload where it belongs. */
  close(place: (payload: LargePayload) => void): void {
    this.flush();
    this.#step(async () => {
      place(await this.#sink.close());
    });
  }

  /** Gives it up, in its turn. */
  abandon(): void {
    this.#isUnwanted = true;
    this.#texts = [];
    this.#line.step(() => this.undo());
  }

  /** Gives it up at once. */
  async undo(): Promise<void> {
    this.#isUnwanted = true;
    if (this.#gone) return;
    this.#gone = true;
    this.#line.gone();
    await this.#sink.abort();
  }

  #step(step: () => Promise<void>): void {
    this.#line.step(async () => {
      if (!this.#isUnwanted) await step();
    });
  }
}
