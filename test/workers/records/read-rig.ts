import { env } from "cloudflare:workers";
import { deriveKeyRings } from "../../../src/access/keys.ts";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import {
  coverEverything,
  coverGrants,
  type Feeds,
  type LoadedManifest,
} from "../../../src/records/grant/cover.ts";
import type { Coverage } from "../../../src/records/grant/coverage.ts";
import type { GrantedStream } from "../../../src/records/grant/granted-stream.ts";
import { ManifestCache } from "../../../src/records/grant/manifest-cache.ts";
import { readManifestTexts } from "../../../src/records/grant/read-manifest-texts.ts";
import { ingest } from "../../../src/records/ingest/ingest.ts";
import { readLines } from "../../../src/records/ingest/read-lines.ts";
import { createSeal } from "../../../src/records/seal/seal.ts";
import type { ServerPorts, Statement } from "../../../src/records/server/ports.ts";
import { D1Source } from "../../../src/records/source/d1-source.ts";
import type { ReadAnswer } from "../../../src/records/source/read-source.ts";
import { BodyStore } from "../../../src/records/store/body-store.ts";
import { ConnectionStore } from "../../../src/records/store/connection-store.ts";
import { D1SqlStore } from "../../../src/records/store/d1-sql-store.ts";
import { IngestStore } from "../../../src/records/store/ingest-store.ts";
import { ManifestStore } from "../../../src/records/store/manifest-store.ts";
import { ingestPorts } from "./ingest-rig.ts";
import { freshDatabase } from "../fresh-storage.ts";

const rings = await deriveKeyRings({ LOOMGATE_KEY: "a".repeat(32), LOOMGATE_KEY_PREVIOUS: undefined });

export async function emptyRecords(): Promise<void> {
  await freshDatabase();
}

export async function loadManifest(manifest: unknown): Promise<void> {
  const loaded = await new ManifestStore(env.DB).load(manifest, 0);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.reason));
}

export async function connect(id: string, connectorKey: string): Promise<void> {
  const connection = { id, connectorKey, displayName: null };
  const connected = await new ConnectionStore(env.DB).connect(connection, 0);
  if (!connected.ok) throw new Error(connected.reason);
}

/** What a batch's lines are made of: a record, or one that is deleted where `data` is null. */
export interface Written {
  readonly key: string;
  readonly data: object | null;
  readonly emitted_at?: string;
}

const WRITTEN_AT_ONCE = 500;
let objects = 0;

/** Writes as the owner does, batch by batch. `nowMs` is the clock of the writing. */
export async function write(
  connectionId: string,
  stream: string,
  written: readonly Written[],
  nowMs = 0,
): Promise<void> {
  const store = new IngestStore(env.DB, new ManifestCache());
  for (let start = 0; start < written.length; start += WRITTEN_AT_ONCE) {
    const text = written
      .slice(start, start + WRITTEN_AT_ONCE)
      .map(lineOf)
      .join("\n");
    const lines = readLines(text);
    if (!lines.ok) throw new Error(JSON.stringify(lines.reason));
    const report = await ingest(
      { connectionId, stream, lines: lines.value },
      ingestPorts({
        store,
        newId: () => {
          objects += 1;
          return String(objects);
        },
        now: () => nowMs,
      }),
    );
    if (!report.ok) throw new Error(report.reason);
  }
}

function lineOf({ key, data, emitted_at: emittedAt = "2026-01-01T00:00:00Z" }: Written): string {
  return exactJsonText(
    data === null ? { key, deleted: true, emitted_at: emittedAt } : { key, data, emitted_at: emittedAt },
  );
}

/** Of one connection: its streams as a grant has them. */
export interface GrantOf {
  readonly id: string;
  readonly connectionId: string;
  readonly streams: readonly (Pick<GrantedStream, "name"> & Partial<GrantedStream>)[];
}

/** What these grants cover, as D1 has it now: of one a client's, of several a package's. */
export async function coverageOf(grants: readonly GrantOf[], tokenId = "token"): Promise<Coverage> {
  const packageId = grants.length === 1 ? null : "package";
  const rows = grants.map(({ id, connectionId, streams }) => ({
    id,
    packageId,
    connectionId,
    source: null,
    isRevoked: false,
    streams: streams.map((stream) => ({
      fields: null,
      resources: null,
      since: null,
      until: null,
      ...stream,
    })),
  }));
  const access = coverGrants({ tokenId, kind: "client" }, rows, await feedsOf());
  if (access.standing !== "covered") throw new Error(access.standing);
  return access.whole;
}

