import { isRecord, memberOf } from "../../../src/json.ts";
import { InputFault, type Row } from "./rows.ts";

/** A tool of a catalog as the data gives it; ids are foreign and stay as they are. */
export interface CatalogTool {
  readonly id: string;
  /** Empty where the catalog names none. */
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** JSON from outside, like an upstream's; nothing where there is none. */
  readonly inputSchema: unknown;
}

/** Reads a catalog whose ids must differ. */
export function readCatalog(rows: readonly Row[]): CatalogTool[] {
  const lines = new Map<string, number>();
  return rows.map((row) => {
    const tool = readTool(row);
    const before = lines.get(tool.id);
    if (before !== undefined) throw fault(row, `id ${quote(tool.id)} is taken by line ${before}`);
    lines.set(tool.id, row.line);
    return tool;
  });
}

/**
 * A catalog with more tools around it: those that have neither an id nor, but for case, a name of the catalog, the first
 * of each id.
 */
export function addDistractors(catalog: readonly CatalogTool[], rows: readonly Row[]): CatalogTool[] {
  const ids = new Set(catalog.map(({ id }) => id));
  const names = new Set(catalog.map(({ name }) => name.toLowerCase()));
  const tools = [...catalog];
  for (const row of rows) {
    const tool = readTool(row);
    if (ids.has(tool.id) || names.has(tool.name.toLowerCase())) continue;
    ids.add(tool.id);
    tools.push(tool);
  }
  return tools;
}

function readTool(row: Row): CatalogTool {
  if (!isRecord(row.value)) throw fault(row, "a tool is an object");
  const text = (key: string): string | undefined => {
    const value = memberOf(row.value, key);
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string") throw fault(row, `${key} is a string`);
    return value;
  };
  const [id, name, title] = [text("id"), text("name"), text("title")];
  if (id === undefined || id === "") throw fault(row, "a tool has an id");
  if (name === undefined) throw fault(row, "a tool has a name");
  return {
    id,
    server: text("server") ?? "",
    name,
    ...(title === undefined ? {} : { title }),
    description: text("description") ?? "",
    inputSchema: memberOf(row.value, "inputSchema"),
  };
}

function fault(row: Row, problem: string): InputFault {
  return new InputFault(row.file, row.line, problem);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
