import { parseExactJson } from "../../exact-json/parse.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { isRecord, memberOf } from "../../json.ts";
import { EmbeddedReader } from "./embedded-contents.ts";
import { EncodedPayload, type RestTaker, type StringTaker, TextPayload } from "./encoded-payload.ts";
import { JoinedText, type TreePart } from "./joined-text.ts";
import { MemberWalk } from "./member-walk.ts";
import type { PayloadStream } from "./outflow.ts";
import { type Labels, type PartHost, PartReader, type Place, type ReadPart } from "./part-reader.ts";
import type { Reading } from "./reading.ts";
import { ShortValue, type ValueKind, type ValueReader } from "./value-reader.ts";

/** The type of the part that stands for all that were too many. No type of an upstream's is trusted, nor is this one. */
const MORE_PARTS = "more parts";

/** Where a part's own payload stands, by its type: the first place that has one. */
const HOMES = new Map<unknown, readonly Place[]>([
  ["image", ["data"]],
  ["audio", ["data"]],
  ["resource", ["resource.text", "resource.blob"]],
]);
/** Types that mean a certain shape, which a part in the store does not have any more. */
const SHAPED: ReadonlySet<string> = new Set(["text", "image", "audio", "resource"]);

/** A payload that went to the store by itself, and the streams that it takes. */
type Payload = StringTaker & { readonly streams: readonly PayloadStream[] };

const NONE: ReadonlyMap<Place, Payload> = new Map();

/** Reads a result's `content` or `contents`, an array; contents are parts here until `unwrapContents`. */
export class ContentReader extends MemberWalk implements PartHost {
  /** The parts, with payloads that went to the store in their places once the outflow is drained. */
  readonly parts: unknown[] = [];
  readonly #reading: Reading;
  readonly #joined: JoinedText;
  readonly #part: PartReader;
  /** Of contents. */
  readonly #embedded: EmbeddedReader | undefined;
  readonly #payloads = new Map<StringTaker, Payload>();
  readonly #streams: PayloadStream[] = [];
  #own = 0;
  /** The part at hand, if its JSON goes to the store: undefined once it goes to the further parts. */
  #json: PayloadStream | undefined;
  #more: PayloadStream | undefined;

  constructor(reading: Reading) {
    super(reading.hush);
    this.#reading = reading;
    this.#joined = new JoinedText(reading);
    this.#part = new PartReader(reading, this);
    this.#embedded = reading.main === "contents" ? new EmbeddedReader(this.#part) : undefined;
  }

  /** Whether the text went to the store, so that nobody can compare it later. */
  get isStored(): boolean {
    return this.#joined.isOpen;
  }

  /** Digests of the texts that may be the JSON of the structured content. */
  digests(): ReadonlySet<string> {
    return this.#joined.digests();
  }

  protected override begin(_key: string, kind: ValueKind): ValueReader {
    // What is no object is no part: its kind is all that is judged.
    if (kind !== "object") return new ShortValue(kind, 0, (value) => this.parts.push(value));
    this.#json = undefined;
    this.#part.reset();
    this.#embedded?.reset();
    return this.#embedded ?? this.#part;
  }

