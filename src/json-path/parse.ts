import { fail, ok, type Result } from "../result.ts";
import { readLogical } from "./parse-filter.ts";
import { HALF_PAIR, readQuoted } from "./parse-string.ts";
import type { NodeSelector, Query, Segment } from "./query.ts";
import { PathReader, PathSyntaxError } from "./reader.ts";

export interface PathProblem {
  readonly problem: string;
  /** The character of the text, from 0. */
  readonly at: number;
}

const NAME = /[A-Za-z_\u0080-\uFFFF][A-Za-z0-9_\u0080-\uFFFF]*/y;
const INTEGER = /0|-?[1-9][0-9]*/y;

/** Reads a query (RFC 9535 §2) in strict syntax. Never throws. */
export function parseJsonPath(text: string): Result<Query, PathProblem> {
  const reader = new PathReader(text);
  try {
    if (!reader.take("$")) reader.fail("a path begins with $");
    const segments = readSegments(reader);
    if (reader.next === "-") reader.fail("a name with such characters is quoted: ['a-b']");
    if (reader.at < text.length) reader.fail("unexpected here");
    return ok({ segments });
  } catch (error) {
    if (error instanceof PathSyntaxError) return fail({ problem: error.message, at: error.at });
    throw error;
  }
}

function readSegments(reader: PathReader): readonly Segment[] {
  const segments: Segment[] = [];
  for (;;) {
    const start = reader.at;
    reader.space();
    const isDescendant = reader.take("..");
    const isDotted = !isDescendant && reader.take(".");
    let selectors: readonly NodeSelector[];
    if (!isDotted && reader.take("[")) selectors = readBracketed(reader);
    else if (isDescendant || isDotted) selectors = [readShorthand(reader)];
    else {
      reader.at = start;
      return segments;
    }
    segments.push({ isDescendant, selectors, end: reader.at });
  }
}

function readShorthand(reader: PathReader): NodeSelector {
  if (reader.take("*")) return { kind: "wildcard" };
  const name = reader.match(NAME);
  if (name === "" || HALF_PAIR.test(name)) reader.fail("a name, * or [ is missing");
  return { kind: "name", name };
}

function readBracketed(reader: PathReader): readonly NodeSelector[] {
  const selectors: NodeSelector[] = [];
  do {
    reader.space();
    selectors.push(readSelector(reader));
    reader.space();
  } while (reader.take(","));
  reader.expect("]");
  return selectors;
}

function readSelector(reader: PathReader): NodeSelector {
  if (reader.take("*")) return { kind: "wildcard" };
  if (reader.next === "'" || reader.next === '"') return { kind: "name", name: readQuoted(reader) };
  if (reader.take("?")) {
    reader.space();
    return { kind: "filter", test: readLogical(reader, readSegments) };
  }
  const start = readInteger(reader);
  const afterStart = reader.at;
  reader.space();
  if (!reader.take(":")) {
    reader.at = afterStart;
    return start === undefined
      ? reader.fail("a name in quotes, an index, a slice, * or ? is missing")
      : { kind: "index", index: start };
  }
  reader.space();
  const end = readInteger(reader);
  reader.space();
  let step: number | undefined;
  if (reader.take(":")) {
    reader.space();
    step = readInteger(reader);
  }
  return {
    kind: "slice",
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    step: step ?? 1,
  };
}

/** RFC 9535 §2.1: integers are those that every JSON implementation agrees on. */
function readInteger(reader: PathReader): number | undefined {
  const at = reader.at;
  const digits = reader.match(INTEGER);
  if (digits === "") return undefined;
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) reader.fail("the number is too large", at);
  return value;
}
