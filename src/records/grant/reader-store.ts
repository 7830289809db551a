import type { BearerKind } from "../../access/bearer.ts";
import { OWNER_FEEDS_MAX_COUNT } from "../../limits/records.ts";
import type { ConnectorManifest } from "../manifest/manifest.ts";
import type { ReaderAccess } from "./access.ts";
import { coverEverything, coverGrants, type FeedRow, type GrantRow, type LoadedManifest } from "./cover.ts";
import { readLearned } from "../source/learned-store.ts";
import { readGrantedStreams } from "./granted-stream.ts";
import type { ManifestCache, ManifestVersion } from "./manifest-cache.ts";

/** A kept manifest and its slots, as texts, back as what they were made of; `undefined` where they cannot be read. */
export type ReadManifestTexts = (manifest: string, slots: string) => LoadedManifest | undefined;

export interface ReaderStorePorts {
  readonly manifests: ManifestCache;
  readonly readTexts: ReadManifestTexts;
}

type Row = Record<string, unknown>;

const FEEDS = `SELECT f.id, f.connection_id, f.stream, f.is_reordered, c.connector_key, c.display_name, m.manifest_hash, m.loaded_at_ms
FROM record_feeds f JOIN record_connections c ON c.id = f.connection_id AND c.removed_at_ms IS NULL
JOIN record_manifests m ON m.connector_key = c.connector_key`;

/** What a bearer may read now, from D1. */
export class ReaderStore {
  readonly #db: D1Database;
  readonly #ports: ReaderStorePorts;

  constructor(db: D1Database, ports: ReaderStorePorts) {
    this.#db = db;
    this.#ports = ports;
  }

