import fc from "fast-check";
import { parseTemplate, type UriTemplate } from "../../src/uri-template/parse-template.ts";

export function template(text: string): UriTemplate {
  const read = parseTemplate(text);
  if (!read.ok) throw new Error(`${text}: ${read.reason}`);
  return read.value;
}

/** Names that objects have of themselves among them. */
const variableName = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "id",
    "path",
    "__proto__",
    "constructor",
    "toString",
    "x.y",
    "a%20b",
    "0",
    "length",
  ),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,5}$/),
);

/** Any text that has bytes, and such as escaping has to do with. */
export const value = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom("a", "%", "4", "1", "/", ",", "=", "&", "é", "😀", " ", ".", "\0"),
    minLength: 1,
    maxLength: 12,
  }),
);

const operator = fc.constantFrom("", "+", "#", ".", "/", ";", "?", "&");

const variable = fc
  .tuple(variableName, fc.constantFrom("", "*", ":1", ":3", ":9999"))
  .map(([name, modifier]) => name + modifier);

const expression = fc
  .tuple(operator, fc.array(variable, { minLength: 1, maxLength: 3 }))
  .map(([mark, variables]) => `{${mark}${variables.join(",")}}`);

const literal = fc.string({
  unit: fc.constantFrom("a", "/", ":", "%", "2", "F", "é", "😀", " ", "<", "?", "=", "-", "."),
  maxLength: 6,
});

/** Legal templates of every sort. */
export const anyTemplate = fc
  .array(fc.oneof(expression, literal), { maxLength: 6 })
  .map((pieces) => pieces.join(""));

/** Templates with one reading: each name once, and text that no value has between any two expressions. */
export const clearTemplate = fc
  .uniqueArray(variableName, { minLength: 1, maxLength: 6 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) => fc.tuple(fc.constant(name), fc.constantFrom("", "+", "#", "/", "?", "&", ";"))),
    ),
  )
  .map((drawn) => {
    const text = drawn.map(([name, mark]) => `{${mark}${name}}`).join("]<[");
    return { text: `scheme://${text}`, names: drawn.map(([name]) => name) };
  });
