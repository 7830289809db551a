import { env } from "cloudflare:workers";
import { ManifestCache } from "../../../src/records/grant/manifest-cache.ts";
import { ingest } from "../../../src/records/ingest/ingest.ts";
import type { LineReport } from "../../../src/records/ingest/line.ts";
import type { FeedState, IngestPorts } from "../../../src/records/ingest/ports.ts";
import { readLines } from "../../../src/records/ingest/read-lines.ts";
import { BodyStore } from "../../../src/records/store/body-store.ts";
import { ConnectionStore } from "../../../src/records/store/connection-store.ts";
import { IngestStore } from "../../../src/records/store/ingest-store.ts";
import { ManifestStore } from "../../../src/records/store/manifest-store.ts";
import { NOTES } from "../../records/ingest/stream.ts";
import { freshDatabase } from "../fresh-storage.ts";

export const NOW_MS = Date.parse("2026-06-01T00:00:00Z");

/** A connector of one stream, with a field of every kind. */
export function notesManifest(change: (stream: Record<string, unknown>) => unknown = (stream) => stream) {
  const stream = {
    ...NOTES,
    query: { ...NOTES.query, range_filters: { at: ["gte", "lt"] } },
  };
  return {
    protocol_version: "0.1.0",
    connector_id: "notes",
    connector_key: "notes",
    streams: [change(stream)],
  };
}

/** An empty database with one connection `notes-1`. */
export async function freshNotes(): Promise<void> {
  await freshDatabase();
  await new ManifestStore(env.DB).load(notesManifest(), NOW_MS);
  await new ConnectionStore(env.DB).connect(
    { id: "notes-1", connectorKey: "notes", displayName: null },
    NOW_MS,
  );
}

export function ingestPorts(ports: Partial<IngestPorts> = {}): IngestPorts {
  return {
    store: new IngestStore(env.DB, new ManifestCache()),
    bodies: new BodyStore(env.ARTIFACTS),
    newId: () => crypto.randomUUID(),
    now: () => NOW_MS,
    random: () => 0,
    sleep: async () => undefined,
    log: (error) => {
      throw error;
    },
    ...ports,
  };
}

/** Writes lines to the notes, and gives what became of each. */
export async function write(
  lines: readonly (object | string)[],
  ports: Partial<IngestPorts> = {},
  connectionId = "notes-1",
): Promise<readonly LineReport[]> {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  const read = readLines(text);
  if (!read.ok) throw new Error(JSON.stringify(read.reason));
  const report = await ingest({ connectionId, stream: "notes", lines: read.value }, ingestPorts(ports));
  if (!report.ok) throw new Error(report.reason);
  return report.value;
}

/** The notes' feed as a batch of these keys finds it. */
export async function feedState(...keys: readonly string[]): Promise<FeedState> {
  const state = await new IngestStore(env.DB, new ManifestCache()).state("notes-1", "notes", keys, 0);
  if (typeof state !== "object") throw new Error("no state");
  return state;
}

export function note(key: string, data: object = {}, emittedAt = "2026-01-01T00:00:00Z") {
  return { key, data: { id: key, at: "2026-01-01T10:00:00Z", ...data }, emitted_at: emittedAt };
}

export async function rows(
  sql: string,
  ...values: readonly (string | number | null)[]
): Promise<Record<string, unknown>[]> {
  return (
    await env.DB.prepare(sql)
      .bind(...values)
      .all()
  ).results;
}

/** What must hold after any sequence of batches: each finds what breaks it. */
const LAWS = [
  "SELECT 'versions' AS law FROM record_feeds f WHERE head_version <> (SELECT count(*) FROM record_versions v WHERE v.feed_id = f.id)",
  "SELECT 'head' AS law FROM record_feeds f WHERE head_version <> (SELECT coalesce(max(version), 0) FROM record_versions v WHERE v.feed_id = f.id)",
  "SELECT 'count' AS law FROM record_feeds f WHERE record_count <> (SELECT count(*) FROM records r WHERE r.feed_id = f.id)",
  `SELECT 'live' AS law, r.record_key FROM records r WHERE NOT EXISTS (SELECT 1 FROM record_versions v WHERE v.feed_id = r.feed_id
AND v.version = r.version AND v.record_key = r.record_key AND v.superseded_by IS NULL AND v.deleted = 0)`,
  `SELECT 'successor' AS law, v.record_key, v.version FROM record_versions v WHERE v.superseded_by IS NOT (SELECT min(w.version)
FROM record_versions w WHERE w.feed_id = v.feed_id AND w.record_key = v.record_key AND w.version > v.version)`,
  "SELECT 'time' AS law, version FROM record_versions WHERE (superseded_by IS NULL) <> (superseded_at_ms IS NULL)",
  `SELECT 'documents' AS law, d.record_key FROM record_documents d WHERE NOT EXISTS (SELECT 1 FROM records r
WHERE r.feed_id = d.feed_id AND r.record_key = d.record_key)`,
  `SELECT 'terms' AS law, t.term FROM record_terms_at t WHERE NOT EXISTS (SELECT 1 FROM record_documents d
WHERE d.id = t.doc AND t.term LIKE 's' || d.scope_id || 'x%')`,
  `SELECT 'words' AS law, d.record_key FROM record_documents d LEFT JOIN (SELECT doc, count(*) AS words FROM record_terms_at GROUP BY doc) t
ON t.doc = d.id WHERE d.term_count IS NOT t.words`,
];

export async function broken(): Promise<Record<string, unknown>[]> {
  const found = await env.DB.batch<Record<string, unknown>>(LAWS.map((law) => env.DB.prepare(law)));
  return found.flatMap(({ results }) => results);
}
