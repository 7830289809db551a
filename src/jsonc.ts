import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { CONFIG_MAX_DEPTH } from "./limits.ts";
import { fail, ok, type Result } from "./result.ts";

export interface JsoncProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Some editors begin a file with it; in UTF-8 it says nothing (RFC 8259 §8.1 lets a parser pass it over). */
const BYTE_ORDER_MARK = "\uFEFF";
/** What another encoding looks like once it was read as UTF-8: its mark cannot be read, and every other byte is a zero. */
const NOT_UTF8 = /^\uFFFD|^.{0,2}\0/s;

/**
 * Reads JSON with comments and trailing commas. Stricter than the editors' parser where leniency would hide a mistake:
 * a key written twice in one object is refused (the last one would win in silence), and so is any syntax error.
 * Objects come back without a prototype, so a key such as `__proto__` is data.
 */
export function readJsonc(whole: string): Result<unknown, JsoncProblem> {
  const text = whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(1) : whole;
  if (NOT_UTF8.test(text)) return fail(problemAt(text, 0, "this is not UTF-8: save the file as UTF-8"));
  const tooDeep = offsetTooDeep(text);
  if (tooDeep !== undefined) return fail(problemAt(text, tooDeep, "nested too deep"));
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const first = errors[0];
  if (first !== undefined) return fail(problemAt(text, first.offset, wordsOf(first.error)));
  if (root === undefined) return fail(problemAt(text, 0, "the file is empty"));
  return valueOf(root, text);
}

function valueOf(node: Node, text: string): Result<unknown, JsoncProblem> {
  if (node.type === "array") {
    const items: unknown[] = [];
    for (const child of node.children ?? []) {
      const item = valueOf(child, text);
      if (!item.ok) return item;
      items.push(item.value);
    }
    return ok(items);
  }
  if (node.type !== "object") {
    const value: unknown = node.value;
    return ok(value);
  }
  const object: Record<string, unknown> = { __proto__: null };
  for (const property of node.children ?? []) {
    const [keyNode, valueNode] = property.children ?? [];
    if (keyNode === undefined || valueNode === undefined) {
      return fail(problemAt(text, property.offset, "a key without a value"));
    }
    const key = String(keyNode.value);
    if (key === "__proto__") return fail(problemAt(text, keyNode.offset, 'no key may be called "__proto__"'));
    if (Object.hasOwn(object, key)) {
      return fail(problemAt(text, keyNode.offset, `the key "${key}" is written twice`));
    }
    const value = valueOf(valueNode, text);
    if (!value.ok) return value;
    object[key] = value.value;
  }
  return ok(object);
}

/** Where the text opens one object or array too many: the parser behind it calls itself for each. */
function offsetTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    // A token is told by its first character: strings and comments have others.
    const first = text.charAt(scanner.getTokenOffset());
    if (first === "{" || first === "[") depth += 1;
    if (first === "}" || first === "]") depth -= 1;
    if (depth > CONFIG_MAX_DEPTH) return scanner.getTokenOffset();
  }
  return undefined;
}

/** `CloseBraceExpected` as a person would say it. */
function wordsOf(code: ParseError["error"]): string {
  const words = printParseErrorCode(code)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return words.endsWith(" expected") ? `expected: ${words.slice(0, -" expected".length)}` : words;
}

function problemAt(text: string, offset: number, message: string): JsoncProblem {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1, message };
}
