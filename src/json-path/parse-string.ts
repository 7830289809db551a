import type { PathReader } from "./reader.ts";

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["/", "/"],
  ["\\", "\\"],
]);

/** With the flag, a surrogate is one only where it is alone. */
export const HALF_PAIR = /\p{Cs}/u;

/** A string in single or double quotes (RFC 9535 §2.3.1.1); its escapes are JSON's, and that of its own quote. */
export function readQuoted(reader: PathReader): string {
  const quote = reader.next;
  const start = reader.at;
  reader.at += 1;
  let text = "";
  while (!reader.take(quote)) {
    const unit = reader.next;
    if (unit === "") reader.fail("a quote is not closed", start);
    if (unit < " ") reader.fail("a control character in quotes");
    reader.at += 1;
    text += unit === "\\" ? readEscape(reader, quote) : unit;
  }
  return HALF_PAIR.test(text) ? reader.fail("half a surrogate pair", start) : text;
}

function readEscape(reader: PathReader, quote: string): string {
  const mark = reader.next;
  reader.at += 1;
  if (mark === quote) return quote;
  const plain = ESCAPES.get(mark);
  if (plain !== undefined) return plain;
  if (mark !== "u") return reader.fail("no such escape", reader.at - 2);
  const digits = reader.match(/[0-9A-Fa-f]{4}/y);
  // Pairs come together by themselves, and halves are found at the string's end.
  return digits === ""
    ? reader.fail("four hexadecimal digits are missing")
    : String.fromCharCode(Number.parseInt(digits, 16));
}
