import { parseExactJson } from "../../exact-json/parse.ts";
import { RESULT_MAX_DEPTH, UPSTREAM_LARGE_NAME_MAX_CHARS } from "../../limits.ts";
import { ContentReader } from "./content-reader.ts";
import { unwrapContents } from "./embedded-contents.ts";
import { type Captured, JsonCapture } from "./json-capture.ts";
import { MemberWalk } from "./member-walk.ts";
import type { PayloadStream } from "./outflow.ts";
import type { Reading } from "./reading.ts";
import { type TokenDigest, tokenDigest } from "./token-digest.ts";
import { ShortValue, type ValueKind, type ValueReader } from "./value-reader.ts";

/** The member that holds all those that were too many, as one object. */
const MORE_MEMBERS = "more members";

/** Members that have room of their own whatever else is there. */
const OWN_ROOM: ReadonlySet<string> = new Set(["structuredContent", "toolResult", "_meta"]);

interface Structured {
  readonly stream: PayloadStream;
  readonly digest: TokenDigest | undefined;
}

/** Reads the result of `tools/call` or `resources/read`, an object, into a tree that has payloads in place of what is too large to hold. */
export class ResultReader extends MemberWalk {
  /** Whole once the reader is finished and the outflow drained. */
  readonly tree: Record<string, unknown> = {};
  readonly #reading: Reading;
  #content: ContentReader | undefined;
  #structured: Structured | undefined;
  /** The JSON of structured content that is here. */
  #structuredJson: string | undefined;
  readonly #streams = new Map<string, PayloadStream>();
  #own = 0;
  #more: PayloadStream | undefined;

  constructor(reading: Reading) {
    super(reading.hush);
    this.#reading = reading;
  }

  protected override begin(name: string, kind: ValueKind): ValueReader {
    // Cut names may be the same and mean two members.
    const isCut = name.length >= UPSTREAM_LARGE_NAME_MAX_CHARS;
    if (isCut) return this.#readFurther(name);
    this.#forget(name);
    if (name === this.#reading.main) return this.#readContent(kind);
    // Anything but a boolean says nothing there.
    if (name === "isError") return new ShortValue(kind, "false".length, (value) => this.#set(name, value));
    let isOwn = false;
    return new JsonCapture(this.#reading, {
      digest: name === "structuredContent" && this.#mayRepeat(),
      spill: () => {
        isOwn = OWN_ROOM.has(name) || this.#own < this.#reading.bounds.members;
        if (isOwn && !OWN_ROOM.has(name)) this.#own += 1;
        return isOwn ? this.#reading.outflow.open("json", "application/json", name) : this.#further(name);
      },
      done: (captured) => {
        if (captured.here) this.#addHere(name, captured);
        else if (isOwn) this.#addStored(name, captured.stream, captured.digest);
      },
    });
  }

  override finish(): void {
    if (this.#structured !== undefined) {
      const { stream, digest } = this.#structured;
      if (this.#repeats(digest?.end())) {
        stream.abandon();
        delete this.tree["structuredContent"];
      } else this.#close("structuredContent", stream);
    } else if (this.#structuredJson !== undefined && this.#content !== undefined) {
      const isLarge = this.#content.isStored;
      if (isLarge && this.#repeats(tokenDigest(this.#structuredJson, RESULT_MAX_DEPTH))) {
        delete this.tree["structuredContent"];
      }
    }
    if (this.#more === undefined) return;
    let name = MORE_MEMBERS;
    while (Object.hasOwn(this.tree, name)) name += "+";
    this.#more.text("}");
    this.#close(name, this.#more);
  }

  /** A later `result` replaces this one. */
  abandon(): void {
    this.#content?.abandon();
    this.#structured?.stream.abandon();
    for (const stream of this.#streams.values()) stream.abandon();
    this.#more?.abandon();
  }

  /** The outflow is drained: every payload is in its place. */
  settle(): void {
    if (this.#reading.main === "contents" && this.#content !== undefined) unwrapContents(this.#content.parts);
  }

  #readFurther(name: string): ValueReader {
    return new JsonCapture(this.#reading, {
      spill: () => this.#further(name),
      done: (captured) => {
        if (captured.here) this.#further(name).text(captured.json);
      },
    });
  }

  #readContent(kind: ValueKind): ValueReader {
    if (kind !== "array") {
      return new ShortValue(kind, "null".length, (value) => this.#set(this.#reading.main, value));
    }
    this.#content = new ContentReader(this.#reading);
    this.#set(this.#reading.main, this.#content.parts);
    return this.#content;
  }

  /** The last of several members of one name counts. */
  #forget(name: string): void {
    if (name === this.#reading.main) {
      this.#content?.abandon();
      this.#content = undefined;
    } else if (name === "structuredContent") {
      this.#structured?.stream.abandon();
      this.#structured = undefined;
      this.#structuredJson = undefined;
    } else {
      this.#streams.get(name)?.abandon();
      this.#streams.delete(name);
    }
  }

  #addHere(name: string, captured: Extract<Captured, { here: true }>): void {
    const { json, bytes } = captured;
    if (!this.#reading.room.take(bytes + name.length)) {
      this.#further(name).text(json);
      return;
    }
    if (name === "structuredContent") this.#structuredJson = json;
    const read = parseExactJson(json, { duplicates: "last" });
    this.#set(name, read.ok ? read.value : undefined);
  }

  #addStored(name: string, stream: PayloadStream, digest: TokenDigest | undefined): void {
    if (name === "structuredContent") {
      // Closed at the end: it may prove to be what the text is.
      this.#structured = { stream, digest };
      this.#set(name, undefined);
      return;
    }
    this.#streams.set(name, stream);
    this.#close(name, stream);
  }

  #close(name: string, stream: PayloadStream): void {
    this.#set(name, undefined);
    stream.close((payload) => {
      this.#set(name, payload);
    });
  }

  /** Where the next of the members goes that are too many. */
  #further(name: string): PayloadStream {
    const isFirst = this.#more === undefined;
    this.#more ??= this.#reading.outflow.open("json", "application/json");
    this.#more.text(`${isFirst ? "{" : ","}${JSON.stringify(name)}:`);
    return this.#more;
  }

  /** Whether the text is, or may yet be, the JSON of the structured content. */
  #mayRepeat(): boolean {
    return this.#content === undefined || this.#content.digests().size > 0;
  }

  #repeats(digest: string | undefined): boolean {
    return digest !== undefined && this.#content?.digests().has(digest) === true;
  }

  /** Defined, so that `__proto__` is a member like any other. */
  #set(name: string, value: unknown): void {
    if (name !== "__proto__") this.tree[name] = value;
    else
      Object.defineProperty(this.tree, name, { value, writable: true, enumerable: true, configurable: true });
  }
}
