import { decodeUtf8 } from "../../result/utf8.ts";
import {
  AT_VALUE,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  documentStart,
  type Inside,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipValue,
  stringClose,
} from "./scan.ts";

/** One level of what is looked for: members of these names, the element of an index, or everything. */
export type Step =
  | { readonly kind: "names"; readonly names: ReadonlySet<string> }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all"; readonly named?: true };

interface Level {
  readonly isObject: boolean;
  /** Of the child that comes next, or that the walk is in. */
  index: number;
}

/** Where a walk stands between two reads; small whatever the document. */
export interface WalkState {
  readonly levels: readonly Readonly<Level>[];
  /** The value that the walk is in the middle of, and whether it is one that was looked for. */
  readonly within: { readonly inside: Inside; readonly wanted: boolean } | null;
}

/** A value that was looked for, or what follows of one; its bytes go from `start` to `end`. */
export interface Found {
  /** The member's name, where names are looked for; unknown where a value goes on. */
  readonly name: string | undefined;
  readonly index: number;
  /** Where the member begins, its name included. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** What was open at `start`. */
  readonly before: Inside;
  /** What is open at `end`, `null` where the value is over. */
  readonly inside: Inside | null;
}

/** `more`: the bytes ended before the document did. `over`: the document did. `broken`: it is no JSON. */
export type WalkEnd = "more" | "over" | "broken";

/**
 * Goes through a JSON document, of which these are some bytes, and finds the values along a trail without making a tree of
 * it: members' and elements' bounds only, nothing below them is judged. Iterative, so any depth. What it does not know is
 * whether a name comes twice: each is found.
 */
export class JsonWalk {
  readonly #bytes: Uint8Array;
  readonly #trail: readonly Step[];
  readonly #levels: Level[];
  #within: WalkState["within"];
  #started: boolean;
  /** Where the walk stands. */
  at = 0;

  constructor(bytes: Uint8Array, trail: readonly Step[], state?: WalkState) {
    this.#bytes = bytes;
    this.#trail = trail;
    this.#levels = (state?.levels ?? []).map(copyOf);
    this.#within = state?.within ?? null;
    this.#started = state !== undefined;
  }

  next(): Found | WalkEnd {
    const begun = this.#within;
    if (begun !== null) {
      const start = this.at;
      const { end, inside } = skipValue(this.#bytes, start, begun.inside);
      if (begun.wanted) {
        return {
          name: undefined,
          index: this.#index(),
          from: start,
          start,
          end,
          before: begun.inside,
          inside,
        };
      }
      this.at = end;
      if (inside !== null) {
        this.#within = { inside, wanted: false };
        return "more";
      }
      this.#ended();
    }
    for (;;) {
      const found = this.#levels.length === 0 ? this.#root() : this.#child();
      if (found !== undefined) return found;
    }
  }

  /** The value found is dealt with as far as it goes; `cut` is where it was left, if before its end. */
  leave(found: Found, cut?: { readonly end: number; readonly inside: Inside }): void {
    this.at = cut?.end ?? found.end;
    const inside = cut === undefined ? found.inside : cut.inside;
    if (inside === null) this.#ended();
    else this.#within = { inside, wanted: true };
  }

  /** The value found is left to the next walk, which begins before it. */
  putBack(found: Found): void {
    this.at = found.from;
  }

  state(): WalkState {
    return { levels: this.#levels.map(copyOf), within: this.#within };
  }

  #index(): number {
    return this.#levels.at(-1)?.index ?? 0;
  }

  #ended(): void {
    this.#within = null;
    const level = this.#levels.at(-1);
    if (level !== undefined) level.index += 1;
  }

