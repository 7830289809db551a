import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cl100kCounter } from "../src/tokens/cl100k.ts";
import { RankTable } from "../src/tokens/rank-table.ts";

export const CL100K_FILE = join(import.meta.dirname, "../assets/cl100k.bin");

/** A counter by the ranks that the Worker carries beside its code. */
export function committedCounter(): ReturnType<typeof cl100kCounter> {
  const ranks = RankTable.open(readFileSync(CL100K_FILE));
  if (!ranks.ok) throw new Error(`${CL100K_FILE} cannot be used: ${JSON.stringify(ranks.reason)}`);
  return cl100kCounter(ranks.value);
}
