import { isRecord } from "../../json.ts";
import { LargePayload } from "../../large-result.ts";
import type { PartReader } from "./part-reader.ts";
import type { ValueReader } from "./value-reader.ts";

const TYPE = "resource";
const HEAD = `{"type":"${TYPE}","${TYPE}":`;
const TAIL = "}";

/**
 * Reads one of a resource's contents (MCP, `resources/read`) as the embedded resource that it would be in a tool's result:
 * the part's reader is told of the JSON around it too.
 */
export class EmbeddedReader implements ValueReader {
  readonly #part: PartReader;
  #text = "";
  #isOpen = false;

  constructor(part: PartReader) {
    this.#part = part;
  }

  /** For the next one. */
  reset(): void {
    this.#isOpen = false;
  }

  piece(text: string): void {
    this.#text = text;
    if (this.#isOpen) this.#part.piece(text);
  }

  gap(from: number, to: number): void {
    this.#part.gap(from, to);
  }

  open(at: number, isObject: boolean): void {
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#begin();
      this.#part.piece(this.#text);
      // What stands before it in the piece is not its own.
      this.#part.gap(0, at);
    }
    this.#part.open(at, isObject);
  }

  close(): void {
    this.#part.close();
  }

  stringStart(at: number, isKey: boolean): void {
    this.#part.stringStart(at, isKey);
  }

  stringPart(from: number, to: number, escaped: boolean): void {
    this.#part.stringPart(from, to, escaped);
  }

  stringEnd(at: number): void {
    this.#part.stringEnd(at);
  }

  scalarStart(): void {}
  scalarEnd(): void {}

  pieceEnd(to: number): void {
    this.#part.pieceEnd(to);
  }

  finish(to: number): void {
    this.#part.pieceEnd(to);
    this.#part.piece(TAIL);
    this.#part.close();
    this.#part.finish(TAIL.length);
  }

  #begin(): void {
    this.#part.piece(HEAD);
    this.#part.open(0, true);
    this.#string(HEAD.indexOf('"type"'), "type", true);
    this.#string(HEAD.indexOf(`"${TYPE}"`), TYPE, false);
    this.#string(HEAD.lastIndexOf(`"${TYPE}"`), TYPE, true);
    this.#part.pieceEnd(HEAD.length);
  }

  #string(at: number, text: string, isKey: boolean): void {
    const end = at + 1 + text.length;
    this.#part.stringStart(at, isKey);
    this.#part.stringPart(at + 1, end, false);
    this.#part.stringEnd(end);
  }
}

/**
 * Makes contents of the parts again, in place, once every payload has its own. What went to the store as a whole, or beside
 * the payload that it belongs to, is a content of its own with no address.
 */
export function unwrapContents(parts: unknown[]): void {
  for (const [at, part] of parts.entries()) {
    if (!isRecord(part)) continue;
    const { payload, resource, mimeType } = part;
    if (isRecord(resource)) parts[at] = resource;
    else if (payload instanceof LargePayload) {
      const known = payload.form === "json" ? "application/json" : mimeType;
      parts[at] = { ...(typeof known === "string" && { mimeType: known }), [carrierOf(payload)]: payload };
    }
  }
}

const carrierOf = ({ form }: LargePayload) => (form === "bytes" ? "blob" : "text");
