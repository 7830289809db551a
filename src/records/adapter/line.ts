import { cutAtCodePoint } from "../../code-points.ts";
import { visibleJson } from "../../exact-json/visible.ts";
import { RECORD_NAME_MAX_CHARS } from "../../limits.ts";
import { utf8Length } from "../../schema/utf8-length.ts";
import { UNSEEN_RUN } from "../../unseen.ts";

/** A foreign text as part of a line: one line, nothing unseen, at most `maxChars` UTF-16 units and the sign of a cut. */
export function oneLine(text: string, maxChars: number): string {
  // What is beyond can only be shown where the beginning is all but unseen.
  const beginning = text.slice(0, maxChars * 4);
  const line = beginning.replace(UNSEEN_RUN, " ").trim();
  if (line.length <= maxChars && beginning.length === text.length) return line;
  return `${cutAtCodePoint(line, maxChars - 1).trimEnd()}…`;
}

/** A text that a reader takes over character by character: as a JSON string, all of it, on one line. */
export function quoted(text: string): string {
  return visibleJson(JSON.stringify(text));
}

const PLAIN_NAME = /^[\w.:@+-]+$/;

/**
 * A name as it is where nothing in it could be misread, else as a JSON string. Never cut, since it is an argument of a next call:
 * one that is too long to be any is told by its length.
 */
export function nameText(name: string): string {
  if (name.length > RECORD_NAME_MAX_CHARS) return `(a name of ${name.length} characters)`;
  return PLAIN_NAME.test(name) ? name : quoted(name);
}

/** At most `maxBytes` of UTF-8 from a text's beginning, with no character cut in two, and how many bytes it has in all. */
export function cutAtBytes(
  text: string,
  maxBytes: number,
): { readonly text: string; readonly bytes: number } {
  const bytes = utf8Length(text);
  if (bytes <= maxBytes) return { text, bytes };
  const encoded = new TextEncoder().encode(text.slice(0, maxBytes)).subarray(0, maxBytes);
  // The decoder holds an incomplete character back.
  return {
    text: new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(encoded, { stream: true }),
    bytes,
  };
}

/** Lines under a bound of bytes, joined by line feeds. */
export class BoundedLines {
  private readonly lines: string[] = [];
  private left: number;

  constructor(maxBytes: number) {
    this.left = maxBytes;
  }

  /** Adds lines whole, all or none of them; false where they do not fit. */
  add(...lines: readonly string[]): boolean {
    const bytes = lines.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
    if (bytes > this.left) return false;
    this.addAlways(...lines);
    return true;
  }

  /** Adds lines whatever they take: handles without which nobody could go on. */
  addAlways(...lines: readonly string[]): void {
    for (const line of lines) {
      this.lines.push(line);
      this.left -= utf8Length(line) + 1;
    }
  }

  /** Sets bytes aside, or gives them back. */
  reserve(bytes: number): void {
    this.left -= bytes;
  }

  get bytesLeft(): number {
    return this.left;
  }

  text(): string {
    return this.lines.join("\n");
  }
}

/** Texts joined by bars, as many as fit; the rest is counted: `a|b|…(3 more)`. */
export function boundedList(texts: readonly string[], maxBytes: number): string {
  let joined = "";
  for (const [index, text] of texts.entries()) {
    const next = index === 0 ? text : `${joined}|${text}`;
    const rest = texts.length - index;
    if (utf8Length(next) + (rest > 1 ? MORE_BYTES : 0) > maxBytes) {
      return `${joined}${index === 0 ? "" : "|"}…(${rest} more)`;
    }
    joined = next;
  }
  return joined;
}

const MORE_BYTES = 20;
