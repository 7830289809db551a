import { resolve } from "node:path";
import { isRecord } from "../../../src/json.ts";
import { capture } from "../../capture/capture.ts";
import { CAPTURES_FOLDER } from "../../capture/kept-captures.ts";
import { readServerList } from "../../capture/server-list.ts";
import { untilStopped } from "../../capture/until-stopped.ts";
import { committedNeighbours } from "../../committed-neighbours.ts";
import { readCatalog } from "../../eval/input/catalog.ts";
import { readRows } from "../../eval/input/rows.ts";
import { Told } from "../../command-line.ts";
import type { BenchTool } from "./bench-tool.ts";

const SERVERS = resolve(import.meta.dirname, "../../../eval/everyday/capture.json");
const GROWING_WORD = /^[a-z]{4,12}$/;

/** The real tools to measure with: those of a catalog file, or of the servers that the repository captures. */
export async function realTools(catalogFile: string | undefined): Promise<BenchTool[]> {
  return catalogFile === undefined ? capturedTools() : toolsOfFile(catalogFile);
}

async function capturedTools(): Promise<BenchTool[]> {
  const servers = readServerList(SERVERS);
  const captured = await untilStopped((signal) => capture(servers, { signal, keepIn: CAPTURES_FOLDER }));
  return captured.flatMap(({ name, tools }) => tools.map((definition) => ({ server: name, definition })));
}

/** The first tool of each name in a server: an upstream's second one is left out of the catalog, too. */
function toolsOfFile(file: string): BenchTool[] {
  const rows = readRows(file);
  const named = new Set<string>();
  const tools = readCatalog(rows).flatMap(({ server, name }, at): BenchTool[] => {
    const key = JSON.stringify([server, name]);
    const value = rows[at]?.value;
    if (named.has(key) || !isRecord(value)) return [];
    named.add(key);
    const { id: _id, server: _server, ...definition } = value;
    return [{ server, definition: { inputSchema: { type: "object" }, ...definition } }];
  });
  if (tools.length === 0) throw new Told(`${file} has no tools`);
  return tools;
}

/** What catalogs grow by: the English words of the neighbour table, which are those that are somebody's neighbour. */
export function growingWords(): string[] {
  const { words, neighbours } = committedNeighbours();
  const english = new Set(neighbours);
  return words.filter((word, place) => english.has(place) && GROWING_WORD.test(word));
}
