import { REDACT_TABLE_MAX_CHARS } from "../limits.ts";
import { hiddenText } from "./member-hiding.ts";
import { SCRUBBED } from "./secret-places.ts";
import type { RedactedText } from "./secret-shapes.ts";

const MAY_BE_MANIFEST = /^[ -]*kind:[ \t]*["']?Secret/m;
const KIND = /^[ -]*kind:[ \t]*["']?Secret["']?[ \t\r]*$/;
const DATA = /^[ -]*(?:data|stringData):[ \t\r]*$/;
const MEMBER = /^([ ]*(?:"[^"]{1,256}"|[^\s:#"]{1,256}):[ \t]+["']?)([^\s"'#|>][^\r\n"']*|[|>][+-]?\d?)/;
const BLOCK = /^[|>]/;
const END = /^(?:---|\.\.\.)/;

/**
 * Takes the values out of `data` and `stringData` of Kubernetes' secrets in YAML, whatever they are called: the kind of a
 * manifest stands behind them as often as before.
 */
export function redactManifests(text: string): RedactedText {
  if (text.length > REDACT_TABLE_MAX_CHARS || !MAY_BE_MANIFEST.test(text)) return { text, count: 0 };
  const lines = text.split("\n");
  let count = 0;
  let done = 0;
  for (let at = 0; at < lines.length; at += 1) {
    if (at < done || !KIND.test(lines[at] ?? "")) continue;
    const column = columnOf(lines[at] ?? "");
    let first = at;
    while (first > done && !isOutside(lines[first - 1] ?? "", column) && !isItem(lines[first] ?? "", column))
      first -= 1;
    let end = at + 1;
    while (end < lines.length && !isOutside(lines[end] ?? "", column) && !isItem(lines[end] ?? "", column))
      end += 1;
    count += hideData(lines, first, end, column);
    done = end;
  }
  return count === 0 ? { text, count } : { text: lines.join("\n"), count };
}

/** Where a line's own text begins, behind the dashes of a list. */
function columnOf(line: string): number {
  return line.search(/[^ -]/);
}

/** Whether a line ends the object whose members begin at a column. */
function isOutside(line: string, column: number): boolean {
  return END.test(line) || (line.trim() !== "" && columnOf(line) < column);
}

/** Whether a line is the first of an item of a list whose members begin at a column. */
function isItem(line: string, column: number): boolean {
  return column > 1 && columnOf(line) === column && line.charAt(column - 2) === "-";
}

function hideData(lines: string[], first: number, end: number, column: number): number {
  let count = 0;
  let isData = false;
  let blockColumn: number | undefined;
  for (let at = first; at < end; at += 1) {
    const line = lines[at] ?? "";
    const own = columnOf(line);
    if (own === -1) continue;
    if (own <= column) {
      isData = DATA.test(line);
      blockColumn = undefined;
      continue;
    }
    if (!isData) continue;
    if (blockColumn !== undefined && own > blockColumn) {
      if (line.slice(own).trimEnd() === SCRUBBED) continue;
      lines[at] = line.slice(0, own) + SCRUBBED + (line.endsWith("\r") ? "\r" : "");
      count += 1;
      continue;
    }
    blockColumn = undefined;
    const [whole = "", name = "", value = ""] = MEMBER.exec(line) ?? [];
    if (BLOCK.test(value)) blockColumn = own;
    else if (whole !== "" && hiddenText("secret", value.trimEnd()) !== undefined) {
      lines[at] = name + SCRUBBED + line.slice(name.length + value.trimEnd().length);
      count += 1;
    }
  }
  return count;
}
