import { UPSTREAM_LARGE_NAME_MAX_CHARS } from "../../limits.ts";
import { decodedPart } from "./json-stream.ts";
import type { ValueKind, ValueReader } from "./value-reader.ts";

/** Reads an object or an array, and gives every member or element to a reader of its own. */
export abstract class MemberWalk implements ValueReader {
  readonly #hush: () => void;
  #text = "";
  #child: ValueReader | undefined;
  /** Open objects and arrays of the child's. */
  #depth = 0;
  #isOpen: boolean;
  #key = "";

  /**
   * @param hush see `JsonStream.hush`
   * @param inside the walk begins behind the bracket, as the text's one value does
   */
  constructor(hush: () => void, inside: boolean = false) {
    this.#hush = hush;
    this.#isOpen = inside;
  }

  /** Who reads the value of the member `key` (empty for an element). */
  protected abstract begin(key: string, kind: ValueKind): ValueReader;

  /** The object or array is over. */
  finish(_to: number): void {}

  piece(text: string): void {
    this.#text = text;
    this.#child?.piece(text);
  }

  gap(from: number, to: number): void {
    this.#child?.gap(from, to);
  }

  open(at: number, isObject: boolean): void {
    if (this.#child === undefined) {
      if (!this.#isOpen) {
        this.#isOpen = true;
        return;
      }
      this.#begin(isObject ? "object" : "array");
    }
    this.#depth += 1;
    this.#child?.open(at, isObject);
    if (this.#depth === 1 && this.#child?.isDeaf === true) this.#hush();
  }

  close(at: number): void {
    if (this.#child === undefined) return;
    this.#child.close(at);
    this.#depth -= 1;
    this.#end(at + 1);
  }

  stringStart(at: number, isKey: boolean): void {
    if (this.#child === undefined) {
      if (isKey) {
        this.#key = "";
        return;
      }
      this.#begin("string");
    }
    this.#child?.stringStart(at, isKey);
  }

  stringPart(from: number, to: number, escaped: boolean): void {
    if (this.#child !== undefined) this.#child.stringPart(from, to, escaped);
    else if (this.#key.length < UPSTREAM_LARGE_NAME_MAX_CHARS) {
      const name = this.#key + decodedPart(this.#text, from, to, escaped);
      this.#key = name.slice(0, UPSTREAM_LARGE_NAME_MAX_CHARS);
    }
  }

  stringEnd(at: number, isKey: boolean): void {
    if (this.#child === undefined) return;
    this.#child.stringEnd(at, isKey);
    this.#end(at + 1);
  }

  scalarStart(at: number): void {
    if (this.#child === undefined) this.#begin("scalar");
    this.#child?.scalarStart(at);
  }

  scalarEnd(at: number): void {
    if (this.#child === undefined) return;
    this.#child.scalarEnd(at);
    this.#end(at);
  }

  pieceEnd(to: number): void {
    this.#child?.pieceEnd(to);
  }

  #begin(kind: ValueKind): void {
    this.#child = this.begin(this.#key, kind);
    this.#child.piece(this.#text);
  }

  #end(to: number): void {
    if (this.#depth > 0) return;
    this.#child?.finish(to);
    this.#child = undefined;
  }
}
