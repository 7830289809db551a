import type { RoutingDocument } from "../../../src/routing/document/analyse-document.ts";
import { extractParameters } from "../../../src/routing/document/extract-parameters.ts";
import { buildIndex } from "../../../src/routing/index/index-build.ts";
import type { RoutingIndex } from "../../../src/routing/index/routing-index.ts";
import type { NeighbourTable } from "../../../src/routing/neighbours/table.ts";
import { rank } from "../../../src/routing/rank/rank.ts";
import { committedNeighbours } from "../../committed-neighbours.ts";
import type { CatalogTool } from "../input/catalog.ts";
import type { JudgedAnswer } from "./method.ts";

/** A tool as the Worker's refresh hands it to the index, under the id that the data gives it. */
export function toDocument({
  id,
  name,
  title,
  description,
  inputSchema,
  server,
}: CatalogTool): RoutingDocument {
  return {
    id,
    name,
    ...(title === undefined ? {} : { title }),
    description,
    ...extractParameters(inputSchema),
    server,
  };
}

let neighbours: NeighbourTable | undefined;

/** The Worker's index over a catalog: the one place where the evaluation decides what goes into it. */
export function indexOf(documents: readonly RoutingDocument[]): RoutingIndex {
  neighbours ??= committedNeighbours();
  const built = buildIndex(documents, neighbours);
  if (!built.ok) throw new Error(JSON.stringify(built.reason));
  return built.value;
}

/** The Worker's own ranking, to its full depth. */
export function searchIndex(index: RoutingIndex, query: string): JudgedAnswer {
  const { hits, weak, ambiguous } = rank(index, query, { topK: index.documentCount });
  return { ids: hits.map(({ id }) => id), flagged: hits.length === 0 || weak, ambiguous };
}