  override finish(): void {
    this.#joined.close(this.parts);
    if (this.#more === undefined) return;
    this.#more.text("]");
    this.#place(this.#more, { type: MORE_PARTS });
  }

  /** A later `content` replaces this one. */
  abandon(): void {
    this.#joined.abandon();
    for (const payload of this.#payloads.values()) payload.forget();
    for (const stream of this.#streams) stream.abandon();
  }

  divert(place: Place, labels: Labels): StringTaker | undefined {
    if (place === "text") return this.#joined.divert();
    if (this.#own >= this.#reading.bounds.parts) return undefined;
    this.#own += 1;
    const mediaType = labels.get(place === "data" ? "mimeType" : "resource.mimeType");
    const { outflow } = this.#reading;
    const payload =
      place === "resource.text"
        ? new TextPayload(outflow, mediaType)
        : new EncodedPayload(outflow, mediaType, () => this.#openRest(labels));
    this.#payloads.set(payload, payload);
    return payload;
  }

  spill(): PayloadStream {
    if (this.#own >= this.#reading.bounds.parts) return this.#further();
    this.#own += 1;
    this.#json = this.#open();
    return this.#json;
  }

  /** A payload of its own for what is left of another one, while there is room for it; then one of the further parts. */
  #openRest(labels: Labels): RestTaker {
    if (this.#own < this.#reading.bounds.parts) {
      this.#own += 1;
      const stream = this.#reading.outflow.open("text");
      return { stream, text: (text) => stream.text(text), end: () => undefined };
    }
    const more = this.#further();
    more.text(`{"type":${JSON.stringify(kindOf(labels.get("type")))},"payload":"`);
    return {
      stream: undefined,
      text: (text) => more.text(JSON.stringify(text).slice(1, -1)),
      end: () => more.text('"}'),
    };
  }

  /** Where the next of the parts goes that are too many. */
  #further(): PayloadStream {
    if (this.#more === undefined) {
      this.#more = this.#open();
      this.#more.text("[");
    } else this.#more.text(",");
    return this.#more;
  }

  #open(): PayloadStream {
    const stream = this.#reading.outflow.open("json", "application/json");
    this.#streams.push(stream);
    return stream;
  }

  done(read: ReadPart): void {
    if (read.json === undefined) this.#addStored(read);
    else this.#addHere(read, read.json);
  }

  #addHere(read: ReadPart, json: string): void {
    const parsed = parseExactJson(json, { duplicates: "last" });
    const part = parsed.ok && isRecord(parsed.value) ? parsed.value : {};
    if (part["type"] === "text" && typeof part["text"] === "string") {
      this.#addText(read, part, part["text"]);
      return;
    }
    const payloads = this.#payloadsOf(read);
    // What was taken out of it is not to be lost for want of a type.
    if (read.diverted.size > 0 && typeof part["type"] !== "string") part["type"] = "unknown";
    if (this.#reading.room.take(read.bytes)) {
      this.parts.push(part);
      this.#settle(part, payloads);
      return;
    }
    this.#further().text(json);
    if (payloads.size > 0) this.#addSkeleton(read.labels, payloads);
  }

  #addText(read: ReadPart, part: TreePart, text: string): void {
    if (!read.diverted.has("text")) this.#joined.add(part, text);
    const payloads = this.#payloadsOf(read);
    const bytes = this.#joined.isOpen ? Math.max(0, read.bytes - text.length) : read.bytes;
    if (this.#reading.room.take(bytes)) {
      this.parts.push(part);
      this.#joined.home ??= part;
    } else {
      // Beside its text, most have nothing to say.
      this.#joined.open();
      if (Object.keys(part).length > 2) this.#further().text(exactJsonText(part));
    }
    this.#settle(part, payloads);
  }

  /** A part whose JSON went to the store. */
  #addStored(read: ReadPart): void {
    const payloads = this.#payloadsOf(read);
    if (payloads.size > 0) this.#addSkeleton(read.labels, payloads);
    if (read.text !== undefined && read.labels.get("type") === "text") this.#addSaid(read.text);
    if (this.#json !== undefined) this.#place(this.#json, { type: kindOf(read.labels.get("type")) });
  }

  /** The text of a part whose JSON went to the store: people read it with the other texts, whatever else the part says. */
  #addSaid(text: string): void {
    const part: TreePart = { type: "text", text };
    this.#joined.add(part, text);
    if (this.#reading.room.take(text.length)) {
      this.parts.push(part);
      this.#joined.home ??= part;
    } else this.#joined.open();
  }

  /** What is left here of a part whose JSON is not: enough for its payloads. */
  #addSkeleton(labels: Labels, payloads: ReadonlyMap<Place, Payload>): void {
    const type = labels.get("type") ?? "unknown";
    const part: TreePart = { type };
    const resource: TreePart = {};
    for (const [path, value] of labels) {
      if (path.startsWith("resource.")) resource[path.slice("resource.".length)] = value;
      else part[path] = value;
    }
    const home = homeOf(type, payloads);
    if (home === undefined) {
      this.#settle(part, payloads);
      return;
    }
    if (type === "resource") part["resource"] = resource;
    this.parts.push(part);
    this.#settle(part, payloads);
  }

  #payloadsOf({ diverted }: ReadPart): ReadonlyMap<Place, Payload> {
    if (diverted.size === 0) return NONE;
    const payloads = new Map<Place, Payload>();
    for (const [place, taker] of diverted) {
      const payload = this.#payloads.get(taker);
      if (payload !== undefined) payloads.set(place, payload);
    }
    return payloads;
  }

  /** Puts one payload into the part, where its type has it, and every other one into a part of its own behind it. */
  #settle(part: TreePart, payloads: ReadonlyMap<Place, Payload>): void {
    const { type } = part;
    const home = homeOf(type, payloads);
    for (const [place, { streams }] of payloads) {
      const [first, ...others] = streams;
      const holder = place === home ? holderOf(part, place) : undefined;
      const member = place.slice(place.indexOf(".") + 1);
      if (holder !== undefined && first !== undefined) {
        first.close((payload) => {
          holder[member] = payload;
        });
      } else if (first !== undefined) this.#place(first, { type: kindOf(type), ...saidOf(part) });
      for (const other of others) this.#place(other, { type: kindOf(type) });
    }
  }

  #place(stream: PayloadStream, part: TreePart): void {
    part["payload"] = undefined;
    this.parts.push(part);
    stream.close((payload) => {
      part["payload"] = payload;
    });
  }
}

function homeOf(type: unknown, payloads: ReadonlyMap<Place, Payload>): Place | undefined {
  return HOMES.get(type)?.find((place) => payloads.has(place));
}

function holderOf(part: TreePart, place: Place): TreePart | undefined {
  if (place === "data") return part;
  const resource = memberOf(part, "resource");
  return isRecord(resource) ? resource : undefined;
}

/** What a part says of its payload, for one that stands alone. */
function saidOf(part: TreePart): TreePart {
  const said: TreePart = {};
  for (const name of ["mimeType", "name"]) if (typeof part[name] === "string") said[name] = part[name];
  return said;
}

function kindOf(type: unknown): string {
  if (typeof type !== "string") return "unknown";
  return SHAPED.has(type) ? `${type} part` : type;
}
