import type { Coverage, CoveredFeed } from "../../grant/coverage.ts";
import { childOf } from "../records/expansion.ts";

/** The relations that a stream offers, in the order of the full schema's members or of the compact one's. */
export function expandCapabilities(
  coverage: Coverage,
  feed: CoveredFeed,
  isCompact: boolean,
): readonly object[] {
  return feed.stream.relationships.flatMap(({ expand, ...relationship }) => {
    if (expand === null) return [];
    const { name, stream, cardinality, foreignKey } = relationship;
    const child = childOf(coverage, feed, { expand, ...relationship });
    const standing = {
      granted: child.ok || child.reason === "field_not_granted",
      usable: child.ok,
      ...(child.ok ? {} : { reason: child.reason }),
    };
    const limits = { default_limit: expand.defaultLimit, max_limit: expand.maxLimit };
    return isCompact
      ? { name, stream, target_stream: stream, cardinality, ...standing, foreign_key: foreignKey, ...limits }
      : {
          cardinality,
          name,
          stream,
          target_stream: stream,
          ...standing,
          child_parent_key_field: foreignKey,
          foreign_key: foreignKey,
          ...limits,
        };
  });
}
