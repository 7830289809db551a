import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { parseExactJson } from "../../exact-json/parse.ts";
import { exactJsonText } from "../../exact-json/write.ts";
import { MANIFEST_RELOAD_MAX_ATTEMPTS, NAMES_SHOWN_MAX_COUNT } from "../../limits/records.ts";
import { fail, ok, type Result } from "../../result.ts";
import type { LoadedManifest } from "../grant/cover.ts";
import { readManifestTexts } from "../grant/read-manifest-texts.ts";
import type { ConnectorManifest } from "../manifest/manifest.ts";
import type { ManifestProblem } from "../manifest/problems.ts";
import { readManifest } from "../manifest/read-manifest.ts";
import { conflictsOf, type ManifestConflict, planReload, type ReloadPlan } from "../manifest/reload.ts";
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
  /** Whether it counts only once rows are indexed by it. */
  readonly isWaiting: boolean;
}

export interface ManifestRow {
  readonly connectorKey: string;
  readonly manifest: ConnectorManifest;
  readonly hash: string;
  readonly loadedAtMs: number;
  /** Whether another one waits until rows are indexed by it. */
  readonly isWaitedFor: boolean;
}

type Row = Record<string, unknown>;

/** The manifests in D1. Its methods throw where D1 does. */
export class ManifestStore {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /**
   * Loads a manifest in place of the connector's last one. New streams get a feed in every connection, in the same batch.
   * Where rows have to be indexed anew before, it waits for that, and the last one counts until then; another one that is
   * loaded meanwhile takes its place.
   */
  async load(value: unknown, nowMs: number): Promise<Result<LoadedReport, LoadReason>> {
    const read = readManifest(value);
    if (!read.ok) return fail({ reason: "invalid", problems: read.reason });
    const manifest = read.value;
    const { connectorKey } = manifest;
    const text = exactJsonText(value);
    for (let attempt = 0; attempt < MANIFEST_RELOAD_MAX_ATTEMPTS; attempt += 1) {
      const { old, oldHash, nextHash, used, reordered } = await this.#standing(connectorKey);
      const direct = planReload(old, manifest, new Set(used));
      if (!direct.ok) return fail({ reason: "manifest_in_use", conflicts: direct.reason });
      const waits = direct.value.reindexed.length > 0 || reordered.length > 0;
      // A stream may get its first record while it waits: then its rows too serve both.
      const every = new Set(old?.manifest.streams.keys());
      const plan = waits ? planSlots(old, manifest, every) : direct.value;
      const slots = writeSlots(plan.slots);
      // Ingest plans by the manifest and its columns, and says by this hash which.
      const hash = bytesToHex(sha256(utf8ToBytes(JSON.stringify([text, slots]))));
      const streams = [...manifest.streams.keys()];
      const isKnown = hash === (waits ? nextHash : oldHash) && (waits || nextHash === null);
      const report = { connectorKey, streams, changed: !isKnown, isWaiting: waits };
      if (isKnown) return ok(report);
      const [written] = await this.#db.batch([
        this.#db
          .prepare(waits ? WAIT : LOAD)
          .bind(connectorKey, hash, text, slots, nowMs, oldHash, JSON.stringify(used), nextHash),
        this.#db.prepare(FORGET_OTHERS).bind(connectorKey),
        ...feedStatements(this.#db, "connector_key", connectorKey),
      ]);
      if ((written?.meta.changes ?? 0) > 0) return ok(report);
    }
    return fail({ reason: "busy" });
  }

  /** What stands in the way of loading it, so far as that can be known before: nothing is written. */
  async conflicts(manifest: ConnectorManifest): Promise<readonly ManifestConflict[]> {
    const { old, used } = await this.#standing(manifest.connectorKey);
    const plan = planReload(old, manifest, new Set(used));
    return plan.ok ? [] : plan.reason;
  }

  /** All manifests, by connector key. One that today's rules refuse is left out. */
  async list(): Promise<ManifestRow[]> {
    const { results } = await this.#db
      .prepare(
        "SELECT connector_key, manifest_hash, manifest, slots, loaded_at_ms, next_hash FROM record_manifests ORDER BY connector_key",
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
        isWaitedFor: row["next_hash"] !== null,
      };
    });
  }

  /** The manifest that counts, as it was loaded. */
  async find(
    connectorKey: string,
  ): Promise<{ readonly source: unknown; readonly isWaitedFor: boolean } | undefined> {
    const row = await this.#db
      .prepare("SELECT manifest, next_hash FROM record_manifests WHERE connector_key = ?")
      .bind(connectorKey)
      .first<Row>();
    if (row === null) return undefined;
    const source = parseExactJson(String(row["manifest"]), { duplicates: "last" });
    return { source: source.ok ? source.value : null, isWaitedFor: row["next_hash"] !== null };
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
    const [rows, feeds, unordered] = await this.#db.batch<Row>([
      this.#db
        .prepare(
          "SELECT manifest_hash, manifest, slots, next_hash FROM record_manifests WHERE connector_key = ?",
        )
        .bind(connectorKey),
      this.#db.prepare(`SELECT DISTINCT f.stream FROM ${USED} AND f.head_version > 0`).bind(connectorKey),
      this.#db.prepare(`SELECT DISTINCT f.stream FROM ${USED} AND f.is_reordered = 1`).bind(connectorKey),
    ]);
    const nextHash = rows?.results[0]?.["next_hash"];
    const row = rows?.results[0];
    return {
      old:
        row === undefined ? null : (readManifestTexts(String(row["manifest"]), String(row["slots"])) ?? null),
      oldHash: row === undefined ? null : String(row["manifest_hash"]),
      nextHash: typeof nextHash === "string" ? nextHash : null,
      used: (feeds?.results ?? []).map((feed) => String(feed["stream"])),
      /** Streams whose rows are in the order of two manifests, as one that waited has left them. */
      reordered: (unordered?.results ?? []).map((feed) => String(feed["stream"])),
    };
  }
}

