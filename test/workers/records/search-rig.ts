import { env } from "cloudflare:workers";
import { deriveKeyRings } from "../../../src/access/keys.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import type { CoveredFeed } from "../../../src/records/grant/coverage.ts";
import { ingest } from "../../../src/records/ingest/ingest.ts";
import { readLines } from "../../../src/records/ingest/read-lines.ts";
import type { StreamManifest } from "../../../src/records/manifest/manifest.ts";
import { readSlots } from "../../../src/records/manifest/slots.ts";
import { createSeal } from "../../../src/records/seal/seal.ts";
import { parseParameters } from "../../../src/records/server/parameters.ts";
import { answerSearch } from "../../../src/records/server/search/search.ts";
import type { ServerPorts, Sql, Statement } from "../../../src/records/server/ports.ts";
import { D1SqlStore } from "../../../src/records/store/d1-sql-store.ts";
import { BodyStore } from "../../../src/records/store/body-store.ts";
import { ConnectionStore } from "../../../src/records/store/connection-store.ts";
import { ManifestStore } from "../../../src/records/store/manifest-store.ts";
import { ingestPorts } from "./ingest-rig.ts";
import { freshDatabase } from "../fresh-storage.ts";

/** What a record of the rig is. */
export interface Note {
  readonly key: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A bearer's view, and the clock of the request. */
export interface Asker {
  readonly feeds: readonly CoveredFeed[];
  readonly tokenId?: string;
  readonly nowMs?: number;
  /** How many places are ranked at most. */
  readonly places?: number;
}

const SEARCH_NAMES = {
  one: ["q", "limit", "cursor"],
  list: ["streams"],
  keyed: ["filter"],
  connection: true,
};
const rings = await deriveKeyRings({ LOOMGATE_KEY: "a".repeat(32), LOOMGATE_KEY_PREVIOUS: undefined });

export async function emptyRecords(): Promise<void> {
  await freshDatabase();
  opened.clear();
}

/** The streams of each connection, which is of a connector of its own. */
const opened = new Map<string, readonly StreamManifest[]>();

/** A feed over this stream in this connection, loaded and connected as an owner does it. */
export async function openFeed(
  stream: StreamManifest,
  connectionId: string,
  over: Partial<CoveredFeed> = {},
): Promise<CoveredFeed> {
  const streams = [...(opened.get(connectionId) ?? []), stream];
  opened.set(connectionId, streams);
  const connectorKey = `of-${connectionId}`;
  const manifest = {
    connector_id: connectorKey,
    connector_key: connectorKey,
    streams: streams.map(declared),
  };
  const loaded = await new ManifestStore(env.DB).load(manifest, 0);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.reason));
  await new ConnectionStore(env.DB).connect({ id: connectionId, connectorKey, displayName: null }, 0);
  const row = await env.DB.prepare(
    "SELECT f.id, m.slots FROM record_feeds f, record_manifests m WHERE f.connection_id = ? AND f.stream = ? AND m.connector_key = ?",
  )
    .bind(connectionId, stream.name, connectorKey)
    .first<{ id: number; slots: string }>();
  return {
    feedId: row?.id ?? 0,
    connectionId,
    connectorKey: "notes",
    connectorId: "notes",
    connectorName: null,
    displayName: null,
    grantId: "g",
    stream,
    slots: readSlots(JSON.parse(row?.slots ?? "{}")).get(stream.name) ?? new Map(),
    fields: null,
    resources: null,
    since: null,
    until: null,
    ...over,
  };
}

/** The stream as a manifest declares it. */
function declared({ name, fields, lexicalFields }: StreamManifest): object {
  return {
    name,
    semantics: "mutable_state",
    primary_key: ["id"],
    cursor_field: "at",
    consent_time_field: "at",
    schema: {
      type: "object",
      properties: Object.fromEntries(
        ["id", ...fields.keys()].map((field) => [field, fields.get(field)?.schema ?? {}]),
      ),
    },
    query: { range_filters: { at: ["gte", "lt"] }, search: { lexical_fields: lexicalFields } },
  };
}

const EMITTED_AT = "2026-02-01T00:00:00Z";

export async function put(feed: CoveredFeed, ...notes: readonly Note[]): Promise<void> {
  await write(
    feed,
    notes.map(({ key, data }) => ({ key, data: { id: key, ...data }, emitted_at: EMITTED_AT })),
  );
}

export async function remove(feed: CoveredFeed, key: string): Promise<void> {
  await write(feed, [{ key, deleted: true }]);
}

async function write({ connectionId, stream }: CoveredFeed, lines: readonly object[]): Promise<void> {
  const read = readLines(lines.map((line) => JSON.stringify(line)).join("\n"));
  if (!read.ok) throw new Error(JSON.stringify(read.reason));
  const request = { connectionId, stream: stream.name, lines: read.value };
  const written = await ingest(request, ingestPorts());
  if (!written.ok) throw new Error(written.reason);
}

/** What a request costs, and what it asks of D1. */
export interface Cost {
  rowsRead: number;
  roundTrips: number;
  readonly statements: Statement[];
}

/** What the server works with for this bearer. */
export function portsOf(
  { feeds, tokenId = "t", nowMs = 0 }: Asker,
  cost: Cost = { rowsRead: 0, roundTrips: 0, statements: [] },
): ServerPorts {
  if (!rings.ok) throw new Error("no keys");
  const store = new D1SqlStore(env.DB, (rows) => {
    cost.rowsRead += rows;
  });
  const sql: Sql = {
    read: async (statements) => {
      cost.roundTrips += 1;
      cost.statements.push(...statements);
      return store.read(statements);
    },
  };
  return {
    coverage: { holder: { kind: "client", tokenId, grantId: "g" }, feeds },
    sql,
    bodies: new BodyStore(env.ARTIFACTS),
    seal: createSeal(
      rings.value.cursor,
      () => crypto.getRandomValues(new Uint8Array(12)),
      () => nowMs,
    ),
    now: () => nowMs,
    log: (error) => {
      throw error;
    },
  };
}

/** `GET /v1/search` as this bearer, with these parameters. */
export async function searchAs(asker: Asker, query: readonly (readonly [string, string])[], cost?: Cost) {
  const ports = portsOf(asker, cost);
  const request = { path: ["search"], query };
  const read = parseParameters(request, SEARCH_NAMES);
  const answer = read.ok
    ? await answerSearch({ request, stream: "", key: "", ...read.value }, ports, asker.places)
    : read;
  return answer.ok
    ? { ok: true as const, body: bodyOf(answer.value.body) }
    : { ok: false as const, problem: answer.reason };
}

/** The answer as a client reads it. */
function bodyOf(body: object): unknown {
  const parsed: unknown = JSON.parse(JSON.stringify(body));
  return parsed;
}

export async function found(asker: Asker, query: readonly (readonly [string, string])[], cost?: Cost) {
  const answer = await searchAs(asker, query, cost);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
  return answer.body;
}

export function hitsOf(body: unknown): readonly unknown[] {
  const data = memberOf(body, "data");
  return isJsonArray(data) ? data : [];
}

export function keysOf(body: unknown): readonly unknown[] {
  return hitsOf(body).map((hit) => memberOf(hit, "record_key"));
}

export function scoreOf(hit: unknown): number {
  return Number(memberOf(memberOf(hit, "score"), "value"));
}

export function cursorOf(body: unknown): string | undefined {
  const cursor = memberOf(body, "next_cursor");
  return typeof cursor === "string" ? cursor : undefined;
}
