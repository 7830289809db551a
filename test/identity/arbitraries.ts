import * as fc from "fast-check";
import type { ToolIdParts } from "../../src/identity/tool-id.ts";

/** Any JavaScript string: lone surrogates, NUL and all. */
export const anyString = fc.string({
  unit: fc.integer({ min: 0, max: 0xff_ff }).map((unit) => String.fromCharCode(unit)),
});

/** Strings over a small alphabet of ASCII characters. */
export function over(alphabet: string, minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...alphabet.split("")), minLength, maxLength });
}

/** Names that hostile or careless servers use. */
export const uglyNames = [
  "",
  " ",
  "__proto__",
  "constructor",
  "<|endoftext|>",
  "\0",
  "\ud800",
  "a\udc00.b",
  "x".repeat(10_240),
  "_".repeat(10_240),
  ".".repeat(10_240),
  "/".repeat(10_240),
  "-".repeat(10_240),
  "a.b\n",
  "a:b#00000000",
];

/** Strings over the characters of ids, which come much closer to the grammar than arbitrary ones. */
export const nearIds = over("aZ09_-.:@#~f", 0, 90);

function grammar(first: string, rest: string, max: number): fc.Arbitrary<string> {
  return fc.tuple(over(first, 1, 1), over(rest, 0, max - 1)).map(([head, tail]) => `${head}${tail}`);
}

const hash8 = over("0123456789abcdef", 8, 8);
const version = over("aB1._-", 1, 32);

/** Legal parts, with small alphabets of the characters that matter, up to the longest. */
export const legalParts: fc.Arbitrary<ToolIdParts> = fc
  .record({
    namespace: grammar("az", "ab0_-", 64),
    name: grammar("aZ_", "aZ0_.-", 128),
    version: fc.option(version),
    hash8: fc.option(hash8),
  })
  .filter((parts) => parts.version !== null || parts.hash8 !== null);