const USED =
  "record_feeds f JOIN record_connections c ON c.id = f.connection_id WHERE c.connector_key = ?1 AND c.removed_at_ms IS NULL";

/** No stream has got its first record since the plan was made. */
const AS_USED = (used: string): string =>
  `NOT EXISTS (SELECT 1 FROM ${USED} AND f.head_version > 0 AND f.stream NOT IN (SELECT value FROM json_each(${used})))`;

/**
 * Writes only over what the plan was made from: the manifests that were read (none: there is none), and no stream that has
 * got its first record since. A batch of records that is planned by the old manifest fails by its hash.
 */
const LOAD = `INSERT INTO record_manifests (connector_key, manifest_hash, manifest, slots, loaded_at_ms)
SELECT ?1, ?2, ?3, ?4, ?5
WHERE (?6 IS NULL) = (NOT EXISTS (SELECT 1 FROM record_manifests WHERE connector_key = ?1)) AND ${AS_USED("?7")}
AND NOT EXISTS (SELECT 1 FROM ${USED} AND f.is_reordered = 1)
ON CONFLICT (connector_key) DO UPDATE SET manifest_hash = excluded.manifest_hash, manifest = excluded.manifest,
slots = excluded.slots, loaded_at_ms = excluded.loaded_at_ms, next_hash = NULL, next_manifest = NULL, next_slots = NULL
WHERE record_manifests.manifest_hash = ?6 AND record_manifests.next_hash IS ?8`;

const WAIT = `UPDATE record_manifests SET next_hash = ?2, next_manifest = ?3, next_slots = ?4
WHERE connector_key = ?1 AND manifest_hash = ?6 AND next_hash IS ?8 AND ${AS_USED("?7")}`;

/** How far rows are indexed by a manifest that waits no more: what is written until it waits again does not have it. */
const FORGET_OTHERS = `UPDATE record_feeds SET reindex_hash = NULL, reindex_key = NULL
WHERE connection_id IN (SELECT id FROM record_connections WHERE connector_key = ?1)
AND reindex_hash IS NOT NULL AND reindex_hash IS NOT (SELECT next_hash FROM record_manifests WHERE connector_key = ?1)`;

/** As rows that serve both have it. What stands in the way of that is known before: streams without records have nothing in it. */
function planSlots(
  old: LoadedManifest | null,
  manifest: ConnectorManifest,
  used: ReadonlySet<string>,
): ReloadPlan {
  const kept = [...(old?.manifest.streams.values() ?? [])].filter(
    (before) => conflictsOf(before, manifest.streams.get(before.name)).length === 0,
  );
  const names = new Set(kept.map(({ name }) => name).filter((name) => used.has(name)));
  const plan = planReload(old, manifest, names);
  return plan.ok ? plan.value : { slots: new Map(), reindexed: [] };
}
