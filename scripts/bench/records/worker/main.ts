// The Worker that the bench measures in: the resource server over a local D1, called in process, and SQL by itself. What a
// client's own clock would see is mostly the way through `wrangler dev`; here the time is that of D1 and of the server's code.
import { exactJsonText } from "../../../../src/exact-json/write.ts";
import { coverGrants } from "../../../../src/records/grant/cover.ts";
import type { Coverage } from "../../../../src/records/grant/coverage.ts";
import { readManifestTexts } from "../../../../src/records/grant/read-manifest-texts.ts";
import { createSeal, type SealKey } from "../../../../src/records/seal/seal.ts";
import type { Row, ServerPorts, Sql, SqlValue, Statement } from "../../../../src/records/server/ports.ts";
import { answerRead } from "../../../../src/records/server/route.ts";
import { type Asked, askedSchema, type Timed } from "./protocol.ts";

/** As much of D1 as is used. */
interface Database {
  prepare(sql: string): { bind(...values: readonly SqlValue[]): object };
  batch(
    statements: readonly object[],
  ): Promise<readonly { readonly results: readonly Row[]; readonly meta: { readonly rows_read: number } }[]>;
}

/** A clock of whole milliseconds tells of many calls together. */
const SAMPLE_MS = 25;
const SAMPLE_MAX_CALLS = 100;

class CountingSql implements Sql {
  readonly #db: Database;
  rowsRead = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  async read(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    if (statements.length === 0) return [];
    const results = await this.#db.batch(
      statements.map(({ sql, values }) => this.#db.prepare(sql).bind(...values)),
    );
    this.rowsRead += results.reduce((sum, { meta }) => sum + meta.rows_read, 0);
    return results.map(({ results: rows }) => rows);
  }
}

async function timed(samples: number, sql: CountingSql, work: () => Promise<string>): Promise<Timed> {
  // The first call reads what the next ones find in memory, and tells what is answered.
  const answer = await work();
  const { rowsRead } = sql;
  const ms: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const begun = Date.now();
    let calls = 0;
    do {
      await work();
      calls += 1;
    } while (Date.now() - begun < SAMPLE_MS && calls < SAMPLE_MAX_CALLS);
    ms.push((Date.now() - begun) / calls);
  }
  return { answer, ms, rows_read: rowsRead };
}

async function coverageOf(sql: Sql, connectionId: string): Promise<Coverage> {
  const [rows = []] = await sql.read([
    {
      sql: "SELECT f.id, f.stream, c.connector_key, c.display_name, m.manifest, m.slots FROM record_feeds f JOIN record_connections c ON c.id = f.connection_id JOIN record_manifests m ON m.connector_key = c.connector_key WHERE c.id = ?",
      values: [connectionId],
    },
  ]);
  const feeds = rows.map((row) => ({
    feedId: Number(row["id"]),
    connectionId,
    connectorKey: String(row["connector_key"]),
    displayName: null,
    stream: String(row["stream"]),
  }));
  const manifests = new Map(
    rows.flatMap((row) => {
      const loaded = readManifestTexts(String(row["manifest"]), String(row["slots"]));
      return loaded === undefined ? [] : [[String(row["connector_key"]), loaded] as const];
    }),
  );
  const streams = feeds.map(({ stream }) => ({
    name: stream,
    fields: null,
    resources: null,
    since: null,
    until: null,
  }));
  const grant = { id: "grt", packageId: null, connectionId, source: null, streams, isRevoked: false };
  const access = coverGrants({ tokenId: "bench", kind: "client" }, [grant], { rows: feeds, manifests });
  if (access.standing !== "covered") throw new Error(`${connectionId} is not covered`);
  return access.whole;
}

async function sealKey(): Promise<SealKey> {
  const raw = new Uint8Array(32);
  return {
    id: "00000000",
    key: await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]),
  };
}

async function answer(asked: Asked, db: Database): Promise<object> {
  const sql = new CountingSql(db);
  if (asked.kind === "run") return { rows: await sql.read(asked.statements) };
  if (asked.kind === "plain") {
    return timed(asked.samples, sql, async () => JSON.stringify(await sql.read([asked.statement])));
  }
  const coverage = await coverageOf(sql, asked.connection_id);
  sql.rowsRead = 0;
  const faults: string[] = [];
  const ports: ServerPorts = {
    coverage,
    sql,
    bodies: { read: () => Promise.resolve(undefined) },
    seal: createSeal(
      { current: await sealKey(), previous: null },
      () => crypto.getRandomValues(new Uint8Array(12)),
      () => Date.now(),
    ),
    now: () => Date.now(),
    log: (error) => faults.push(String(error)),
  };
  const request = { path: asked.path, query: asked.query };
  const read = await timed(asked.samples, sql, async () => {
    const given = await answerRead(request, ports);
    if (!given.ok) throw new Error(`${given.reason.code}: ${given.reason.message} ${faults.join("; ")}`);
    return exactJsonText(given.value.body);
  });
  return read;
}

/**
 * A statement stops workerd's whole thread, and its clock with it: a connection that answers right after one of five seconds
 * counts as idle for so long, and is closed under the next request, at which wrangler ends.
 */
function timeGoesOn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
}

export default {
  async fetch(request: Request, { DB }: { readonly DB: Database }): Promise<Response> {
    if (request.method !== "POST") return new Response("up");
    try {
      const given = await answer(askedSchema.parse(await request.json()), DB);
      await timeGoesOn();
      return Response.json(given);
    } catch (error) {
      return Response.json(
        { fault: error instanceof Error ? error.message : String(error) },
        { status: 500 },
      );
    }
  },
};
