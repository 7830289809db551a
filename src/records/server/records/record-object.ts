import type { CoveredFeed } from "../../grant/coverage.ts";

/** A record as lists give it. */
export function recordObject(
  feed: CoveredFeed,
  { key, emittedAt, data }: { readonly key: string; readonly emittedAt: string; readonly data: object },
): object {
  return {
    data,
    emitted_at: emittedAt,
    id: key,
    object: "record",
    stream: feed.stream.name,
    ...connectionMembers(feed),
  };
}

/** Which connection something is of; the second name is the wire's old one. */
export function connectionMembers({ connectionId, displayName }: CoveredFeed): object {
  return {
    connection_id: connectionId,
    connector_instance_id: connectionId,
    ...(displayName === null ? {} : { display_name: displayName }),
  };
}
