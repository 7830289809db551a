import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type NeighbourTable, openNeighbours } from "../src/routing/neighbours/table.ts";

/** The neighbour table that the Worker carries beside its code. */
export function committedNeighbours(): NeighbourTable {
  const opened = openNeighbours(readFileSync(join(import.meta.dirname, "../assets/neighbours.bin")));
  if (!opened.ok) throw new Error(`assets/neighbours.bin cannot be used: ${JSON.stringify(opened.reason)}`);
  return opened.value;
}
