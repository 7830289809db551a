import * as fc from "fast-check";
import { ExactNumber, isExactNumber } from "../../../src/exact-json/exact-number.ts";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { isJsonArray, isRecord } from "../../../src/json.ts";
import { jsonText } from "../../exact-json/json-texts.ts";

/** Names and texts that a line, a row or a program could trip over. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    "__proto__",
    "constructor",
    "a | b",
    "|",
    "-",
    "null",
    "+2 more",
    "… 3 line(s) omitted",
    "Loading…",
    "…",
    "{…}",
    "\u2028\u2029\u0085\u0000\u001b[31m",
    "\u200f\u061c\u200e\u2060",
    "\u{e0041}\u{e0042}\u{e007f}",
    "\ud800",
    "\udc00\ud83d",
    "\u{1f600}".repeat(80),
    "\\\"'\n\t",
    "<|endoftext|>",
    "k".repeat(10_000),
    " around ",
    "a=b, c",
  ),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);

const scalar = fc.oneof(
  hostileText,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(
    true,
    false,
    null,
    new ExactNumber("12345678901234567890"),
    new ExactNumber(`1.${"0".repeat(300)}`),
  ),
);

/** JSON values: nested ones with exact numbers, and ones with more members and items than any bound lets through. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  jsonText.map((text) => {
    const parsed = parseExactJson(text, { duplicates: "last" });
    return parsed.ok ? parsed.value : undefined;
  }),
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      scalar,
      fc.array(tie("value"), { maxLength: 8 }),
      fc
        .array(fc.tuple(hostileText, tie("value")), { maxLength: 8 })
        .map((members) => Object.fromEntries(members)),
    ),
  })).value,
  fc.array(scalar, { maxLength: 60, size: "max" }),
  fc.dictionary(fc.string({ maxLength: 6 }), scalar, { maxKeys: 60, size: "max" }),
);

/** A value like no JSON but whatever a program may hold. */
export const anything: fc.Arbitrary<unknown> = fc.anything({
  key: hostileText,
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});

/** The same value with the members of each object in the opposite order. */
export function turnedAround(value: unknown): unknown {
  if (isExactNumber(value)) return value;
  if (isJsonArray(value)) return value.map(turnedAround);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, turnedAround(item)]),
  );
}

export function nestedArrays(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

export function nestedObjects(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

export const chars = (text: string): number => Array.from(text).length;