  /**
   * One round trip, and a second where a manifest is new to this isolate. Reads the token's row each time, since a
   * revocation counts from the next read on; a bearer without a row is one that somebody has done away with. It throws
   * where D1 does.
   */
  async load(tokenId: string, kind: BearerKind): Promise<ReaderAccess> {
    const token = this.#token(tokenId);
    if (kind === "owner") {
      const feeds = this.#db.prepare(`${FEEDS} ORDER BY f.id LIMIT ?`).bind(OWNER_FEEDS_MAX_COUNT);
      const [tokens, rows] = await this.#db.batch<Row>([token, feeds]);
      if (!isLive(tokens?.results)) return { standing: "token_revoked" };
      return coverEverything(tokenId, await this.#feeds(rows?.results ?? []));
    }
    const grants = this.#db
      .prepare(
        `SELECT id, package_id, connection_id, source, streams, revoked_at_ms
FROM record_grants WHERE token_id = ? ORDER BY created_at_ms, connection_id, source, id`,
      )
      .bind(tokenId);
    const feeds = this.#db
      .prepare(
        `${FEEDS} WHERE f.connection_id IN
(SELECT connection_id FROM record_grants WHERE token_id = ? AND revoked_at_ms IS NULL)`,
      )
      .bind(tokenId);
    const told = this.#db
      .prepare(
        `SELECT source, target_hash, connections, learned_at_ms FROM record_source_connections WHERE source IN
(SELECT source FROM record_grants WHERE token_id = ? AND source IS NOT NULL AND revoked_at_ms IS NULL)`,
      )
      .bind(tokenId);
    const [tokens, granted, rows, sources] = await this.#db.batch<Row>([token, grants, feeds, told]);
    if (!isLive(tokens?.results)) return { standing: "token_revoked" };
    const read = (granted?.results ?? []).flatMap((row) => readGrant(row) ?? []);
    const learned = (sources?.results ?? []).flatMap((row) => readLearned(row) ?? []);
    return coverGrants({ tokenId, kind }, read, await this.#feeds(rows?.results ?? []), learned);
  }

  /** Whether the bearer's row is there and not revoked. It throws where D1 does. */
  async isLive(tokenId: string): Promise<boolean> {
    return isLive((await this.#token(tokenId).all<Row>()).results);
  }

  /** The manifests behind these connections; one that there is not is missing. It throws where D1 does. */
  async connectors(connectionIds: readonly string[]): Promise<ReadonlyMap<string, ConnectorManifest>> {
    const { results } = await this.#db
      .prepare(
        `SELECT c.id, c.connector_key, m.manifest_hash, m.loaded_at_ms FROM record_connections c
JOIN record_manifests m ON m.connector_key = c.connector_key WHERE c.removed_at_ms IS NULL AND c.id IN (SELECT value FROM json_each(?))`,
      )
      .bind(JSON.stringify(connectionIds))
      .all<Row>();
    const versions = results.map(({ connector_key, manifest_hash, loaded_at_ms }) => ({
      connectorKey: String(connector_key),
      hash: String(manifest_hash),
      loadedAtMs: Number(loaded_at_ms),
    }));
    const manifests = await this.#manifests(versions);
    return new Map(
      results.flatMap(({ id, connector_key }) => {
        const loaded = manifests.get(String(connector_key));
        return loaded === undefined ? [] : [[String(id), loaded.manifest]];
      }),
    );
  }

  #token(tokenId: string): D1PreparedStatement {
    return this.#db.prepare("SELECT revoked_at_s FROM tokens WHERE id = ?").bind(tokenId);
  }

  async #feeds(rows: readonly Row[]) {
    const versions = new Map<string, ManifestVersion>();
    const feeds: FeedRow[] = [];
    for (const row of rows) {
      const { id, connection_id, stream, connector_key, display_name, manifest_hash, loaded_at_ms } = row;
      if (typeof id !== "number" || typeof connection_id !== "string" || typeof stream !== "string") continue;
      if (typeof connector_key !== "string" || typeof manifest_hash !== "string") continue;
      versions.set(connector_key, {
        connectorKey: connector_key,
        hash: manifest_hash,
        loadedAtMs: Number(loaded_at_ms),
      });
      feeds.push({
        feedId: id,
        connectionId: connection_id,
        connectorKey: connector_key,
        displayName: typeof display_name === "string" ? display_name : null,
        stream,
        isReordered: row["is_reordered"] === 1,
      });
    }
    return { rows: feeds, manifests: await this.#manifests([...versions.values()]) };
  }

  async #manifests(versions: readonly ManifestVersion[]): Promise<ReadonlyMap<string, LoadedManifest>> {
    const { manifests, readTexts } = this.#ports;
    const found = new Map<string, LoadedManifest>();
    const missing: ManifestVersion[] = [];
    for (const version of versions) {
      const known = manifests.get(version);
      if (known === undefined) missing.push(version);
      else found.set(version.connectorKey, { ...known, hash: version.hash });
    }
    if (missing.length === 0) return found;
    const { results } = await this.#db
      .prepare(
        `SELECT connector_key, manifest_hash, manifest, slots, loaded_at_ms FROM record_manifests
WHERE connector_key IN (SELECT value FROM json_each(?))`,
      )
      .bind(JSON.stringify(missing.map(({ connectorKey }) => connectorKey)))
      .all<Row>();
    for (const { connector_key, manifest_hash, manifest, slots, loaded_at_ms } of results) {
      if (typeof connector_key !== "string" || typeof manifest !== "string" || typeof slots !== "string")
        continue;
      const loaded = readTexts(manifest, slots);
      if (loaded === undefined) continue;
      // As it was read now: it may have been loaded anew since the first question.
      const version = {
        connectorKey: connector_key,
        hash: String(manifest_hash),
        loadedAtMs: Number(loaded_at_ms),
      };
      manifests.set(version, loaded);
      found.set(connector_key, { ...loaded, hash: version.hash });
    }
    return found;
  }
}

function isLive(rows: readonly Row[] | undefined): boolean {
  const [token] = rows ?? [];
  return token !== undefined && token["revoked_at_s"] === null;
}

function readGrant(row: Row): GrantRow | undefined {
  const { id, package_id, connection_id, source, streams, revoked_at_ms } = row;
  if (typeof id !== "string" || typeof streams !== "string") return undefined;
  return {
    id,
    packageId: typeof package_id === "string" ? package_id : null,
    connectionId: typeof connection_id === "string" ? connection_id : null,
    source: typeof source === "string" ? source : null,
    streams: readGrantedStreams(streams),
    isRevoked: revoked_at_ms !== null,
  };
}
