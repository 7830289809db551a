import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { parseConfig } from "../../src/config.ts";
import { isJsonArray, isRecord, memberOf } from "../../src/json.ts";
import { batchesOf } from "../records/batches.ts";
import { ingestUrl, type OwnerBearer, sendAll, withOwner } from "../records/import.ts";
import { type Admin, callAdmin } from "../token/admin-client.ts";

const FOLDER = join(import.meta.dirname, "demo-records");
const FILES = ["mailbox.json", "tracker.json"];

/** Long before anybody starts it, and the same for everyone. */
const EMITTED_AT = "2026-05-14T06:00:00Z";

/** One connection of the demo: its connector's manifest, itself, and its records by stream. */
interface DemoConnection {
  readonly manifest: unknown;
  readonly connection: Readonly<Record<string, unknown>>;
  readonly records: Readonly<Record<string, unknown>>;
}

/**
 * Where the embedded server keeps no connection yet, some records to read: by the same routes as `npm run records` takes.
 * Gives the lines that tell of it.
 */
export async function loadDemoRecords(admin: Admin, configText: string): Promise<readonly string[]> {
  const config = parseConfig(configText);
  if (config.ok && !config.value.records.sources.some(({ kind }) => kind === "d1")) return [];
  const connections = memberOf(await callAdmin(admin, "GET", "/records/connections"), "connections");
  if (isJsonArray(connections) && connections.length > 0) return [];
  return withOwner(admin, async (bearer) => {
    const lines: string[] = [];
    for (const demo of FILES.map(readDemo)) lines.push(await load(admin, bearer, demo));
    return lines;
  });
}

async function load(
  admin: Admin,
  bearer: OwnerBearer,
  { manifest, connection, records }: DemoConnection,
): Promise<string> {
  await callAdmin(admin, "POST", "/records/manifests", { manifests: [manifest] });
  const connector = String(memberOf(manifest, "connector_key"));
  await callAdmin(admin, "POST", "/records/connections", { ...connection, connector_key: connector });
  const id = String(connection["id"]);
  const counts: string[] = [];
  for (const [stream, rows] of Object.entries(records)) {
    const target = { connection: id, stream, connector };
    const batches = batchesOf(Readable.from([Buffer.from(ndjson(rows))]));
    const { lines } = await sendAll(ingestUrl(admin, target), bearer, batches, () => undefined);
    counts.push(`${lines} ${stream}`);
  }
  return `records of ${id}: ${counts.join(", ")}`;
}

function ndjson(rows: unknown): string {
  return (isJsonArray(rows) ? rows : [])
    .map((data) => `${JSON.stringify({ key: memberOf(data, "id"), data, emitted_at: EMITTED_AT })}\n`)
    .join("");
}

function readDemo(file: string): DemoConnection {
  const demo: unknown = JSON.parse(readFileSync(join(FOLDER, file), "utf8"));
  const [connection, records] = [memberOf(demo, "connection"), memberOf(demo, "records")];
  if (!isRecord(connection) || !isRecord(records)) throw new Error(`${file} is no connection with records`);
  return { manifest: memberOf(demo, "manifest"), connection, records };
}
