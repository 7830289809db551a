import type { RoutingDocument } from "../../src/routing/document/analyse-document.ts";
import type { RoutingIndex } from "../../src/routing/index/routing-index.ts";
import { capture, catalogRows } from "../capture/capture.ts";
import { CAPTURES_FOLDER } from "../capture/kept-captures.ts";
import { readServerList } from "../capture/server-list.ts";
import { untilStopped } from "../capture/until-stopped.ts";
import { addDistractors, readCatalog } from "./input/catalog.ts";
import type { CatalogSource } from "./input/find-sets.ts";
import { readRows, type Row } from "./input/rows.ts";
import { Baseline } from "./methods/bm25.ts";
import { indexOf, toDocument } from "./methods/ranking.ts";

/** A catalog made ready for both methods. */
export interface Corpus {
  readonly ids: ReadonlySet<string>;
  readonly documents: readonly RoutingDocument[];
  readonly index: RoutingIndex;
  readonly baseline: Baseline;
}

/** Reads or captures a catalog, puts the distractors around it, and indexes it for both methods. */
export async function openCorpus(source: CatalogSource, distractors: readonly Row[]): Promise<Corpus> {
  const tools = addDistractors(readCatalog(await catalogOf(source)), distractors);
  const documents = tools.map(toDocument);
  return {
    ids: new Set(tools.map(({ id }) => id)),
    documents,
    index: indexOf(documents),
    baseline: new Baseline(tools),
  };
}

async function catalogOf({ kind, file }: CatalogSource): Promise<Row[]> {
  if (kind === "file") return readRows(file);
  const servers = readServerList(file);
  const captured = await untilStopped((signal) => capture(servers, { signal, keepIn: CAPTURES_FOLDER }));
  return catalogRows(captured).map((value, index) => ({ file, line: index + 1, value }));
}
