import { JSON_PATH_MAX_DEPTH } from "../limits.ts";

/** What is wrong with a query's text, and at which of its characters. */
export class PathSyntaxError extends Error {
  readonly at: number;

  constructor(problem: string, at: number) {
    super(problem);
    this.at = at;
  }
}

/** A text and a place in it. Everything that reads throws a `PathSyntaxError`, which the parser turns into a result. */
export class PathReader {
  readonly text: string;
  at = 0;
  #depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  get next(): string {
    return this.text.charAt(this.at);
  }

  fail(problem: string, at = this.at): never {
    throw new PathSyntaxError(problem, at);
  }

  /** Whether this comes next; if so, goes behind it. */
  take(mark: string): boolean {
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  expect(mark: string): void {
    if (!this.take(mark)) this.fail(`${mark} is missing`);
  }

  /** What a sticky expression matches here, empty for nothing. */
  match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [found = ""] = pattern.exec(this.text) ?? [];
    this.at += found.length;
    return found;
  }

  space(): void {
    this.match(/[ \t\n\r]*/y);
  }

  /** Filters may hold filters; the call stack is not for others to fill. */
  nested<Value>(read: () => Value): Value {
    if (this.#depth >= JSON_PATH_MAX_DEPTH) this.fail("it is nested too deeply");
    this.#depth += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }
}
