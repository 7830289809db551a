import { RECORD_VERSIONS_PRUNED_COUNT } from "../../limits/records.ts";
import type { LoadedManifest } from "../grant/cover.ts";
import type { ManifestCache } from "../grant/manifest-cache.ts";
import { readManifestTexts } from "../grant/read-manifest-texts.ts";
import { jsonChunks } from "../ingest/chunks.ts";
import type { IngestPlan, NewestVersion } from "../ingest/plan.ts";
import type { FeedState, IngestStorePort } from "../ingest/ports.ts";
import { streamForm } from "../manifest/stream-form.ts";
import { conflictsOf } from "../manifest/reload.ts";
import { MANIFEST_STATE, writeStatements } from "./ingest-statements.ts";

type Row = Record<string, unknown>;

const FEED = "(SELECT id FROM record_feeds WHERE connection_id = ?1 AND stream = ?2)";

/** The write side of the records in D1. Its methods throw where D1 does. */
export class IngestStore implements IngestStorePort {
  readonly #db: D1Database;
  readonly #manifests: ManifestCache;

  constructor(db: D1Database, manifests: ManifestCache) {
    this.#db = db;
    this.#manifests = manifests;
  }

  async state(
    connectionId: string,
    stream: string,
    keys: readonly string[],
    prunableBeforeMs: number,
  ): Promise<FeedState | "waiting" | undefined> {
    const [feeds, scopes, prunable, ...newest] = await this.#db.batch<Row>([
      this.#db
        .prepare(
          `SELECT f.id, f.head_version, f.last_emitted_at, f.is_reordered, m.connector_key, m.manifest_hash, m.loaded_at_ms, m.next_hash
FROM record_feeds f JOIN record_connections c ON c.id = f.connection_id AND c.removed_at_ms IS NULL
JOIN record_manifests m ON m.connector_key = c.connector_key WHERE f.connection_id = ? AND f.stream = ?`,
        )
        .bind(connectionId, stream),
      this.#db
        .prepare(`SELECT id, field FROM record_scopes WHERE feed_id = ${FEED}`)
        .bind(connectionId, stream),
      this.#db
        .prepare(
          `SELECT id, superseded_by, data_object FROM record_versions
WHERE feed_id = ${FEED} AND superseded_by IS NOT NULL AND superseded_at_ms < ?3 ORDER BY superseded_at_ms LIMIT ?4`,
        )
        .bind(connectionId, stream, prunableBeforeMs, RECORD_VERSIONS_PRUNED_COUNT),
      ...jsonChunks(keys).map((chunk) => this.#db.prepare(NEWEST).bind(connectionId, stream, chunk)),
    ]);
    const feed = feeds?.results[0];
    if (feed === undefined) return undefined;
    const kept = await this.#loaded(feed);
    const form = kept === undefined ? undefined : streamForm(kept.loaded, stream);
    if (kept === undefined || form === undefined) return undefined;
    const next = kept.next === null ? null : (streamForm(kept.next, stream) ?? null);
    if (kept.next !== null && conflictsOf(form.stream, next?.stream).length > 0) return "waiting";
    return {
      manifestHash: kept.state,
      ...form,
      next,
      isReordered: feed["is_reordered"] === 1,
      feedId: Number(feed["id"]),
      headVersion: Number(feed["head_version"]),
      lastEmittedAt: textOf(feed["last_emitted_at"]),
      scopes: new Map((scopes?.results ?? []).map(({ field, id }) => [String(field), Number(id)])),
      newest: new Map(newest.flatMap(({ results }) => results.map(newestOf))),
      prunable: (prunable?.results ?? []).map((row) => ({
        id: Number(row["id"]),
        supersededBy: Number(row["superseded_by"]),
        objectKey: textOf(row["data_object"]),
      })),
    };
  }

  async write(
    state: FeedState,
    plan: IngestPlan,
    objects: ReadonlyMap<number, string>,
    nowMs: number,
  ): Promise<"written" | "moved"> {
    const statements = writeStatements(state, plan, objects, nowMs);
    try {
      await this.#db.batch(statements.map(({ sql, values }) => this.#db.prepare(sql).bind(...values)));
      return "written";
    } catch (error) {
      if (error instanceof Error && MOVED.test(error.message)) return "moved";
      throw error;
    }
  }

  /** The manifest that counts and the one that waits, and which they are, all of the very texts that were read. */
  async #loaded(feed: Row): Promise<LoadedManifests | undefined> {
    const version = versionOf(feed);
    const known = this.#manifests.get(version);
    if (known !== undefined && feed["next_hash"] === null)
      return { loaded: known, next: null, state: version.hash };
    const row = await this.#db
      .prepare(
        `SELECT connector_key, manifest_hash, manifest, slots, loaded_at_ms, next_manifest, next_slots, ${MANIFEST_STATE} AS state
FROM record_manifests m WHERE connector_key = ?`,
      )
      .bind(version.connectorKey)
      .first<Row>();
    if (row === null) return undefined;
    const loaded = readManifestTexts(String(row["manifest"]), String(row["slots"]));
    const isWaiting = row["next_manifest"] !== null;
    const next = isWaiting
      ? readManifestTexts(String(row["next_manifest"]), String(row["next_slots"]))
      : null;
    if (loaded === undefined || next === undefined) return undefined;
    this.#manifests.set(versionOf(row), loaded);
    return { loaded, next, state: String(row["state"]) };
  }
}

interface LoadedManifests {
  readonly loaded: LoadedManifest;
  readonly next: LoadedManifest | null;
  readonly state: string;
}

/** The trigger's own word, or what a version of no feed is told; they can stand in no value, since D1's errors quote none. */
export const MOVED = /feed_moved|NOT NULL constraint failed: record_versions\.feed_id/;

/** One probe of the index a key, whatever history the key has. */
const NEWEST = `SELECT v.record_key, v.version, v.emitted_at, v.data_hash
FROM json_each(?3) k CROSS JOIN record_versions v ON v.feed_id = ${FEED} AND v.record_key = k.value
AND v.version = (SELECT max(w.version) FROM record_versions w WHERE w.feed_id = ${FEED} AND w.record_key = k.value)`;

function newestOf(row: Row): [string, NewestVersion] {
  return [
    String(row["record_key"]),
    {
      version: Number(row["version"]),
      emittedAt: String(row["emitted_at"]),
      hash: textOf(row["data_hash"]),
    },
  ];
}

function versionOf(row: Row) {
  return {
    connectorKey: String(row["connector_key"]),
    hash: String(row["manifest_hash"]),
    loadedAtMs: Number(row["loaded_at_ms"]),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
