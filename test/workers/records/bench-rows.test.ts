import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import {
  type Feed,
  lineStatement,
  loadBatches,
  prepareStatements,
} from "../../../scripts/bench/records/load-sql.ts";
import { CONNECTOR, makeTexts, MANIFEST, STREAM } from "../../../scripts/bench/records/mail.ts";
import { isRecord } from "../../../src/json.ts";
import { ingest } from "../../../src/records/ingest/ingest.ts";
import { readLines } from "../../../src/records/ingest/read-lines.ts";
import type { Statement } from "../../../src/records/server/ports.ts";
import { ConnectionStore } from "../../../src/records/store/connection-store.ts";
import { ManifestStore } from "../../../src/records/store/manifest-store.ts";
import { ingestPorts, rows } from "./ingest-rig.ts";
import { freshDatabase } from "../fresh-storage.ts";

const LETTERS = 60;
const texts = makeTexts().slice(0, 100);

beforeEach(async () => {
  await freshDatabase();
  await new ManifestStore(env.DB).load(MANIFEST, 0);
  for (const id of ["generated", "ingested"]) {
    await new ConnectionStore(env.DB).connect({ id, connectorKey: CONNECTOR, displayName: null }, 0);
  }
});

async function run(statements: readonly Statement[]): Promise<Record<string, unknown>[]> {
  const results = await env.DB.batch<Record<string, unknown>>(
    statements.map(({ sql, values }) => env.DB.prepare(sql).bind(...values)),
  );
  return results.at(-1)?.results ?? [];
}

async function feedOf(connection: string): Promise<Feed> {
  const [feed] = await rows("SELECT id FROM record_feeds WHERE connection_id = ?", connection);
  const feedId = Number(feed?.["id"]);
  const scopes = await rows("SELECT id, field FROM record_scopes WHERE feed_id = ? ORDER BY id", feedId);
  const [manifest] = await rows(`SELECT json_extract(slots, '$.${STREAM}') AS slots FROM record_manifests`);
  const slots: unknown = JSON.parse(String(manifest?.["slots"]));
  return {
    feedId,
    slots: new Map(Object.entries(isRecord(slots) ? slots : {}).map(([name, slot]) => [name, String(slot)])),
    scopes: new Map(scopes.map(({ id, field }) => [String(field), Number(id)])),
  };
}

/** Everything that is kept of a connection, but for ids, the clock and the bodies' hashes. */
async function kept(connection: string): Promise<unknown[]> {
  const { feedId, scopes } = await feedOf(connection);
  const of = async (sql: string): Promise<Record<string, unknown>[]> =>
    (await rows(sql, feedId)).map((row) =>
      Object.fromEntries(
        Object.entries(row).filter(
          ([name]) => !["id", "feed_id", "data_hash", "written_at_ms"].includes(name),
        ),
      ),
    );
  const documents = "record_documents d JOIN record_scopes s ON s.id = d.scope_id";
  const tokens = await of(
    `SELECT d.record_key, s.field, v.offset, v.term FROM ${documents} JOIN record_terms_at v ON v.doc = d.id WHERE d.feed_id = ? ORDER BY 1, 2, 3`,
  );
  const ofScope = new Map([...scopes].map(([field, id]) => [field, `s${id}x`]));
  return [
    await of("SELECT * FROM record_versions WHERE feed_id = ? ORDER BY version"),
    await of("SELECT * FROM records WHERE feed_id = ? ORDER BY record_key"),
    await of(
      `SELECT d.record_key, d.consent_time, d.term_count, s.field FROM ${documents} WHERE d.feed_id = ? ORDER BY d.id`,
    ),
    await of("SELECT field, document_count, term_count FROM record_scopes WHERE feed_id = ? ORDER BY field"),
    await of("SELECT head_version, record_count, last_emitted_at FROM record_feeds WHERE id = ?"),
    tokens.map(({ record_key: key, field, offset, term }) => [
      key,
      field,
      offset,
      String(term).replace(ofScope.get(String(field)) ?? "?", ""),
    ]),
  ];
}

it("the bench's SQL writes the rows that ingest writes", async () => {
  for (const statement of prepareStatements(texts)) await run([statement]);
  for (const batch of loadBatches(await feedOf("generated"), LETTERS, texts.length)) await run(batch);
  const lines = await run(lineStatement(1, LETTERS, LETTERS, texts.length));
  const read = readLines(lines.map(({ line }) => String(line)).join("\n"));
  if (!read.ok) throw new Error(read.reason.reason);
  await ingest({ connectionId: "ingested", stream: STREAM, lines: read.value }, ingestPorts());
  const [generated, ingested] = [await kept("generated"), await kept("ingested")];
  expect(generated).toEqual(ingested);
  const counts = generated.map((list) => (Array.isArray(list) ? list.length : 0));
  expect(counts).toEqual([LETTERS, LETTERS, 2 * LETTERS, 2, 1, 20 * LETTERS]);
});
