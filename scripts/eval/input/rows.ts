import { readFileSync } from "node:fs";
import { type ParseError, parseTree } from "jsonc-parser";
import { isJsonArray } from "../../../src/json.ts";
import { Told } from "../../command-line.ts";

/** A fault in a data file, with where it stands. */
export class InputFault extends Told {
  readonly file: string;
  /** From 1; nothing where the whole file is at fault. */
  readonly line: number | undefined;

  constructor(file: string, line: number | undefined, problem: string) {
    super(line === undefined ? `${file}: ${problem}` : `${file}:${line}: ${problem}`);
    this.name = "InputFault";
    this.file = file;
    this.line = line;
  }
}

/** One entry of a data file, not judged yet. */
export interface Row {
  readonly file: string;
  readonly line: number;
  readonly value: unknown;
}

const BYTE_ORDER_MARK = "\uFEFF";

/** The text of a data file without its byte order mark. */
function readText(file: string): string {
  try {
    const text = readFileSync(file, "utf8");
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  } catch (error) {
    throw new InputFault(file, undefined, `cannot be read (${codeOf(error)})`);
  }
}

/** The entries of a JSON list, or of JSON a line; which of the two is told by the text, not by the file's name. */
export function parseRows(text: string, file: string): Row[] {
  if (text.trimStart().startsWith("[")) return listRows(text, file);
  const rows: Row[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    rows.push({ file, line: index + 1, value: parseJson(line, file, index + 1) });
  }
  return rows;
}

export function readRows(file: string): Row[] {
  return parseRows(readText(file), file);
}

function parseJson(text: string, file: string, line?: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InputFault(file, line ?? lineOfFault(text), "is no JSON");
  }
}

function listRows(text: string, file: string): Row[] {
  const list = parseJson(text, file);
  if (!isJsonArray(list)) throw new InputFault(file, undefined, "is no list");
  const lines = lineCounter(text);
  const nodes = parseTree(text)?.children ?? [];
  return list.map((value, index) => ({ file, line: lines(nodes[index]?.offset ?? 0), value }));
}

/** The line that a place in a text is on, from 1; places are asked for in ascending order. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (offset) => {
    for (; next !== -1 && next < offset; next = text.indexOf("\n", next + 1)) line += 1;
    return line;
  };
}

/** Where a text stops being JSON. */
function lineOfFault(text: string): number {
  const faults: ParseError[] = [];
  parseTree(text, faults, { disallowComments: true });
  return lineCounter(text)(faults[0]?.offset ?? 0);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
