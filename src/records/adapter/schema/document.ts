import { type JsonObject, isJsonArray, isRecord, memberOf } from "../../../json.ts";
import { PROFILE_MEMBER, type SourceProfile } from "../../source/read-source.ts";

export interface GrantedConnection {
  readonly connectionId: string;
  readonly displayName: string | null;
  readonly grantId: string | null;
}

/** One stream of one connector, as a schema document tells of it. */
export interface StreamRow {
  readonly name: string;
  readonly connectorKey: string | null;
  readonly connectorName: string | null;
  /** Whether its source takes filters, relations and views from a client. */
  readonly profile: SourceProfile;
  /** Empty where the document does not say. */
  readonly connections: readonly GrantedConnection[];
  /** The row as it came. */
  readonly raw: JsonObject;
}

/** Of which stream, and of which connection of it. */
export interface SchemaScope {
  readonly stream?: string | undefined;
  readonly connectionId?: string | undefined;
}

/** A schema answer's document, whichever envelope it came in; undefined where it is none. */
export function documentOf(body: unknown): JsonObject | undefined {
  if (isDocument(body)) return body;
  const inner = memberOf(body, "data");
  return isDocument(inner) ? inner : undefined;
}

function isDocument(value: unknown): value is JsonObject {
  return isJsonArray(memberOf(value, "connectors")) || isJsonArray(memberOf(value, "streams"));
}

/**
 * The rows of a document in its order: those under its connectors, or its own where it has none there. Both never count: the
 * same streams would stand twice. With a scope only those rows, and of them only that connection.
 */
export function streamRows(document: JsonObject, scope: SchemaScope = {}): readonly StreamRow[] {
  const nested = recordsAt(document, "connectors").flatMap((connector) => {
    const shared = connectionsOf(connector);
    return recordsAt(connector, "streams").flatMap((row) => rowOf(row, connector, shared));
  });
  const rows =
    nested.length > 0 ? nested : recordsAt(document, "streams").flatMap((row) => rowOf(row, row, []));
  return rows.flatMap((row) => narrowed(row, scope));
}

function narrowed(row: StreamRow, { stream, connectionId }: SchemaScope): readonly StreamRow[] {
  if (stream !== undefined && row.name !== stream) return [];
  if (connectionId === undefined || row.connections.length === 0) return [row];
  const connections = row.connections.filter((connection) => connection.connectionId === connectionId);
  return connections.length === 0 ? [] : [{ ...row, connections }];
}

function rowOf(
  raw: JsonObject,
  connector: JsonObject,
  shared: readonly GrantedConnection[],
): readonly StreamRow[] {
  const name = textAt(raw, "name") ?? textAt(raw, "stream") ?? textAt(raw, "stream_name");
  if (name === null || name === "") return [];
  const own = connectionsOf(raw);
  const connectorKey =
    textAt(connector, "connector_key") ??
    textAt(connector, "connector_id") ??
    textAt(memberOf(connector, "source"), "id");
  const connections = own.length > 0 ? own : shared;
  const connectorName = connector === raw ? null : textAt(connector, "display_name");
  const profile: SourceProfile =
    textAt(raw, PROFILE_MEMBER) === STRICT || textAt(connector, PROFILE_MEMBER) === STRICT ? STRICT : "full";
  return [{ name, connectorKey, connectorName, profile, connections, raw }];
}

const STRICT: SourceProfile = "core-v0.1-client";

function connectionsOf(holder: JsonObject): readonly GrantedConnection[] {
  const granted = recordsAt(holder, "granted_connections");
  const entries = granted.length > 0 ? granted : [holder];
  const byId = new Map<string, GrantedConnection>();
  for (const entry of entries) {
    const connectionId = textAt(entry, "connection_id");
    if (connectionId === null || connectionId === "" || byId.has(connectionId)) continue;
    const [displayName, grantId] = [textAt(entry, "display_name"), textAt(entry, "grant_id")];
    byId.set(connectionId, { connectionId, displayName, grantId });
  }
  return [...byId.values()];
}

export function recordsAt(value: unknown, key: string): readonly JsonObject[] {
  const items = memberOf(value, key);
  return isJsonArray(items) ? items.filter(isRecord) : [];
}

export function textAt(value: unknown, key: string): string | null {
  const text = memberOf(value, key);
  return typeof text === "string" ? text : null;
}

export function textsAt(value: unknown, key: string): readonly string[] {
  const items = memberOf(value, key);
  return isJsonArray(items) ? items.filter((item) => typeof item === "string") : [];
}
