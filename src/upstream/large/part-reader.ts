import { UPSTREAM_LARGE_NAME_MAX_CHARS } from "../../limits.ts";
import type { StringTaker } from "./encoded-payload.ts";
import { decodedPart } from "./json-stream.ts";
import type { PayloadStream } from "./outflow.ts";
import type { Reading } from "./reading.ts";
import type { ValueReader } from "./value-reader.ts";

/** Where in a content part a string may be its payload. */
export type Place = "text" | "data" | "resource.text" | "resource.blob";

/** What a part says of itself in short strings, as far as they have come, by place: `type`, `resource.uri`. */
export type Labels = ReadonlyMap<string, string>;

export interface PartHost {
  /** Who takes the string at a place, now that it is too large; undefined where it stays a part of the part's JSON. */
  divert(place: Place, labels: Labels): StringTaker | undefined;
  /** Where the part's JSON goes, now that it is too large. */
  spill(): PayloadStream;
  done(part: ReadPart): void;
}

export interface ReadPart {
  /** The JSON text, diverted strings empty in it; undefined where it went to the store. */
  readonly json: string | undefined;
  readonly bytes: number;
  readonly labels: Labels;
  readonly diverted: ReadonlyMap<Place, StringTaker>;
  /** Of a part that went to the store: the string `text` in its JSON, if there is one that is no longer than a payload may be. */
  readonly text: string | undefined;
}

/** The types whose payload stands at each place. */
const TYPES: Readonly<Record<Place, readonly string[]>> = {
  text: ["text"],
  data: ["image", "audio"],
  "resource.text": ["resource"],
  "resource.blob": ["resource"],
};

const LABELS: ReadonlySet<string> = new Set(
  "type mimeType name uri resource.mimeType resource.name resource.uri".split(" "),
);

/**
 * Reads one content part, an object. Its JSON is held as long as it is small; a payload in it that is too large is taken
 * out and goes its own way, and a part that is too large beside that goes to the store as JSON. Many servers write members
 * in the order of the alphabet, so a payload mostly comes before the type that says what it is: what stands at a
 * payload's place is taken for one until the type is known to be another.
 */
export class PartReader implements ValueReader {
  readonly #reading: Reading;
  readonly #host: PartHost;
  #text = "";
  /** What lies before it in the piece is held, gone or of no meaning. */
  #from = 0;
  #depth = 0;
  #inResource = false;
  /** The path of the member at hand, two names deep. */
  #path = "";
  #key: string | undefined;
  #label: string | undefined;
  readonly #labels = new Map<string, string>();
  #place: Place | undefined;
  /** Where the string at that place begins: in the piece, and in the buffer once the piece is over. */
  #contentAt = 0;
  #mark: number | undefined;
  #taker: StringTaker | undefined;
  readonly #diverted = new Map<Place, StringTaker>();
  /** What `text` says, as far as it is not taken out, and whether it is that string's turn. */
  #said: string[] | undefined;
  #saidChars = 0;
  #isSaying = false;
  #stream: PayloadStream | undefined;

  constructor(reading: Reading, host: PartHost) {
    this.#reading = reading;
    this.#host = host;
  }

  /** For the next part: there may be a million of them. */
  reset(): void {
    this.#depth = 0;
    this.#path = "";
    this.#labels.clear();
    this.#diverted.clear();
    this.#said = undefined;
    this.#isSaying = false;
    this.#stream = undefined;
    this.#reading.buffer.cutTo(0);
  }

  piece(text: string): void {
    this.#text = text;
    this.#from = 0;
  }

  gap(from: number, to: number): void {
    this.#put(from);
    this.#from = to;
  }

