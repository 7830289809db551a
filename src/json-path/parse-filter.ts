import { ExactNumber } from "../exact-json/exact-number.ts";
import { readQuoted } from "./parse-string.ts";
import {
  type Comparable,
  type Comparison,
  type InnerQuery,
  isSingular,
  type Logical,
  type Segment,
} from "./query.ts";
import type { PathReader } from "./reader.ts";

type ReadSegments = (reader: PathReader) => readonly Segment[];

/** Longest first: `<` begins `<=` too. */
const COMPARISONS: readonly Comparison[] = ["==", "!=", "<=", ">=", "<", ">"];
const NUMBER = /(?:-?[1-9][0-9]*|-?0)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const FUNCTION = /(?:length|count|match|search|value)(?=\()/y;
const UNKNOWN_FUNCTION = /[a-z][a-z_0-9]*(?=\()/y;
const CONSTANT = /(?:true|false|null)(?![A-Za-z0-9_])/y;

/** A filter's expression (RFC 9535 §2.3.5), well-typed (§2.4.3). */
export function readLogical(reader: PathReader, readSegments: ReadSegments): Logical {
  const one = (): Logical => joined(reader, "and", "&&", () => readBasic(reader, readSegments));
  return reader.nested(() => joined(reader, "or", "||", one));
}

function joined(reader: PathReader, kind: "or" | "and", mark: string, read: () => Logical): Logical {
  const all: Logical[] = [];
  let end = reader.at;
  do {
    reader.space();
    all.push(read());
    end = reader.at;
    reader.space();
  } while (reader.take(mark));
  reader.at = end;
  const [only] = all;
  return all.length === 1 && only !== undefined ? only : { kind, all };
}

function readBasic(reader: PathReader, readSegments: ReadSegments): Logical {
  if (reader.take("!")) {
    reader.space();
    const at = reader.at;
    const of = reader.next === "(" ? readGroup(reader, readSegments) : readTest(reader, readSegments);
    return of.kind === "compare" ? reader.fail("! before a comparison needs brackets", at) : negated(of);
  }
  return reader.next === "(" ? readGroup(reader, readSegments) : readTest(reader, readSegments);
}

function negated(of: Logical): Logical {
  return { kind: "not", of: of.kind === "and" && of.all.length === 1 ? (of.all[0] ?? of) : of };
}

/** Kept apart from a bare comparison, which `!` may not stand before. */
function readGroup(reader: PathReader, readSegments: ReadSegments): Logical {
  reader.expect("(");
  reader.space();
  const inner = readLogical(reader, readSegments);
  reader.space();
  reader.expect(")");
  return inner.kind === "compare" ? { kind: "and", all: [inner] } : inner;
}

/** A comparison, a query that is to find something, or a function that says yes or no. */
function readTest(reader: PathReader, readSegments: ReadSegments): Logical {
  const at = reader.at;
  const name = reader.match(FUNCTION);
  if (name === "match" || name === "search") {
    reader.expect("(");
    const value = readArgument(reader, readSegments);
    comma(reader);
    const pattern = readArgument(reader, readSegments);
    closing(reader);
    return { kind: name, value, pattern };
  }
  reader.at = at;
  const left = readComparable(reader, readSegments);
  const end = reader.at;
  reader.space();
  const operator = COMPARISONS.find((mark) => reader.take(mark));
  if (operator === undefined) {
    reader.at = end;
    if (left.kind === "query") return { kind: "exists", query: left.query };
    return reader.fail("a value must be compared", at);
  }
  reader.space();
  const rightAt = reader.at;
  const right = readComparable(reader, readSegments);
  singular(reader, left, at);
  singular(reader, right, rightAt);
  return { kind: "compare", operator, left, right };
}

function readComparable(reader: PathReader, readSegments: ReadSegments): Comparable {
  const at = reader.at;
  if (reader.next === "@" || reader.next === "$") {
    return { kind: "query", query: readInner(reader, readSegments) };
  }
  if (reader.next === "'" || reader.next === '"') return { kind: "literal", value: readQuoted(reader) };
  const name = reader.match(FUNCTION);
  if (name !== "") return readFunction(reader, readSegments, name, at);
  const constant = reader.match(CONSTANT);
  if (constant !== "") return { kind: "literal", value: constant === "null" ? null : constant === "true" };
  const number = reader.match(NUMBER);
  if (number !== "") {
    const value = Number(number);
    return { kind: "literal", value: String(value) === number ? value : new ExactNumber(number) };
  }
  return reader.fail(
    reader.match(UNKNOWN_FUNCTION) === ""
      ? "@, $, a value or a function is missing"
      : "no such function: there are length, count, match, search and value",
    at,
  );
}

function readFunction(reader: PathReader, readSegments: ReadSegments, name: string, at: number): Comparable {
  reader.expect("(");
  reader.space();
  if (name === "length") {
    const of = readArgument(reader, readSegments);
    closing(reader);
    return { kind: "length", of };
  }
  if (name !== "count" && name !== "value") return reader.fail(`${name} says yes or no and has no value`, at);
  if (reader.next !== "@" && reader.next !== "$") return reader.fail(`${name} takes a query`);
  const query = readInner(reader, readSegments);
  closing(reader);
  return { kind: name, query };
}

function readInner(reader: PathReader, readSegments: ReadSegments): InnerQuery {
  const isRelative = reader.take("@");
  if (!isRelative) reader.expect("$");
  return { isRelative, segments: reader.nested(() => readSegments(reader)) };
}

/** An argument that has one value. */
function readArgument(reader: PathReader, readSegments: ReadSegments): Comparable {
  reader.space();
  const at = reader.at;
  const argument = reader.nested(() => readComparable(reader, readSegments));
  singular(reader, argument, at);
  return argument;
}

function singular(reader: PathReader, comparable: Comparable, at: number): void {
  if (comparable.kind === "query" && !isSingular(comparable.query)) {
    reader.fail("a query that may find several is no value: use value() or count()", at);
  }
}

function comma(reader: PathReader): void {
  reader.space();
  reader.expect(",");
}

function closing(reader: PathReader): void {
  reader.space();
  reader.expect(")");
}
