import { RESULT_MAX_DEPTH, UPSTREAM_LARGE_DIGESTS_MAX_COUNT } from "../../limits.ts";
import type { StringTaker } from "./encoded-payload.ts";
import type { PayloadStream } from "./outflow.ts";
import type { Reading } from "./reading.ts";
import { TokenDigest, tokenDigest } from "./token-digest.ts";

/** A part as it stands in the tree. */
export type TreePart = Record<string, unknown>;

interface Held {
  readonly part: TreePart;
  readonly text: string;
}

const encoder = new TextEncoder();

/**
 * The texts of a result's text parts, which are one artifact, joined by line feeds. They stay in their parts until they
 * are too many together; from then on the parts' texts are empty.
 */
export class JoinedText {
  readonly #reading: Reading;
  #held: Held[] = [];
  #heldBytes = 0;
  #stream: PayloadStream | undefined;
  /** Texts that are in the store. */
  #count = 0;
  /** Whether the latest of them is a JSON object or array. */
  #isJson = false;
  #digests = new Set<string>();
  /** The first text part of the tree: the payload stands in it. */
  home: TreePart | undefined;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  /** The text of a part that is here; it may be taken out of it, now or later. */
  add(part: TreePart, text: string): void {
    this.#held.push({ part, text });
    if (!this.isOpen) this.#heldBytes += encoder.encode(text).length + 1;
    if (this.isOpen || this.#heldBytes > this.#reading.bounds.payloadBytes) this.open();
  }

  /** What is held goes to the store, whatever it is. */
  open(): PayloadStream {
    this.#stream ??= this.#reading.outflow.open("text");
    for (const { part, text } of this.#held) {
      this.#separate(this.#stream).text(text);
      this.#isJson = this.#note(text);
      part["text"] = "";
    }
    this.#held = [];
    return this.#stream;
  }

  /** The text of a part that is too large by itself. */
  divert(): StringTaker {
    const before = this.isOpen ? undefined : this.#held;
    const stream = this.#separate(this.open());
    const digest = new TokenDigest(RESULT_MAX_DEPTH);
    const digestsBefore = new Set(this.#digests);
    return {
      text: (text) => {
        stream.text(text);
        digest.push(text);
      },
      end: () => {
        this.#isJson = this.#keep(digest.end());
      },
      forget: () => {
        // What went out before it cannot be taken back alone: then the text stays, and the one that replaces it follows.
        if (before === undefined) return;
        this.#reopen(stream, before);
        // A text that is not there repeats nothing.
        this.#digests = digestsBefore;
      },
    };
  }

  /** Whether some text may be the JSON of the structured content. */
  digests(): ReadonlySet<string> {
    for (const { text } of this.#held) this.#note(text);
    if (this.#held.length > 1) this.#note(this.#held.map(({ text }) => text).join("\n"));
    return this.#digests;
  }

  /** After the last part; gives the tree its payload, and a text part for it where it has none. */
  close(content: unknown[]): void {
    if (this.#stream === undefined) return;
    const home: TreePart = this.home ?? { type: "text", text: "" };
    if (this.home === undefined) content.push(home);
    // It began as a text, since nobody knew; what it proves to be says more.
    const isJson = this.#isJson && this.#count === 1;
    this.#stream.close((payload) => {
      home["text"] = isJson ? payload.as("json") : payload;
    });
  }

  abandon(): void {
    this.#stream?.abandon();
  }

  #separate(stream: PayloadStream): PayloadStream {
    if (this.#count > 0) stream.text("\n");
    this.#count += 1;
    this.#isJson = false;
    return stream;
  }

  #reopen(stream: PayloadStream, held: Held[]): void {
    stream.abandon();
    this.#stream = undefined;
    this.#count = 0;
    this.#held = held;
    for (const { part, text } of held) part["text"] = text;
  }

  #note(text: string): boolean {
    const mayBeJson = this.#digests.size < UPSTREAM_LARGE_DIGESTS_MAX_COUNT && /^[ \t\r\n]*[[{]/.test(text);
    return mayBeJson && this.#keep(tokenDigest(text, RESULT_MAX_DEPTH));
  }

  /** Notes the digest of what may be the structured content; whether there is one. */
  #keep(digest: string | undefined): boolean {
    if (digest === undefined) return false;
    if (this.#digests.size < UPSTREAM_LARGE_DIGESTS_MAX_COUNT) this.#digests.add(digest);
    return true;
  }
}
