import { isRecord, memberOf } from "../../json.ts";
import { markOf } from "./package-cursor.ts";
import { connectionsOf, foreignIds, ownConnections, type PackageMember } from "./package-members.ts";
import { recordsIn, text } from "./schema-document.ts";

/** One row of a member's page. */
export interface Row {
  /** As it is given on; null where it cannot be, and is only stepped over. */
  readonly hit: Readonly<Record<string, unknown>> | null;
  /** The same record in every source and on every page. */
  readonly mark: string;
  readonly connectionId: string | null;
}

/**
 * The rows of a member's page. A hit that names no connection gets the member's only one, and one that names another
 * member's is not believed: whoever fetched it would be led there, and it would stand in the way of the true one.
 */
export function rowsOf(
  body: unknown,
  member: PackageMember,
  members: readonly PackageMember[],
  size: number,
): readonly Row[] {
  const own = ownConnections(member, members);
  const foreign = foreignIds(member, members);
  const only = own.length === 1 ? own[0]?.connectionId : undefined;
  return recordsIn(memberOf(body, "data"))
    .slice(0, size)
    .map((row) => {
      const connectionId = text(row["connection_id"]) ?? only ?? null;
      const connector = text(row["connector_key"]) ?? text(row["connector_id"]) ?? null;
      const [stream, key] = [text(row["stream"]), text(row["record_key"])];
      const mark = markOf(JSON.stringify([connectionId, connector, stream ?? null, key ?? null]));
      const isForeign = connectionId !== null && foreign.has(connectionId);
      const isUsable = stream !== undefined && key !== undefined && !isForeign;
      const named = connectionId === null ? row : { ...row, connection_id: connectionId };
      return { hit: isUsable ? named : null, mark, connectionId };
    });
}

/** The connections that more than one member has: only of these a hit can come twice. */
export function sharedConnections(members: readonly PackageMember[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const member of members) {
    for (const id of new Set(ownConnections(member, members).map(({ connectionId }) => connectionId))) {
      if (seen.has(id)) shared.add(id);
      seen.add(id);
    }
  }
  return shared;
}

/** Which connections the hits are from, each with its share, in the order in which they come first. */
export function sourceMix(rows: readonly Row[], members: readonly PackageMember[]): readonly object[] {
  const names = new Map(connectionsOf(members).map((each) => [each.connectionId, each]));
  const mix = new Map<string, { connector: string | null; count: number }>();
  for (const { hit, connectionId } of rows) {
    if (connectionId === null || !isRecord(hit)) continue;
    const connector = text(hit["connector_key"]) ?? text(hit["connector_id"]) ?? null;
    const entry = mix.get(connectionId) ?? { connector, count: 0 };
    entry.count += 1;
    mix.set(connectionId, entry);
  }
  return [...mix].map(([id, { connector, count }]) => ({
    connection_id: id,
    connector_key: names.get(id)?.connectorKey ?? connector,
    count,
    display_name: names.get(id)?.displayName ?? null,
  }));
}
