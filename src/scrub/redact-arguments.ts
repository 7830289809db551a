import { isExactNumber } from "../exact-json/exact-number.ts";
import { isJsonArray, isRecord, memberOf } from "../json.ts";
import {
  ARGUMENT_NAME_MAX_CHARS,
  ARGUMENT_WIDTHS,
  type ArgumentWidth,
  REDACTED_ARGUMENTS_MAX_BYTES,
} from "../limits.ts";
import { oneLine } from "./log-line.ts";
import { SCRUBBED } from "./secret-places.ts";
import { isPlainUnder, mentionsSecret } from "./secret-names.ts";
import {
  isHiddenByNeighbour,
  isValueMember,
  namesItsValue,
  userOfList,
  withoutUserPasswords,
} from "./secret-neighbours.ts";
import { redactSecrets } from "./secret-shapes.ts";

/**
 * A call's arguments as a person may see them: JSON on one line, of at most `REDACTED_ARGUMENTS_MAX_BYTES`, in which
 * nothing that has a secret's shape or a secret's name stands, and no character that hides or turns others. What is left
 * out is said where it was, with `…` and how much it is. Numbers stand as they came. Any value; the same gives the same.
 */
export function redactArguments(args: unknown): string {
  const redacted = new Map<string, string>();
  const clean = (text: string): string => {
    const known = redacted.get(text);
    if (known !== undefined) return known;
    const made = withoutUserPasswords(redactSecrets(text).text);
    redacted.set(text, made);
    return made;
  };
  for (const width of ARGUMENT_WIDTHS) {
    const text = new ArgumentWriter(width, clean).write(args);
    if (text !== undefined) return text;
  }
  // The last width fits always, by what it allows of each kind.
  return '"…"';
}

const encoder = new TextEncoder();
const HIDDEN = JSON.stringify(SCRUBBED);

/** Writes a value within one width; gives up as soon as the text is too long. */
class ArgumentWriter {
  readonly #width: ArgumentWidth;
  readonly #clean: (text: string) => string;
  readonly #parts: string[] = [];
  #bytes = 0;

  constructor(width: ArgumentWidth, clean: (text: string) => string) {
    this.#width = width;
    this.#clean = clean;
  }

  write(value: unknown): string | undefined {
    this.#value(value, 0);
    return this.#isFull() ? undefined : this.#parts.join("");
  }

  #isFull(): boolean {
    return this.#bytes > REDACTED_ARGUMENTS_MAX_BYTES;
  }

  #emit(text: string): void {
    this.#parts.push(text);
    this.#bytes += encoder.encode(text).length;
  }

  #value(value: unknown, depth: number): void {
    if (isJsonArray(value)) this.#array(value, depth);
    else if (isRecord(value)) this.#object(value, depth);
    else this.#emit(this.#scalar(value));
  }

  #scalar(value: unknown): string {
    if (typeof value === "string") return this.#string(value, this.#width.chars);
    if (typeof value === "number" && Number.isFinite(value)) return String(value);
    if (typeof value === "boolean") return String(value);
    const digits = numeral(value);
    if (digits === undefined) return "null";
    return digits.length > this.#width.chars ? quoted(shortened(digits, this.#width.chars)) : digits;
  }

  #string(text: string, chars: number): string {
    return quoted(shortened(this.#clean(text), chars));
  }

  #array(items: readonly unknown[], depth: number): void {
    if (depth >= this.#width.depth && items.length > 0) {
      this.#emit(quoted(`…(array of ${items.length} items)`));
      return;
    }
    this.#emit("[");
    const shown = Math.min(items.length, this.#width.members);
    for (let index = 0; index < shown && !this.#isFull(); index += 1) {
      if (index > 0) this.#emit(",");
      if (isHiddenByNeighbour(items, index)) this.#emit(HIDDEN);
      else this.#value(userOfList(items, index) ?? items[index], depth + 1);
    }
    const more = items.length - shown;
    if (more > 0) this.#emit(`,${quoted(`…(+${more} items)`)}`);
    this.#emit("]");
  }

  #object(value: Readonly<Record<string, unknown>>, depth: number): void {
    const names = Object.keys(value);
    if (depth >= this.#width.depth && names.length > 0) {
      this.#emit(quoted(`…(object of ${names.length} members)`));
      return;
    }
    const isNamed = namesItsValue(value);
    // Two names may become one by what is taken out of them: a reader of JSON would then see one member only.
    const used = new Set<string>();
    this.#emit("{");
    const shown = names.slice(0, this.#width.members);
    for (const [index, name] of shown.entries()) {
      if (this.#isFull()) return;
      const member = memberOf(value, name);
      const isValue = isNamed && isValueMember(name);
      this.#emit(`${index > 0 ? "," : ""}${this.#name(name, used)}:`);
      if (isValue || hidesMember(name, member)) this.#emit(HIDDEN);
      else this.#value(member, depth + 1);
    }
    const more = names.length - shown.length;
    if (more > 0) this.#emit(`,${unused(quoted("…"), used)}:${quoted(`+${more} members`)}`);
    this.#emit("}");
  }

  #name(name: string, used: Set<string>): string {
    const written = unused(this.#string(name, Math.min(this.#width.chars, ARGUMENT_NAME_MAX_CHARS)), used);
    used.add(written);
    return written;
  }
}

/** Yes, no and nothing keep no secret. */
function hidesMember(name: string, member: unknown): boolean {
  if (member === null || member === undefined || typeof member === "boolean" || !mentionsSecret(name))
    return false;
  const value = typeof member === "string" ? member : numeral(member);
  return value === undefined || !isPlainUnder(name, value);
}

/** A number's digits, as they came. */
function numeral(value: unknown): string | undefined {
  if (isExactNumber(value)) return value.text;
  return typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))
    ? String(value)
    : undefined;
}

function unused(name: string, used: ReadonlySet<string>): string {
  let free = name;
  for (let copy = 2; used.has(free); copy += 1) free = `${name.slice(0, -1)}…${copy}"`;
  return free;
}

/** A JSON string in which nothing invisible stands, none of which is written other than by its escape. */
function quoted(text: string): string {
  return oneLine(JSON.stringify(text));
}

function shortened(text: string, chars: number): string {
  if (text.length <= chars) return text;
  let cut = 0;
  for (let taken = 0; taken < chars && cut < text.length; taken += 1) cut += widthAt(text, cut);
  let more = 0;
  for (let at = cut; at < text.length; at += widthAt(text, at)) more += 1;
  return more === 0 ? text : `${text.slice(0, cut)}…(+${more} characters)`;
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1;
}
