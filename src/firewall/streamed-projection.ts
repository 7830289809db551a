import { parseJsonPath } from "../json-path/parse.ts";
import { parsedJson } from "../json.ts";
import type { Unselected } from "../large-result.ts";
import type { NodeSelector, Segment } from "../json-path/query.ts";
import { PROJECTED_LARGE_MAX_CHARS } from "../limits.ts";

/** Selects parts of a JSON text as it goes by. */
export interface StreamedProjection {
  push(text: string): void;
  /** JSON: the parts in their shape, as {@link projectKept} gives them; nothing where none was there or they are too much. */
  finish(): { readonly selected?: string; readonly unselected?: Unselected };
}

/**
 * Of the paths those that can be followed from front to back: names, positions and slices from 0 on, and wildcards; that
 * there are others is told of a text that is JSON. Memory is bounded by what is selected; the text is only judged as far as
 * that needs.
 */
export function openProjection(paths: readonly string[]): StreamedProjection | undefined {
  const trails = paths.flatMap((path) => {
    const query = parseJsonPath(path);
    return query.ok && query.value.segments.every(isFollowed) ? [query.value.segments] : [];
  });
  return paths.length === 0 ? undefined : new Projector(trails, trails.length < paths.length);
}

function isFollowed({ isDescendant, selectors }: Segment): boolean {
  return !isDescendant && selectors.every(isForward);
}

function isForward(selector: NodeSelector): boolean {
  switch (selector.kind) {
    case "name":
    case "wildcard":
      return true;
    case "index":
      return selector.index >= 0;
    case "slice":
      return (selector.start ?? 0) >= 0 && (selector.end ?? 0) >= 0 && selector.step > 0;
    case "filter":
      return false;
  }
}

type Trail = readonly Segment[];

/** A container on the way to something that may be selected. */
interface Frame {
  readonly isArray: boolean;
  /** What is left of the trails that lead into it: each has a step for its children. */
  readonly trails: readonly Trail[];
  /** Of the child at hand. */
  index: number;
  /** The name of the member at hand, as it is written. */
  name: string;
  /** Whether a child was begun: then the container does not end before the next. */
  isBegun: boolean;
  isWritten: boolean;
  /** Whether a child was written. */
  hasWritten: boolean;
}

/** A value that goes by whole, selected or not; `depth`: how many of its containers are open. */
interface Passing {
  readonly isSelected: boolean;
  readonly isScalar: boolean;
  depth: number;
  isString: boolean;
  isEscaped: boolean;
}

type Expected = "value" | "name" | "colon" | "after";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const OPEN_ARRAY = 0x5b;
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const MARK = 0xfe_ff;

class Projector implements StreamedProjection {
  readonly #trails: readonly Trail[];
  readonly #frames: Frame[] = [];
  #expected: Expected = "value";
  #passing: Passing | undefined;
  /** The name that is being read, its first quote included. */
  #name: string | undefined;
  #isEscaped = false;
  #written: string[] = [];
  #room = PROJECTED_LARGE_MAX_CHARS;
  #isFirst = true;
  /** No JSON, or too much of it selected. */
  #isOver = false;
  #unselected: Unselected | undefined;

  constructor(trails: readonly Trail[], isShort: boolean) {
    this.#trails = trails;
    if (isShort) this.#unselected = "not_followed";
  }

  push(text: string): void {
    let at = 0;
    if (this.#isFirst && text !== "") {
      this.#isFirst = false;
      if (text.charCodeAt(0) === MARK) at = 1;
    }
    while (at < text.length && !this.#isOver) {
      if (this.#passing !== undefined) at = this.#pass(text, at, this.#passing);
      else if (this.#name === undefined) at = this.#step(text, at);
      else at = this.#readName(text, at);
    }
  }

  finish(): ReturnType<StreamedProjection["finish"]> {
    const unselected = this.#unselected === undefined ? {} : { unselected: this.#unselected };
    if (this.#isOver) return this.#unselected === "too_much" ? unselected : {};
    const isWhole = this.#frames.length === 0 && this.#passing === undefined && this.#expected === "after";
    if (!isWhole) return {};
    const selected = this.#written.join("");
    return selected === "" || parsedJson(selected) === undefined ? unselected : { selected, ...unselected };
  }

  #step(text: string, at: number): number {
    const unit = text.charCodeAt(at);
    if (SPACES.has(unit)) return at + 1;
    const frame = this.#frames.at(-1);
    if (CLOSE.has(unit) && frame !== undefined && (this.#expected === "after" || !frame.isBegun)) {
      return this.#close(frame, text.charAt(at), at);
    }
    switch (this.#expected) {
      case "value":
        return this.#begin(unit, at);
      case "name":
        if (unit !== QUOTE) return this.#fail(at);
        this.#name = '"';
        return at + 1;
      case "colon":
        this.#expected = "value";
        return unit === COLON ? at + 1 : this.#fail(at);
      case "after":
        if (unit !== COMMA || frame === undefined) return this.#fail(at);
        frame.index += 1;
        this.#expected = frame.isArray ? "value" : "name";
        return at + 1;
    }
  }

  #close(frame: Frame, mark: string, at: number): number {
    if ((mark === "]") !== frame.isArray) return this.#fail(at);
    this.#frames.pop();
    if (frame.isWritten) this.#write(mark);
    this.#expected = "after";
    return at + 1;
  }

  #begin(unit: number, at: number): number {
    const parent = this.#frames.at(-1);
    if (parent !== undefined) parent.isBegun = true;
    else if (!OPEN.has(unit)) return this.#fail(at);
    const trails = parent === undefined ? this.#trails : stepsInto(parent);
    const isSelected = trails.some(({ length }) => length === 0);
    const isContainer = OPEN.has(unit);
    if (isSelected) this.#lead();
    else if (isContainer && trails.length > 0) {
      const isArray = unit === OPEN_ARRAY;
      this.#frames.push({ ...FRESH, isArray, trails });
      this.#expected = isArray ? "value" : "name";
      return at + 1;
    }
    const isScalar = !isContainer && unit !== QUOTE;
    this.#passing = { isSelected, isScalar, depth: 0, isString: false, isEscaped: false };
    return at;
  }

  /** Writes whatever of the containers around a selected value is not yet there, and what leads to the value. */
  #lead(): void {
    let parent: Frame | undefined;
    for (const frame of this.#frames) {
      if (!frame.isWritten) {
        this.#write(`${leadIn(parent)}${frame.isArray ? "[" : "{"}`);
        frame.isWritten = true;
      }
      parent = frame;
    }
    this.#write(leadIn(parent));
  }