  open(at: number, isObject: boolean): void {
    if (this.#depth === 0) this.#from = at;
    this.#depth += 1;
    if (this.#depth !== 2) return;
    this.#inResource = isObject && this.#path === "resource";
    if (!this.#inResource) this.#reading.hush();
  }

  close(): void {
    this.#depth -= 1;
  }

  stringStart(at: number, isKey: boolean): void {
    if (!this.#isNear()) return;
    if (isKey) {
      this.#key = "";
      return;
    }
    if (LABELS.has(this.#path)) this.#label = "";
    const place = placeOf(this.#path);
    if (place === "text" && this.#mayCarry(place)) {
      this.#isSaying = true;
      this.#said = [];
      this.#saidChars = 0;
    }
    if (place === undefined || this.#stream !== undefined || !this.#mayCarry(place)) return;
    this.#place = place;
    this.#contentAt = at + 1;
    this.#mark = undefined;
  }

  stringPart(from: number, to: number, escaped: boolean): void {
    if (this.#key !== undefined) this.#key = this.#lengthened(this.#key, from, to, escaped);
    if (this.#label !== undefined) this.#label = this.#lengthened(this.#label, from, to, escaped);
    if (this.#isSaying) this.#say(from, to, escaped);
    this.#taker?.text(decodedPart(this.#text, from, to, escaped));
  }

  stringEnd(at: number): void {
    if (this.#key !== undefined) {
      // A name with a dot in it is nobody's path.
      const name = this.#key.includes(".") ? "" : this.#key;
      this.#path = this.#depth === 1 ? name : `resource.${name}`;
      this.#key = undefined;
      this.#forget(this.#path);
    }
    this.#isSaying = false;
    if (this.#label !== undefined) this.#labels.set(this.#path, this.#label);
    this.#label = undefined;
    if (this.#place === undefined) return;
    // Most are so short that nothing is to be decided.
    const mayBeLarge =
      this.#mark !== undefined || at - this.#contentAt >= this.#reading.bounds.payloadBytes / 3;
    if (this.#taker === undefined && mayBeLarge) this.#putContent(at);
    this.#taker?.end();
    if (this.#taker !== undefined) this.#from = at;
    this.#taker = undefined;
    this.#place = undefined;
  }

  scalarStart(): void {}
  scalarEnd(): void {}

  pieceEnd(to: number): void {
    if (this.#place === undefined) this.#put(to);
    else if (this.#taker === undefined) this.#putContent(to);
    this.#from = 0;
  }

  finish(to: number): void {
    const { buffer } = this.#reading;
    // Most are so small that they come in one piece, and need no copy of it.
    const isWhole =
      this.#stream === undefined && buffer.length === 0 && 3 * (to - this.#from) <= buffer.maxBytes;
    const whole = isWhole ? this.#text.slice(this.#from, to) : "";
    if (!isWhole) this.#put(to);
    this.#host.done({
      json: isWhole ? whole : this.#stream === undefined ? buffer.text() : undefined,
      bytes: isWhole ? whole.length : buffer.length,
      labels: this.#labels,
      diverted: this.#diverted,
      text: this.#stream === undefined || this.#diverted.has("text") ? undefined : this.#said?.join(""),
    });
  }

  /** Whether the member at hand is one of the part's or of its resource's. */
  #isNear(): boolean {
    return this.#depth === 1 || (this.#depth === 2 && this.#inResource);
  }

  #mayCarry(place: Place): boolean {
    const type = this.#labels.get("type");
    return type === undefined || TYPES[place].includes(type);
  }

  #lengthened(name: string, from: number, to: number, escaped: boolean): string {
    const room = UPSTREAM_LARGE_NAME_MAX_CHARS - name.length;
    return room <= 0 ? name : name + decodedPart(this.#text, from, to, escaped).slice(0, room);
  }

  #say(from: number, to: number, escaped: boolean): void {
    this.#saidChars += to - from;
    // As they were written, which is how the strings that are taken out are measured too.
    if (this.#saidChars <= this.#reading.bounds.payloadBytes) {
      this.#said?.push(decodedPart(this.#text, from, to, escaped));
      return;
    }
    this.#said = undefined;
    this.#isSaying = false;
  }

  /** A member that comes again replaces the one that came before. */
  #forget(path: string): void {
    for (const [place, taker] of this.#diverted) {
      if (place !== path && !place.startsWith(`${path}.`)) continue;
      taker.forget();
      this.#diverted.delete(place);
    }
    if (path === "text") this.#said = undefined;
    for (const label of this.#labels.keys()) {
      if (label === path || label.startsWith(`${path}.`)) this.#labels.delete(label);
    }
  }

  #put(to: number): void {
    const text = this.#text.slice(this.#from, to);
    this.#from = to;
    if (this.#stream !== undefined) this.#stream.text(text);
    else if (!this.#reading.buffer.put(text)) this.#spill(text);
  }

  /** The same up to `to` in a string that may be a payload. */
  #putContent(to: number): void {
    const { buffer, bounds } = this.#reading;
    if (this.#mark === undefined) {
      this.#put(this.#contentAt);
      // The buffer may just have been too small for that.
      if (this.#stream !== undefined) {
        this.#place = undefined;
        this.#put(to);
        return;
      }
      this.#mark = buffer.length;
    }
    const text = this.#text.slice(this.#from, to);
    this.#from = to;
    const isPut = buffer.put(text);
    if (this.#place === undefined || (isPut && buffer.length - this.#mark <= bounds.payloadBytes)) return;
    const taker = this.#host.divert(this.#place, this.#labels);
    if (taker === undefined) {
      this.#place = undefined;
      this.#spill(isPut ? "" : text);
      return;
    }
    const held = buffer.text(this.#mark) + (isPut ? "" : text);
    buffer.cutTo(this.#mark);
    this.#taker = taker;
    this.#diverted.set(this.#place, taker);
    taker.text(decodedPart(held, 0, held.length, held.includes("\\")));
  }

  #spill(text: string): void {
    this.#stream = this.#host.spill();
    this.#stream.text(this.#reading.buffer.text());
    this.#stream.text(text);
  }
}

function placeOf(path: string): Place | undefined {
  return path === "text" || path === "data" || path === "resource.text" || path === "resource.blob"
    ? path
    : undefined;
}
