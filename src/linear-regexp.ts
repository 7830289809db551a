import { RE2JS, RE2JSException } from "re2js";
import { REGEXP_MAX_COUNT } from "./limits.ts";
import { fail, ok, type Result } from "./result.ts";

/** A pattern whose matching takes time in proportion to the text, whatever both are. */
export interface LinearRegExp {
  /** Instructions that a character may cost, at most. */
  readonly size: number;
  /** Whether it is found anywhere in the text. */
  test(text: string): boolean;
  /** Whether it is the whole text. */
  testWhole(text: string): boolean;
  /** Where the first match at or behind `from` begins and ends; slower than `test`. */
  find(text: string, from: number): { readonly start: number; readonly end: number } | undefined;
}

/** Compiles a pattern in RE2's syntax: no look-around, no back-references. Fails with what is wrong with it. */
export function compileLinear(pattern: string, ignoreCase: boolean): Result<LinearRegExp, string> {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (error instanceof RE2JSException) return fail(problemOf(error.message));
    // The parser recurses; a pattern that is too deep for it is as wrong as any.
    return fail("it cannot be compiled");
  }
  const size = compiled.programSize();
  if (size > REGEXP_MAX_COUNT) return fail("it is too large: fewer or smaller repetitions");
  return ok({
    size,
    test: (text) => compiled.test(text),
    testWhole: (text) => compiled.testExact(text),
    find: (text, from) => {
      const matcher = compiled.matcher(text);
      return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
    },
  });
}

/** The engine's own words name the piece that is wrong, which is a piece of the caller's own pattern. */
function problemOf(message: string): string {
  return message.replace(/^error parsing regexp: /, "").slice(0, 160);
}
