import { REDACT_JSON_MAX_DEPTH } from "../limits.ts";
import { JsonFrame } from "./json-frame.ts";
import type { Expected, LongString, Place } from "./json-state.ts";
import { decodableLength, decodedString, stringContent } from "./json-string.ts";
import { wordAt } from "./json-word.ts";
import { hiddenScalar, hidesNumber, type Regard } from "./member-hiding.ts";
import { redactedString } from "./redacted-string.ts";
import type { RedactingFilter, StringRedaction } from "./redaction.ts";
import { SCRUBBED } from "./secret-places.ts";

const MARK = JSON.stringify(SCRUBBED);
const SPACE = /[ \t\r\n]+/y;

/**
 * Redacts JSON documents, one after another, that come in pieces: strings, member names, and what stands under names that
 * say secret. All else stays as it is written. A scalar that may still turn out to be a secret, by a neighbour behind it,
 * is held back with what follows it, up to `reach` characters; so is a string that has not ended, whose content beyond that
 * goes by in pieces.
 *
 * Each character is read a bounded number of times. `fault` says that a text is no JSON after all; what has not been given
 * out of it is in `rest`, as it came.
 */
export class JsonRedaction {
  readonly #strings: StringRedaction;
  readonly #reach: number;
  readonly #regard: Regard;
  readonly #frames: JsonFrame<Place>[] = [];
  #expected: Expected = "document";
  #buffer = "";
  /** Everything before it is understood. */
  #at = 0;
  /** Everything before it is in `parts`. */
  #copied = 0;
  #parts: string[] = [];
  /** How many characters and parts went before `buffer` and `parts`. */
  #bufferFrom = 0;
  #partsFrom = 0;
  /** How far the string that begins at `at` is known to go on. */
  #searched = 0;
  #escaped = false;
  #long: LongString | undefined;
  /** Frames that hold something back. */
  #waiting = 0;
  #count = 0;
  #hasGiven = false;
  #fault = false;

  /** `regard`: of the documents themselves. */
  constructor(strings: StringRedaction, reach: number, regard: Regard = "open") {
    this.#strings = strings;
    this.#regard = regard;
    this.#reach = reach;
  }

  get fault(): boolean {
    return this.#fault;
  }

  get count(): number {
    return this.#count;
  }

  get rest(): string {
    return this.#buffer;
  }

  push(piece: string): string {
    this.#buffer += piece;
    return this.#run(false);
  }

  /** What is left; a fault where a document has not ended. */
  end(): string {
    return this.#run(true);
  }

  #run(isLast: boolean): string {
    while (this.#at < this.#buffer.length && !this.#fault && this.#step(isLast));
    const isUnfinished = this.#frames.length > 0 || this.#at < this.#buffer.length;
    if (isLast && isUnfinished) this.#fail();
    if (this.#fault) return this.#giveFaulty();
    const held = this.#firstHeld();
    if (held === undefined) return this.#give();
    return held.from > this.#partsFrom ? this.#give(held.from - this.#partsFrom) : "";
  }

  /** The earliest scalar that waits for a neighbour. One that is further back than `reach` waits no more. */
  #firstHeld(): Place | undefined {
    if (this.#waiting === 0) return undefined;
    const oldest = this.#bufferFrom + this.#at - this.#reach;
    // What an outer frame holds stands before all that an inner one does.
    for (const frame of this.#frames) {
      if (!frame.hasLate) continue;
      const held = frame.waiting(({ at }) => at >= oldest);
      if (held !== undefined) return held;
      this.#waiting -= 1;
    }
    return undefined;
  }

  /** What was understood before the fault; nothing where nothing is given yet, so that all of it is read as a plain text. */
  #giveFaulty(): string {
    if (!this.#hasGiven) {
      this.#count = 0;
      return "";
    }
    if (typeof this.#long === "object") {
      this.#longText(this.#long.filter, (filter) => filter.end());
      this.#long = undefined;
      return this.#give();
    }
    const isHidden =
      this.#long === "hidden" || (this.#long === undefined && this.#expectsValue() && this.#hidesString());
    if (isHidden) {
      // Its name is given already, so that a plain text's reader would not know what it is.
      const close = this.#buffer.indexOf('"', this.#at + 1);
      const end = close === -1 ? this.#buffer.length : close;
      if (this.#long === undefined) this.#hideBroken(end);
      else this.#copied = end;
      this.#at = end;
    }
    return this.#give();
  }

  /** The string at `at`, of which nothing is given yet. One without content, or that is hidden already, stays as it is. */
  #hideBroken(end: number): void {
    const text = this.#buffer.slice(this.#at + 1, end);
    if (text === "" || text === SCRUBBED) return;
    this.#replace(this.#at, end, `"${SCRUBBED}`, 1);
  }

