import { isJsonArray, isRecord, memberOf } from "../../json.ts";
import { SCHEMA_CONNECTIONS_MAX_COUNT, SCHEMA_STREAMS_MAX_COUNT } from "../../limits/records.ts";
import type { ReadRequest, SourceConnection } from "./read-source.ts";

type Member = Readonly<Record<string, unknown>>;

/** What tells most of a source in fewest bytes. */
export const COMPACT_SCHEMA: ReadRequest = { path: ["schema"], query: [["view", "compact"]] };

/** A stream of a schema document and the connector that it is nested in; null in a flat document. */
export interface SchemaStream {
  readonly stream: Member;
  readonly connector: Member | null;
}

/** The document itself, which some servers wrap in `data`. */
export function schemaDocument(body: unknown): Member | undefined {
  if (!isRecord(body)) return undefined;
  const inner = body["data"];
  return isRecord(inner) && !Object.hasOwn(body, "connectors") && !Object.hasOwn(body, "streams")
    ? inner
    : body;
}

/** The streams of a document, nested ones where there are any: a flat list beside them only repeats them. */
export function schemaStreams(document: Member): readonly SchemaStream[] {
  const nested = recordsIn(document["connectors"]).flatMap((connector) =>
    recordsIn(connector["streams"]).map((stream) => ({ stream, connector })),
  );
  return nested.length > 0
    ? nested
    : recordsIn(document["streams"]).map((stream) => ({ stream, connector: null }));
}

/**
 * The connections that a document names, each with its streams, in order. Nothing where it names more than can be
 * remembered: a list that is cut would deny what exists.
 */
export function schemaConnections(document: Member): readonly SourceConnection[] {
  const found = new Map<string, Omit<SourceConnection, "streams"> & { readonly streams: Set<string> }>();
  const grantId = text(memberOf(document["bearer"], "grant_id")) ?? null;
  const note = (connection: unknown, holder: Member, name: string | undefined): void => {
    const connectionId = text(memberOf(connection, "connection_id"));
    if (connectionId === undefined) return;
    const known = found.get(connectionId) ?? {
      connectionId,
      connectorKey: connectorKeyOf(holder) ?? "",
      grantId: text(memberOf(connection, "grant_id")) ?? grantId,
      displayName: text(memberOf(connection, "display_name")) ?? null,
      streams: new Set<string>(),
    };
    if (name !== undefined) known.streams.add(name);
    found.set(connectionId, known);
  };
  for (const { stream, connector } of schemaStreams(document)) {
    const own = recordsIn(stream["granted_connections"]);
    const shared = connector === null ? [] : recordsIn(connector["granted_connections"]);
    // A connector names its connections once where all of its streams have the same.
    for (const connection of own.length > 0 ? own : shared) {
      note(connection, connector ?? stream, text(stream["name"]));
    }
  }
  for (const connector of recordsIn(document["connectors"])) {
    for (const connection of recordsIn(connector["granted_connections"]))
      note(connection, connector, undefined);
  }
  const streams = [...found.values()].reduce((sum, each) => sum + each.streams.size, 0);
  if (found.size > SCHEMA_CONNECTIONS_MAX_COUNT || streams > SCHEMA_STREAMS_MAX_COUNT) return [];
  return [...found.values()].map(({ streams: names, ...each }) =>
    Object.assign(each, { streams: [...names] }),
  );
}

function connectorKeyOf(holder: Member): string | undefined {
  return (
    text(holder["connector_key"]) ?? text(holder["connector_id"]) ?? text(memberOf(holder["source"], "id"))
  );
}

export function recordsIn(value: unknown): readonly Member[] {
  return isJsonArray(value) ? value.filter((item) => isRecord(item)) : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
