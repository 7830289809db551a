import { compareCodePoints } from "../../code-points.ts";
import { bytesOfPacked, type PackedFault } from "../../packed/sections.ts";
import { ok, type Result } from "../../result.ts";
import {
  analyseDocument,
  type AnalysedDocument,
  type RoutingDocument,
} from "../document/analyse-document.ts";
import type { NeighbourTable } from "../neighbours/table.ts";
import { draftIndex, type IndexFault } from "./draft-index.ts";
import { openIndex } from "./open-index.ts";
import type { RoutingIndex } from "./routing-index.ts";

/** Runs what yields for others' sake to its end. */
export function runToEnd<Value>(steps: Generator<void, Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The packed index over documents read before: the same bytes whatever their order. Ids must differ. With a neighbour table,
 * each word has beside it those of the index's own terms that mean nearly the same.
 */
export function packIndex(
  documents: readonly AnalysedDocument[],
  neighbours?: NeighbourTable,
): Result<Uint8Array, IndexFault> {
  const sorted = [...documents].sort((left, right) => compareCodePoints(left.id, right.id));
  const draft = runToEnd(draftIndex(sorted.map((document) => ({ id: document.id, read: () => document }))));
  return draft.ok ? ok(bytesOfPacked(draft.value.pack({ all: neighbours }))) : draft;
}

/** The index over a catalog's tools: the same whatever their order. Ids must differ. */
export function buildIndex(
  documents: readonly RoutingDocument[],
  neighbours?: NeighbourTable,
): Result<RoutingIndex, IndexFault | PackedFault> {
  const packed = packIndex(documents.map(analyseDocument), neighbours);
  return packed.ok ? openIndex(packed.value) : packed;
}