  #root(): Found | WalkEnd | undefined {
    this.at = this.#started ? skipSpace(this.#bytes, this.at) : documentStart(this.#bytes);
    if (this.#started) return this.at < this.#bytes.length ? "broken" : "over";
    if (this.at >= this.#bytes.length) return "more";
    this.#started = true;
    if (this.#trail.length === 0) return this.#found(undefined, 0, this.at);
    if (this.#enter()) return undefined;
    const { end, inside } = skipValue(this.#bytes, this.at, AT_VALUE);
    this.at = end;
    if (end < this.#bytes.length || inside === null) return undefined;
    this.#within = { inside, wanted: false };
    return "more";
  }

  /** One child of the innermost container; `undefined` where there is nothing to tell yet. */
  #child(): Found | WalkEnd | undefined {
    const level = this.#levels.at(-1);
    const step = this.#trail[this.#levels.length - 1];
    if (level === undefined || step === undefined) return "broken";
    const bytes = this.#bytes;
    this.at = skipSpace(bytes, this.at);
    // Valid JSON has exactly one between two children; what else it might be is not judged here.
    if (level.index > 0 && bytes[this.at] === COMMA) this.at = skipSpace(bytes, this.at + 1);
    const first = bytes[this.at];
    if (first === undefined) return "more";
    if (first === (level.isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
      this.at += 1;
      this.#levels.pop();
      this.#ended();
      return undefined;
    }
    const start = this.at;
    const isNamed = step.kind === "names" || (step.kind === "all" && step.named === true);
    const member = level.isObject ? this.#name(isNamed) : null;
    if (member === "more" || member === "broken") {
      this.at = start;
      return member;
    }
    const wanted = matches(step, level, member?.name);
    if (wanted && this.#levels.length === this.#trail.length) {
      return this.#found(member?.name, level.index, start);
    }
    if (wanted && this.#enter()) return undefined;
    if (!beginsValue(bytes[this.at])) return "broken";
    const { end, inside } = skipValue(bytes, this.at, AT_VALUE);
    this.at = end;
    if (inside !== null) {
      this.#within = { inside, wanted: false };
      return "more";
    }
    this.#ended();
    return undefined;
  }

  #found(name: string | undefined, index: number, from: number): Found | WalkEnd {
    const start = this.at;
    if (!beginsValue(this.#bytes[start])) return "broken";
    const { end, inside } = skipValue(this.#bytes, start, AT_VALUE);
    return { name, index, from, start, end, before: AT_VALUE, inside };
  }

  #enter(): boolean {
    const open = this.#bytes[this.at];
    if (open !== OPEN_ARRAY && open !== OPEN_OBJECT) return false;
    this.#levels.push({ isObject: open === OPEN_OBJECT, index: 0 });
    this.at += 1;
    return true;
  }

  /** Reads a member's name, or only goes by it, and stands before its value. */
  #name(isNeeded: boolean): { readonly name: string | undefined } | "more" | "broken" {
    const bytes = this.#bytes;
    if (bytes[this.at] !== QUOTE) return "broken";
    const close = stringClose(bytes, this.at + 1);
    const colon = close < 0 ? bytes.length : skipSpace(bytes, close);
    const value = skipSpace(bytes, colon + 1);
    if (value >= bytes.length) return "more";
    if (bytes[colon] !== COLON) return "broken";
    const name = isNeeded ? textOfString(bytes.subarray(this.at, close)) : undefined;
    if (isNeeded && name === undefined) return "broken";
    this.at = value;
    return { name };
  }
}

function copyOf({ isObject, index }: Readonly<Level>): Level {
  return { isObject, index };
}

function matches(step: Step, level: Readonly<Level>, name: string | undefined): boolean {
  switch (step.kind) {
    case "all":
      return true;
    case "index":
      return !level.isObject && level.index === step.index;
    case "names":
      return name !== undefined && step.names.has(name);
  }
}

/** A quote, a bracket, a digit, a minus, or the first letter of a name. */
function beginsValue(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  if (byte === QUOTE || byte === OPEN_ARRAY || byte === OPEN_OBJECT || byte === 0x2d) return true;
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x74 || byte === 0x66 || byte === 0x6e;
}

function textOfString(quoted: Uint8Array): string | undefined {
  try {
    const text: unknown = JSON.parse(decodeUtf8(quoted));
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