  #pass(text: string, from: number, passing: Passing): number {
    let copied = from;
    let at = from;
    const copy = (to: number): void => {
      if (passing.isSelected && to > copied) this.#write(text.slice(copied, to));
      copied = to;
    };
    const end = (to: number): number => {
      copy(to);
      this.#passing = undefined;
      this.#expected = "after";
      return to;
    };
    for (; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (passing.isString) {
        if (passing.isEscaped) passing.isEscaped = false;
        else if (unit === BACKSLASH) passing.isEscaped = true;
        else if (unit === QUOTE) {
          passing.isString = false;
          if (passing.depth === 0) return end(at + 1);
        }
      } else if (unit === QUOTE) passing.isString = true;
      else if (OPEN.has(unit)) passing.depth += 1;
      else if (CLOSE.has(unit)) {
        if (passing.depth === 0) return end(at);
        passing.depth -= 1;
        if (passing.depth === 0) return end(at + 1);
      } else if (unit === COMMA && passing.depth === 0) return end(at);
      else if (SPACES.has(unit)) {
        if (passing.isScalar) return end(at);
        copy(at);
        copied = at + 1;
      }
    }
    copy(at);
    return at;
  }

  #readName(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (unit === BACKSLASH) this.#isEscaped = true;
      else if (unit === QUOTE) {
        const frame = this.#frames.at(-1);
        if (frame !== undefined) frame.name = `${this.#name ?? ""}${text.slice(from, at + 1)}`;
        this.#name = undefined;
        this.#expected = "colon";
        return at + 1;
      }
    }
    this.#name = `${this.#name ?? ""}${text.slice(from)}`;
    if (this.#name.length <= PROJECTED_LARGE_MAX_CHARS) return text.length;
    this.#unselected = "too_much";
    return this.#fail(from);
  }

  #write(text: string): void {
    this.#room -= text.length;
    if (this.#room < 0) {
      this.#unselected = "too_much";
      this.#fail(0);
    } else if (text !== "") this.#written.push(text);
  }

  #fail(at: number): number {
    this.#isOver = true;
    this.#written = [];
    return at;
  }
}

const FRESH = { index: 0, name: "", isBegun: false, isWritten: false, hasWritten: false } as const;

/** What is left of the trails that go on into the child at hand. */
function stepsInto({ isArray, index, name, trails }: Frame): readonly Trail[] {
  const member = isArray ? undefined : nameOf(name);
  return trails.flatMap(([step, ...rest]) =>
    step?.selectors.some((selector) => leadsTo(selector, isArray ? index : member)) === true ? [rest] : [],
  );
}

function leadsTo(selector: NodeSelector, child: string | number | undefined): boolean {
  switch (selector.kind) {
    case "wildcard":
      return true;
    case "name":
      return selector.name === child;
    case "index":
      return selector.index === child;
    case "slice": {
      const { start = 0, end = Infinity, step } = selector;
      return typeof child === "number" && child >= start && child < end && (child - start) % step === 0;
    }
    case "filter":
      return false;
  }
}

/** What stands before a child of a container that is written: a comma behind another one, a member's name. */
function leadIn(parent: Frame | undefined): string {
  if (parent === undefined) return "";
  const comma = parent.hasWritten ? "," : "";
  parent.hasWritten = true;
  return parent.isArray ? comma : `${comma}${parent.name}:`;
}

function nameOf(written: string): string | undefined {
  const name = parsedJson(written);
  return typeof name === "string" ? name : undefined;
}
