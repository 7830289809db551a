import * as fc from "fast-check";

/** Numbers as JSON allows them, most of which JavaScript would write otherwise. */
export const numberText: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.oneof(fc.constant("0"), fc.bigInt({ min: 1n, max: 10n ** 30n }).map(String)),
      fc.oneof(fc.constant(""), fc.stringMatching(/^\.[0-9]{1,20}$/), fc.constantFrom(".0", ".10", ".50")),
      fc.oneof(fc.constant(""), fc.stringMatching(/^[eE][-+]?[0-9]{1,4}$/)),
    )
    .map((parts) => parts.join("")),
  fc.constantFrom(
    "12345678901234567890",
    "1.0",
    "1e3",
    "-0",
    "0.10",
    "1e999",
    "-1e999",
    "1E-999",
    "0.0000001",
  ),
  // The very numbers that stand in for exact ones while a text is read.
  fc.integer({ min: 0, max: 20 }).map((offset) => String(2 ** 52 + offset)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.integer().map(String),
);

const hostileNames = [
  "a",
  "b",
  "__proto__",
  "constructor",
  "toJSON",
  "1",
  "0",
  "",
  "\ud800",
  "~/",
  "text",
  "length",
];

/** A string as some encoder might have written it: any character may be escaped, and lone surrogates stand raw. */
const stringText: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(
        ...hostileNames,
        "4503599627370496",
        "1.0",
        '{"a":1,"a":2}',
        "\\",
        '"',
        "\u2028",
        "\u0000",
      ),
      fc.string({ unit: "binary", maxLength: 12 }),
    ),
    fc.infiniteStream(fc.boolean()),
  )
  .map(([value, escapes]) => {
    const units = Array.from({ length: value.length }, (_, at) => {
      const unit = value.charCodeAt(at);
      const escaped = `\\u${unit.toString(16).padStart(4, "0")}`;
      if (escapes.next().value === true) return escaped;
      return unit >= 0xd800 && unit <= 0xdfff
        ? value.charAt(at)
        : JSON.stringify(value.charAt(at)).slice(1, -1);
    });
    return `"${units.join("")}"`;
  });

const blank = fc.constantFrom("", "", "", " ", "\n", "\t \r\n");

/** Valid JSON texts with exact numbers, duplicate members, escapes and layout. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    numberText,
    stringText,
    fc.constantFrom("true", "false", "null", "[]", "{}"),
    fc
      .tuple(fc.array(tie("value"), { maxLength: 5 }), blank)
      .map(([items, space]) => `[${space}${items.join(`${space},${space}`)}${space}]`),
    fc
      .tuple(fc.array(fc.tuple(stringText, tie("value")), { maxLength: 5 }), blank)
      .map(
        ([members, space]) =>
          `{${space}${members.map(([key, value]) => `${key}${space}:${space}${value}`).join(`,${space}`)}${space}}`,
      ),
  ),
})).value;

/** Texts that are nearly JSON: a valid one with a piece cut out, doubled or replaced. */
export const brokenText: fc.Arbitrary<string> = fc
  .tuple(
    jsonText,
    fc.nat(),
    fc.nat({ max: 4 }),
    fc.constantFrom("", "1.0", "0", ".", "e5", "-", '"', "\\", ",", "{", "]", ":"),
  )
  .map(([text, at, length, patch]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + patch + text.slice(from + length);
  });

/** The number tokens of a JSON text in order, found by a reading of RFC 8259 that shares nothing with the code. */
export function numberTokens(text: string): string[] {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
}

/** A duplicate finder that shares nothing with the code but its answer: a recursive descent over a valid text. */
export function firstDuplicate(text: string): string | undefined {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/gs) ?? [];
  let at = 0;
  const elements = (close: string, element: (index: number) => string | undefined): string | undefined => {
    for (let index = 0; tokens[at] !== close; index += 1) {
      const found = element(index);
      if (found !== undefined) return found;
      if (tokens[at] === ",") at += 1;
    }
    at += 1;
    return undefined;
  };
  const value = (place: string): string | undefined => {
    const token = tokens[at];
    at += 1;
    if (token === "[") return elements("]", (index) => value(`${place}/${index}`));
    if (token !== "{") return undefined;
    const names: string[] = [];
    return elements("}", () => {
      const name = String(JSON.parse(tokens[at] ?? ""));
      const inner = `${place}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (names.includes(name)) return inner;
      names.push(name);
      at += 2;
      return value(inner);
    });
  };
  return value("");
}

export function nested(depth: number, inner: string): string {
  return `${"[".repeat(depth)}${inner}${"]".repeat(depth)}`;
}