  #hidesString(): boolean {
    return this.#buffer.charAt(this.#at) === '"' && typeof this.#frames.at(-1)?.regard("") === "object";
  }

  /** Gives so many parts, by default all, of what is understood. */
  #give(count?: number): string {
    this.#copy(this.#at);
    const parts = this.#parts.splice(0, count ?? this.#parts.length);
    this.#partsFrom += parts.length;
    this.#bufferFrom += this.#at;
    this.#buffer = this.#buffer.slice(this.#at);
    this.#searched = Math.max(0, this.#searched - this.#at);
    this.#at = 0;
    this.#copied = 0;
    this.#hasGiven = true;
    return parts.join("");
  }

  #fail(): false {
    this.#fault = true;
    return false;
  }

  #copy(until: number): void {
    if (until > this.#copied) this.#parts.push(this.#buffer.slice(this.#copied, until));
    this.#copied = Math.max(this.#copied, until);
  }

  #replace(start: number, end: number, written: string, count: number): void {
    this.#copy(start);
    this.#parts.push(written);
    this.#count += count;
    this.#copied = end;
  }

  /** Reads one token; false where it is not all there. */
  #step(isLast: boolean): boolean {
    if (this.#long !== undefined) return this.#longContent();
    const unit = this.#buffer.charCodeAt(this.#at);
    switch (unit) {
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        SPACE.lastIndex = this.#at;
        SPACE.test(this.#buffer);
        this.#at = SPACE.lastIndex;
        return true;
      case 0x22:
        return this.#string();
      case 0x7b:
      case 0x5b:
        return this.#open(unit === 0x7b);
      case 0x7d:
      case 0x5d:
        return this.#close(unit === 0x7d);
      case 0x2c:
        return this.#sign("comma or end", this.#frames.at(-1)?.isObject === true ? "name" : "value");
      case 0x3a:
        return this.#sign("colon", "value");
      default:
        return this.#expectsValue() ? this.#word(isLast) : this.#fail();
    }
  }

  #sign(when: Expected, next: Expected): boolean {
    if (this.#expected !== when) return this.#fail();
    this.#expected = next;
    this.#at += 1;
    return true;
  }

  #expectsValue(): boolean {
    return this.#expected === "value" || this.#expected === "value or end";
  }

  #open(isObject: boolean): boolean {
    if (!this.#expectsValue() && this.#expected !== "document") return this.#fail();
    if (this.#frames.length >= REDACT_JSON_MAX_DEPTH) return this.#fail();
    const parent = this.#frames.at(-1);
    this.#frames.push(new JsonFrame<Place>(isObject, parent?.regard(undefined) ?? this.#regard, parent));
    this.#expected = isObject ? "name or end" : "value or end";
    this.#at += 1;
    return true;
  }

  #close(isObject: boolean): boolean {
    const frame = this.#frames.at(-1);
    const mayEnd =
      this.#expected === "comma or end" || this.#expected === (isObject ? "name or end" : "value or end");
    if (!mayEnd || frame?.isObject !== isObject) return this.#fail();
    this.#at += 1;
    this.#frames.pop();
    if (frame.hasLate) this.#waiting -= 1;
    for (const { under, place, text, isString } of frame.late()) this.#hideLate(under, place, text, isString);
    const parent = this.#frames.at(-1);
    const waitedBefore = parent?.hasLate ?? false;
    parent?.adopt(frame);
    const waitsNow = parent?.hasLate ?? false;
    if (waitsNow && !waitedBefore) this.#waiting += 1;
    this.#ended(undefined);
    return true;
  }

  #hideLate(under: string, { from, to, count }: Place, text: string, isString: boolean): void {
    const hidden = hiddenScalar(under, text, isString);
    if (hidden === undefined) return;
    this.#parts.fill("", from - this.#partsFrom, to - this.#partsFrom);
    this.#parts[from - this.#partsFrom] = JSON.stringify(hidden);
    this.#count += 1 - count;
  }

  /** A value has ended, of which `text` is a string's. */
  #ended(text: string | undefined, isTrue = false): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) {
      this.#expected = "document";
      return;
    }
    const hadLate = frame.hasLate;
    frame.ended(text, isTrue);
    if (hadLate && !frame.hasLate) this.#waiting -= 1;
    this.#expected = "comma or end";
  }

  /** A number, or one of three words. */
  #word(isLast: boolean): boolean {
    const start = this.#at;
    const word = wordAt(this.#buffer, start, { isLast, reach: this.#reach });
    if (typeof word === "string") return word === "faulty" && this.#fail();
    if (word.isNumber) this.#number(start, word.end);
    const isTrue = this.#buffer.startsWith("true", this.#at);
    this.#at = word.end;
    this.#ended(undefined, isTrue);
    return true;
  }

  #number(start: number, end: number): void {
    const frame = this.#frames.at(-1);
    const written = this.#buffer.slice(start, end);
    const regard = frame?.regard(undefined) ?? "open";
    this.#scalar(start, end, written, false, () => {
      if (typeof regard !== "object" || !hidesNumber(regard.under, frame?.name, written)) return;
      this.#replace(start, end, MARK, 1);
    });
  }

  /** Handles a scalar, and remembers where it went while a neighbour behind it may say more of it. */
  #scalar(start: number, end: number, text: string, isString: boolean, handle: () => void): void {
    const frame = this.#frames.at(-1);
    if (frame?.mayComeLate !== true) {
      handle();
      return;
    }
    this.#copy(start);
    const [first, before] = [this.#parts.length, this.#count];
    handle();
    this.#copy(end);
    const hadLate = frame.hasLate;
    const place = {
      from: this.#partsFrom + first,
      to: this.#partsFrom + this.#parts.length,
      at: this.#bufferFrom + start,
      count: this.#count - before,
    };
    frame.comesLate({ place, text, isString });
    if (!hadLate && frame.hasLate) this.#waiting += 1;
  }

  #string(): boolean {
    const isName = this.#expected === "name" || this.#expected === "name or end";
    if (!isName && !this.#expectsValue()) return this.#fail();
    const start = this.#at;
    const close = this.#stringEnd();
    if (close === undefined) {
      if (this.#fault || this.#buffer.length - start <= this.#reach) return false;
      return isName ? this.#fail() : this.#beginLong(start);
    }
    const text = this.#escaped
      ? decodedString(this.#buffer.slice(start, close + 1))
      : this.#buffer.slice(start + 1, close);
    if (text === undefined) return this.#fail();
    this.#at = close + 1;
    this.#searched = 0;
    this.#escaped = false;
    if (isName) this.#name(start, text);
    else this.#stringValue(start, text);
    return true;
  }

  /** Where the string that begins at `at` has its closing quote. */
  #stringEnd(): number | undefined {
    const { end, isClosed } = this.#content(Math.max(this.#searched, this.#at + 1));
    this.#searched = end;
    return isClosed ? end : undefined;
  }

  #content(from: number): { readonly end: number; readonly isClosed: boolean } {
    const { end, state, hasEscapes } = stringContent(this.#buffer, from);
    this.#escaped ||= hasEscapes;
    if (state === "faulty") this.#fail();
    return { end, isClosed: state === "closed" };
  }

  #name(start: number, text: string): void {
    const written = this.#frames.at(-1)?.member(text);
    if (written !== undefined && written.count > 0) {
      this.#replace(start, this.#at, JSON.stringify(written.name), written.count);
    }
    this.#expected = "colon";
  }

  #stringValue(start: number, text: string): void {
    const frame = this.#frames.at(-1);
    const regard = frame?.regard(text) ?? "open";
    this.#scalar(start, this.#at, text, true, () => {
      const { text: clean, count } = redactedString(text, regard, frame?.before, this.#strings);
      if (count === 0) return;
      this.#replace(start, this.#at, JSON.stringify(clean), count);
    });
    this.#ended(text);
  }

  #beginLong(start: number): boolean {
    const regard = this.#frames.at(-1)?.regard("") ?? "open";
    if (typeof regard === "string") {
      this.#long = { filter: this.#strings.inPieces(regard === "kept") };
      this.#copy(start + 1);
    } else {
      this.#long = "hidden";
      this.#replace(start, start + 1, MARK, 1);
    }
    this.#at = start + 1;
    this.#searched = 0;
    return true;
  }

  /** Up to a fault all of it is content: what is held of it may be the beginning of a secret. */
  #longContent(): boolean {
    const { end: found, isClosed: mayClose } = this.#content(this.#at);
    const long = this.#long;
    const content = this.#buffer.slice(this.#at, found);
    const length = typeof long === "object" ? decodableLength(content) : content.length;
    const isClosed = mayClose && length === content.length;
    const end = this.#at + length;
    if (length < content.length) this.#fail();
    if (typeof long === "object") {
      const text = decodedString(`"${content.slice(0, length)}"`) ?? "";
      this.#longText(long.filter, (filter) => filter.push(text) + (isClosed ? filter.end() : ""));
    } else if (this.#fault) return false;
    this.#copied = isClosed && long === "hidden" ? end + 1 : end;
    this.#at = isClosed ? end + 1 : end;
    if (!isClosed) return false;
    this.#long = undefined;
    this.#escaped = false;
    this.#ended(undefined);
    return true;
  }

  /** Of a string that is too long to hold, what leaves its filter. */
  #longText(filter: RedactingFilter, pass: (filter: RedactingFilter) => string): void {
    const before = filter.count();
    const clean = pass(filter);
    this.#count += filter.count() - before;
    this.#parts.push(JSON.stringify(clean).slice(1, -1));
  }
}
