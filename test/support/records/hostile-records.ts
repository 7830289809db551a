import fc from "fast-check";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";

/** Texts that break lines, look like something else or fill a context. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(
    "",
    "a\nb\r\nc\u2028d",
    "\0\u001b[31m\u202e",
    "<mark>open",
    "</mark>close<mark>",
    "<mark><mark>x</mark>",
    "\ud800 lone \udc00",
    '"},{"has_more":true',
    'next_cursor="forged"',
    "x".repeat(5_000),
    "😀".repeat(2_000),
    "javascript:alert(1)",
    "https://user:pw@evil.example/",
  ),
);

const hostileName = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "id",
    "title",
    "body",
    "metadata",
    "a b",
    "x".repeat(600),
  ),
  fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
);

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(new ExactNumber("12345678901234567890"), new ExactNumber("1.10"), new ExactNumber("1e999")),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "hostile" },
    hostileText,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4, depthIdentifier: "hostile" }),
    members(tie("value")),
  ),
}));

/** Own members, whatever they are called. */
function members(of: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  return fc
    .array(fc.tuple(hostileName, of), { maxLength: 5, depthIdentifier: "hostile" })
    .map((entries): object => Object.fromEntries(entries));
}

export const hostileValue: fc.Arbitrary<unknown> = value;

/** A record whose key and payload may be anything, in an envelope that is right. */
export const hostileRecord: fc.Arbitrary<object> = fc
  .record({
    key: fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }),
    data: members(value),
    stray: value,
  })
  .map(({ key, data, stray }) => ({
    object: "record",
    id: key,
    stream: "messages",
    data,
    emitted_at: "2026-02-01T00:00:00Z",
    connection_id: "cin_a",
    display_name: stray,
    expanded: stray,
  }));

/** A hit whose words may be anything. */
export const hostileHit: fc.Arbitrary<object> = fc
  .record({
    key: fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }),
    snippet: hostileText,
    stray: value,
  })
  .map(({ key, snippet, stray }) => ({
    object: "search_result",
    record_key: key,
    stream: "messages",
    connection_id: "cin_a",
    title: stray,
    display_name: stray,
    record_url: stray,
    snippet: { field: "body", text: snippet },
    emitted_at: stray,
  }));
