import type { RoutingIndex } from "../../src/routing/index/routing-index.ts";

/** What `rank` takes for a caller that only some tools exist for. */
export function documentsWhere(index: RoutingIndex, sees: (id: string) => boolean): Uint8Array {
  return Uint8Array.from({ length: index.documentCount }, (_, document) =>
    sees(index.id(document)) ? 1 : 0,
  );
}
