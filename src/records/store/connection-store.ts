import { CONNECTION_NAME_MAX_CHARS, CONNECTIONS_LISTED_MAX_COUNT } from "../../limits/records.ts";
import { isJsonArray, parsedJson } from "../../json.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { ConnectorCandidate } from "../ingest/choose-connector.ts";
import { feedStatements } from "./feed-statements.ts";

export interface Connection {
  readonly id: string;
  readonly connectorKey: string;
  readonly displayName: string | null;
}

export interface ConnectionFeed {
  readonly stream: string;
  readonly recordCount: number;
  readonly version: number;
  readonly lastEmittedAt: string | null;
}

export interface ListedConnection extends Connection {
  readonly createdAtMs: number;
  /** Its removal was begun: nothing reads it, and the removal has to be gone on with. */
  readonly isBeingRemoved: boolean;
  readonly feeds: readonly ConnectionFeed[];
}

export type ConnectReason =
  | "invalid_id"
  | "invalid_name"
  | "unknown_connector"
  /** It is there, of another connector. */
  | "conflict"
  /** It is there, and its rows are going. */
  | "being_removed";

/** It stands before the first `/` of a record's handle and in URLs. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._@:-]{0,99}$/;
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

type Row = Record<string, unknown>;

/** The connections in D1, and a feed for each of their streams. Its methods throw where D1 does. */
export class ConnectionStore {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** One that is there and stays. */
  async find(id: string): Promise<Connection | undefined> {
    const row = await this.#db
      .prepare(
        "SELECT id, connector_key, display_name FROM record_connections WHERE id = ? AND removed_at_ms IS NULL",
      )
      .bind(id)
      .first<Row>();
    return row === null ? undefined : connectionOf(row);
  }

  /** Makes a connection with all of its feeds, or finds it made; a `displayName` that is given counts, and an empty one takes it away. */
  async connect(connection: Connection, nowMs: number): Promise<Result<Connection, ConnectReason>> {
    const { id, connectorKey, displayName } = connection;
    if (!ID.test(id)) return fail("invalid_id");
    if (displayName !== null && (UNSEEN.test(displayName) || displayName.length > CONNECTION_NAME_MAX_CHARS))
      return fail("invalid_name");
    const [, , , rows] = await this.#db.batch<Row>([
      this.#db
        .prepare(
          `INSERT INTO record_connections (id, connector_key, display_name, created_at_ms)
SELECT ?1, connector_key, nullif(?3, ''), ?4 FROM record_manifests WHERE connector_key = ?2
ON CONFLICT (id) DO UPDATE SET display_name = CASE WHEN ?3 IS NULL THEN display_name ELSE nullif(?3, '') END
WHERE connector_key = excluded.connector_key AND removed_at_ms IS NULL`,
        )
        .bind(id, connectorKey, displayName, nowMs),
      ...feedStatements(this.#db, "id", id),
      this.#db
        .prepare("SELECT id, connector_key, display_name, removed_at_ms FROM record_connections WHERE id = ?")
        .bind(id),
    ]);
    const row = rows?.results[0];
    if (row === undefined) return fail("unknown_connector");
    if (row["removed_at_ms"] !== null) return fail("being_removed");
    const found = connectionOf(row);
    return found.connectorKey === connectorKey ? ok(found) : fail("conflict");
  }

  /** All connectors in the order of their loading, with what each declares of the stream. */
  async connectors(stream: string): Promise<ConnectorCandidate[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT m.connector_key, (SELECT json_group_array(p.key) FROM json_each(m.manifest, '$.streams') s
LEFT JOIN json_each(s.value, '$.schema.properties') p WHERE json_extract(s.value, '$.name') = ? GROUP BY s.key LIMIT 1) AS fields,
(SELECT count(*) FROM record_connections c WHERE c.connector_key = m.connector_key AND c.removed_at_ms IS NULL) AS connection_count
FROM record_manifests m ORDER BY m.loaded_at_ms, m.connector_key`,
      )
      .bind(stream)
      .all<Row>();
    return results.map((row) => ({
      connectorKey: String(row["connector_key"]),
      fields: fieldNames(row["fields"]),
      connectionCount: Number(row["connection_count"]),
    }));
  }

  /** All connections by id, with their streams and what is in them. At most `CONNECTIONS_LISTED_MAX_COUNT` streams are looked at. */
  async list(): Promise<ListedConnection[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT c.id, c.connector_key, c.display_name, c.created_at_ms, c.removed_at_ms, f.stream, f.record_count, f.head_version, f.last_emitted_at
FROM record_connections c LEFT JOIN record_feeds f ON f.connection_id = c.id ORDER BY c.id, f.id LIMIT ?`,
      )
      .bind(CONNECTIONS_LISTED_MAX_COUNT)
      .all<Row>();
    const listed = new Map<string, Omit<ListedConnection, "feeds"> & { readonly feeds: ConnectionFeed[] }>();
    for (const row of results) {
      const id = String(row["id"]);
      const known = listed.get(id) ?? {
        ...connectionOf(row),
        createdAtMs: Number(row["created_at_ms"]),
        isBeingRemoved: row["removed_at_ms"] !== null,
        feeds: [],
      };
      listed.set(id, known);
      const { stream } = row;
      if (typeof stream !== "string") continue;
      known.feeds.push({
        stream,
        recordCount: Number(row["record_count"]),
        version: Number(row["head_version"]),
        lastEmittedAt: typeof row["last_emitted_at"] === "string" ? row["last_emitted_at"] : null,
      });
    }
    return [...listed.values()];
  }
}

function fieldNames(text: unknown): ReadonlySet<string> | undefined {
  const names = typeof text === "string" ? parsedJson(text) : undefined;
  return isJsonArray(names) ? new Set(names.filter((name) => typeof name === "string")) : undefined;
}

function connectionOf(row: Row): Connection {
  return {
    id: String(row["id"]),
    connectorKey: String(row["connector_key"]),
    displayName: typeof row["display_name"] === "string" ? row["display_name"] : null,
  };
}
