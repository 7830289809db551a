import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { exactJsonText } from "../../exact-json/write.ts";
import { MANIFEST_RELOAD_MAX_ATTEMPTS, NAMES_SHOWN_MAX_COUNT } from "../../limits/records.ts";
import { fail, ok, type Result } from "../../result.ts";
import { readManifestTexts } from "../grant/read-manifest-texts.ts";
import type { ConnectorManifest } from "../manifest/manifest.ts";
import type { ManifestProblem } from "../manifest/problems.ts";
import { readManifest } from "../manifest/read-manifest.ts";
import { type ManifestConflict, planReload } from "../manifest/reload.ts";
import { writeSlots } from "../manifest/slots.ts";
import { feedStatements } from "./feed-statements.ts";

export type LoadReason =
  | { readonly reason: "invalid"; readonly problems: readonly ManifestProblem[] }
  /** Streams with records mean what they meant when those were written. */
  | { readonly reason: "manifest_in_use"; readonly conflicts: readonly ManifestConflict[] }
  /** Others load or write all the time. */
  | { readonly reason: "busy" };

export interface LoadedReport {
  readonly connectorKey: string;
  readonly streams: readonly string[];
  /** False where the very manifest was loaded before. */
  readonly changed: boolean;
}

export interface ManifestRow {
  readonly connectorKey: string;
  readonly manifest: ConnectorManifest;
  readonly hash: string;
  readonly loadedAtMs: number;
}

type Row = Record<string, unknown>;

/** The manifests in D1. Its methods throw where D1 does. */
export class ManifestStore {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Loads a manifest in place of the connector's last one. New streams get a feed in every connection, in the same batch. */
  async load(value: unknown, nowMs: number): Promise<Result<LoadedReport, LoadReason>> {
    const read = readManifest(value);
    if (!read.ok) return fail({ reason: "invalid", problems: read.reason });
    const manifest = read.value;
    const { connectorKey } = manifest;
    const text = exactJsonText(value);
    for (let attempt = 0; attempt < MANIFEST_RELOAD_MAX_ATTEMPTS; attempt += 1) {
      const { old, oldHash, used } = await this.#standing(connectorKey);
      const plan = planReload(old, manifest, new Set(used));
      if (!plan.ok) return fail({ reason: "manifest_in_use", conflicts: plan.reason });
      const slots = writeSlots(plan.value);
      // Ingest plans by the manifest and its columns, and says by this hash which.
      const hash = bytesToHex(sha256(utf8ToBytes(JSON.stringify([text, slots]))));
      const report = { connectorKey, streams: [...manifest.streams.keys()], changed: hash !== oldHash };
      if (!report.changed) return ok(report);
      const [written] = await this.#db.batch([
        this.#db.prepare(LOAD).bind(connectorKey, hash, text, slots, nowMs, oldHash, JSON.stringify(used)),
        ...feedStatements(this.#db, "connector_key", connectorKey),
      ]);
      if ((written?.meta.changes ?? 0) > 0) return ok(report);
    }
    return fail({ reason: "busy" });
  }

  /** All manifests, by connector key. One that today's rules refuse is left out. */
  async list(): Promise<ManifestRow[]> {
    const { results } = await this.#db
      .prepare(
        "SELECT connector_key, manifest_hash, manifest, slots, loaded_at_ms FROM record_manifests ORDER BY connector_key",
      )
      .all<Row>();
    return results.flatMap((row) => {
      const kept = readManifestTexts(String(row["manifest"]), String(row["slots"]));
      if (kept === undefined) return [];
      return {
        connectorKey: String(row["connector_key"]),
        manifest: kept.manifest,
        hash: String(row["manifest_hash"]),
        loadedAtMs: Number(row["loaded_at_ms"]),
      };
    });
  }

  /** Takes a manifest away that no connection is of, not even one that is being removed. Gives the connections that are in the way; undefined where there is no such manifest. */
  async remove(connectorKey: string): Promise<readonly string[] | undefined> {
    const [gone, connections] = await this.#db.batch<Row>([
      this.#db
        .prepare(
          `DELETE FROM record_manifests WHERE connector_key = ?1
AND NOT EXISTS (SELECT 1 FROM record_connections WHERE connector_key = ?1) RETURNING connector_key`,
        )
        .bind(connectorKey),
      this.#db
        .prepare("SELECT id FROM record_connections WHERE connector_key = ? ORDER BY id LIMIT ?")
        .bind(connectorKey, NAMES_SHOWN_MAX_COUNT),
    ]);
    const inTheWay = (connections?.results ?? []).map(({ id }) => String(id));
    return gone?.results.length === 0 && inTheWay.length === 0 ? undefined : inTheWay;
  }

  async #standing(connectorKey: string) {
    const [rows, feeds] = await this.#db.batch<Row>([
      this.#db
        .prepare("SELECT manifest_hash, manifest, slots FROM record_manifests WHERE connector_key = ?")
        .bind(connectorKey),
      this.#db.prepare(`SELECT DISTINCT f.stream FROM ${USED}`).bind(connectorKey),
    ]);
    const row = rows?.results[0];
    return {
      old:
        row === undefined ? null : (readManifestTexts(String(row["manifest"]), String(row["slots"])) ?? null),
      oldHash: row === undefined ? null : String(row["manifest_hash"]),
      used: (feeds?.results ?? []).map((feed) => String(feed["stream"])),
    };
  }
}

const USED =
  "record_feeds f JOIN record_connections c ON c.id = f.connection_id WHERE c.connector_key = ?1 AND c.removed_at_ms IS NULL AND f.head_version > 0";

/**
 * Writes only over what the plan was made from: the manifest that was read (none: there is none), and no stream that has got
 * its first record since. A batch of records that is planned by the old manifest fails by its hash.
 */
const LOAD = `INSERT INTO record_manifests (connector_key, manifest_hash, manifest, slots, loaded_at_ms)
SELECT ?1, ?2, ?3, ?4, ?5
WHERE (?6 IS NULL) = (NOT EXISTS (SELECT 1 FROM record_manifests WHERE connector_key = ?1))
AND NOT EXISTS (SELECT 1 FROM ${USED} AND f.stream NOT IN (SELECT value FROM json_each(?7)))
ON CONFLICT (connector_key) DO UPDATE SET manifest_hash = excluded.manifest_hash, manifest = excluded.manifest,
slots = excluded.slots, loaded_at_ms = excluded.loaded_at_ms WHERE record_manifests.manifest_hash = ?6`;