export async function ownerCoverage(): Promise<Coverage> {
  const access = coverEverything("owner", await feedsOf());
  if (access.standing !== "covered") throw new Error(access.standing);
  return access.whole;
}

async function feedsOf(): Promise<Feeds> {
  const [feeds, manifests] = await env.DB.batch<Record<string, unknown>>([
    env.DB.prepare(
      "SELECT f.id, f.connection_id, f.stream, f.is_reordered, c.connector_key, c.display_name FROM record_feeds f JOIN record_connections c ON c.id = f.connection_id",
    ),
    env.DB.prepare("SELECT connector_key, manifest_hash, manifest, slots FROM record_manifests"),
  ]);
  const loaded = (manifests?.results ?? []).map((row): [string, LoadedManifest] => {
    const read = readManifestTexts(String(row["manifest"]), String(row["slots"]));
    if (read === undefined) throw new Error("a manifest that cannot be read");
    return [String(row["connector_key"]), { ...read, hash: String(row["manifest_hash"]) }];
  });
  return {
    rows: (feeds?.results ?? []).map((row) => ({
      feedId: Number(row["id"]),
      connectionId: String(row["connection_id"]),
      connectorKey: String(row["connector_key"]),
      displayName: typeof row["display_name"] === "string" ? row["display_name"] : null,
      stream: String(row["stream"]),
      isReordered: row["is_reordered"] === 1,
    })),
    manifests: new Map(loaded),
  };
}

/** What a request costs, and what it asks of D1. */
export interface Cost {
  rowsRead: number;
  roundTrips: number;
  readonly statements: Statement[];
}

export function noCost(): Cost {
  return { rowsRead: 0, roundTrips: 0, statements: [] };
}

/** What the server works with, as whom this coverage is of. */
export function portsOf(coverage: Coverage, cost: Cost = noCost()): ServerPorts {
  if (!rings.ok) throw new Error("no keys");
  const store = new D1SqlStore(env.DB, (rows) => {
    cost.rowsRead += rows;
  });
  return {
    coverage,
    sql: {
      read: async (statements) => {
        cost.roundTrips += 1;
        cost.statements.push(...statements);
        return store.read(statements);
      },
    },
    bodies: new BodyStore(env.ARTIFACTS),
    seal: createSeal(
      rings.value.cursor,
      () => crypto.getRandomValues(new Uint8Array(12)),
      () => 0,
    ),
    now: () => 0,
    log: (error) => {
      throw error;
    },
  };
}

/** `GET` of a path under `/v1`. */
export async function read(path: string, coverage: Coverage, cost?: Cost): Promise<ReadAnswer> {
  const source = new D1Source(portsOf(coverage, cost), () => "request");
  const url = new URL(path, "https://rs.example");
  const answer = await source.get({
    path: url.pathname.split("/").slice(2).map(decodeURIComponent),
    query: [...url.searchParams],
  });
  // As a client reads it: what JSON cannot say is not there.
  return answer.ok ? { ...answer, body: JSON.parse(exactJsonText(answer.body)) } : answer;
}

/** The body of an answer that has to be there. */
export async function found(path: string, coverage: Coverage, cost?: Cost): Promise<unknown> {
  const answer = await read(path, coverage, cost);
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(answer.error)}`);
  return answer.body;
}

export function dataOf(body: unknown): readonly unknown[] {
  const data = memberOf(body, "data");
  return isJsonArray(data) ? data : [];
}

export function textOf(body: unknown, name: string): string | undefined {
  const text = memberOf(body, name);
  return typeof text === "string" ? text : undefined;
}

/** The path with these parameters besides its own. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(path, "https://rs.example");
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}

const PAGES_MAX_COUNT = 5_000;

/** Every page of a list, until there is none. */
export async function walk(
  path: string,
  coverage: Coverage,
  between: (page: number) => Promise<void> = async () => {},
): Promise<readonly unknown[]> {
  const pages: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await found(withQuery(path, { cursor }), coverage);
    pages.push(page);
    cursor = textOf(page, "next_cursor");
    if (cursor !== undefined) await between(pages.length);
  } while (cursor !== undefined && pages.length < PAGES_MAX_COUNT);
  return pages;
}
