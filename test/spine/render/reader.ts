import { compareCodePoints } from "../../../src/code-points.ts";
import { isExactNumber } from "../../../src/exact-json/exact-number.ts";
import { isJsonArray, isRecord } from "../../../src/json.ts";

/**
 * Reads a preview back against the value that it is said to show, and names the first thing that is not so; undefined
 * where all of it is true. Shares nothing with the code but the grammar.
 */
export function untruth(text: string, value: unknown): string | undefined {
  if (isPlainScalar(value) && text.endsWith("…")) {
    const start = text.slice(0, -1);
    const whole = scalarText(value);
    return whole.startsWith(start) && whole !== start ? undefined : `${text} is not the start of ${whole}`;
  }
  try {
    const end = read(text, 0, value);
    return end === text.length ? undefined : `${text.slice(end)} is left over`;
  } catch (error) {
    return error instanceof Error ? error.message : "?";
  }
}

/**
 * Every untruth of a porcelain text about the value that it is said to show: its counts, its keys and their order, its
 * previews; none where there is none.
 */
export function untruths(text: string, value: unknown): readonly string[] {
  const lines = text.split("\n");
  const omitted = /^… (\d+) line\(s\) omitted$/u.exec(lines.at(-1) ?? "")?.[1];
  const shown = omitted === undefined ? lines : lines.slice(0, -1);
  const total = shown.length + Number(omitted ?? 0);
  if (isJsonArray(value)) {
    const [header, ...items] = shown;
    return [
      ...(total === value.length + 1 ? [] : [`${total} lines of ${value.length} items`]),
      ...(header === undefined || header === `${value.length} item(s)` ? [] : [header]),
      ...items.flatMap((line, index) => untruthsOfLine(line, `[${index + 1}] `, value[index])),
    ];
  }
  if (!isRecord(value) || isExactNumber(value)) return present([untruth(text, value)]);
  const keys = Object.keys(value).sort(compareCodePoints);
  if (keys.length === 0) return text === "empty object" ? [] : [text];
  return [
    ...(total === keys.length ? [] : [`${total} lines of ${keys.length} members`]),
    ...shown.flatMap((line, index) => {
      const key = keys[index] ?? "";
      const label = /^(?:"(?:[^"\\]|\\.)*"|[A-Za-z0-9_\-./]+): /u.exec(line)?.[0] ?? "";
      const name = label.slice(0, -2);
      const quoted = name.startsWith('"') ? name : JSON.stringify(name);
      return present([untruth(quoted, key)]).concat(untruthsOfLine(line, label, value[key]));
    }),
  ];
}

function untruthsOfLine(line: string, label: string, value: unknown): readonly string[] {
  if (label === "" || !line.startsWith(label)) return [line];
  return present([untruth(line.slice(label.length), value)]);
}

function present(found: readonly (string | undefined)[]): readonly string[] {
  return found.filter((one) => one !== undefined);
}

function isPlainScalar(value: unknown): boolean {
  return typeof value !== "string" && (isExactNumber(value) || (!isJsonArray(value) && !isRecord(value)));
}

function scalarText(value: unknown): string {
  return isExactNumber(value) ? value.text : JSON.stringify(value);
}

/** Where the preview of `value` that begins at `at` is over. */
function read(text: string, at: number, value: unknown): number {
  if (typeof value === "string") return readString(text, at, value);
  if (isJsonArray(value))
    return readContainer(text, at, "[]", value.length, 3, (index, at) => read(text, at, value[index]));
  if (isRecord(value) && !isExactNumber(value)) {
    const keys = Object.keys(value).sort(compareCodePoints);
    return readContainer(text, at, "{}", keys.length, 4, (index, at) => {
      const key = keys[index] ?? "";
      const afterKey = text.charAt(at) === '"' ? readString(text, at, key) : expect(text, at, key);
      if (text.charAt(at) !== '"' && !/^[A-Za-z0-9_\-./]+$/.test(key)) throw new Error(`a bare ${key}`);
      return read(text, expect(text, afterKey, "="), value[key]);
    });
  }
  return expect(text, at, scalarText(value));
}

function readContainer(
  text: string,
  at: number,
  brackets: "[]" | "{}",
  size: number,
  most: number,
  readItem: (index: number, at: number) => number,
): number {
  const [open = "", close = ""] = brackets;
  let end = expect(text, at, open);
  if (text.charAt(end) === "…") {
    if (size === 0) throw new Error("something empty is said to hold more");
    return expect(text, end + 1, close);
  }
  const shown = Math.min(size, most);
  for (let index = 0; index < shown; index += 1) {
    if (index > 0) end = expect(text, end, ", ");
    end = readItem(index, end);
  }
  if (size > shown) end = expect(text, end, `, +${size - shown} more`);
  return expect(text, end, close);
}

function readString(text: string, at: number, value: string): number {
  const token = /^"(?:[^"\\]|\\.)*"/su.exec(text.slice(at))?.[0];
  if (token === undefined) throw new Error(`no string at ${at}`);
  const decoded: unknown = JSON.parse(token);
  const isCut = token.endsWith('…"');
  const isTrue = isCut
    ? value.startsWith(String(decoded).slice(0, -1)) && value.length >= String(decoded).length
    : decoded === value;
  if (!isTrue) throw new Error(`${token} is not ${JSON.stringify(value)}`);
  return at + token.length;
}

function expect(text: string, at: number, what: string): number {
  if (!text.startsWith(what, at)) throw new Error(`${text} has no ${what} at ${at}`);
  return at + what.length;
}
