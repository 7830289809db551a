import { isJsonArray, isRecord, memberOf } from "../json.ts";
import { INGEST_LINES_MAX_COUNT, REINDEX_STEPS_AT_LOAD_COUNT } from "../limits/records.ts";
import { ingest } from "../records/ingest/ingest.ts";
import type { ReadLine } from "../records/ingest/read-lines.ts";
import { isRecordKey } from "../records/ingest/record-key.ts";
import { BodyStore } from "../records/store/body-store.ts";
import { ConnectionStore } from "../records/store/connection-store.ts";
import { EraseStore } from "../records/store/erase-store.ts";
import { LeftoverStore } from "../records/store/leftover-store.ts";
import { ManifestStore } from "../records/store/manifest-store.ts";
import { RemovalStore } from "../records/store/removal-store.ts";
import { exactBody, invalid, notLoaded, reindexed } from "./admin-records.ts";
import { NOT_FOUND, UNAVAILABLE } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { ingestPorts } from "./v1-ingest.ts";

/**
 * `DELETE /admin/records/connections/{id}`: from the first request on nobody reads it and its grants are revoked; each takes a
 * bounded part of its rows and bodies away. Repeat it until `done`. 404 where there is none (any more).
 */
export async function removeConnection(c: HttpContext): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const store = new RemovalStore(c.env.DB, new BodyStore(c.env.ARTIFACTS));
  const grants = await store.begin(id, Date.now());
  if (grants === undefined) return c.json(NOT_FOUND, 404);
  const { done, ...removed } = await store.step(id);
  return c.json({ id, done, removed: { ...removed, grants } });
}

/** `DELETE /admin/records/manifests/{connector_key}`: 409 with the connections that are of it; remove those first. */
export async function removeManifest(c: HttpContext): Promise<Response> {
  const key = c.req.param("key") ?? "";
  const connections = await new ManifestStore(c.env.DB).remove(key);
  if (connections === undefined) return c.json(NOT_FOUND, 404);
  return connections.length === 0
    ? c.json({ connector_key: key, removed: true })
    : c.json(
        { error: "manifest_in_use", problems: connections.map((id) => `the connection ${id} is of it`) },
        409,
      );
}

/**
 * `POST /admin/records/delete {connection_id, stream, keys, erase?}`: tombstones for up to 1,000 records. With `erase` what
 * they were before goes at once, and not 90 days later: a bounded part with each request, so repeat it until `done`.
 */
export async function deleteRecords(c: HttpContext): Promise<Response> {
  const json = await exactBody(c);
  if (!json.ok) return json.reason;
  const asked = readDeletion(json.value);
  if (asked === undefined)
    return invalid(c, [
      `takes connection_id, stream, keys (1 to ${INGEST_LINES_MAX_COUNT} records' keys) and erase (true or false)`,
    ]);
  const { connectionId, stream, keys, erase } = asked;
  if ((await new ConnectionStore(c.env.DB).find(connectionId)) === undefined)
    return c.json({ ...NOT_FOUND, problems: ["there is no such connection"] }, 404);
  const lines = keys.map((key, index): ReadLine => ({
    kind: "delete",
    line: index + 1,
    key,
    emittedAt: null,
  }));
  const report = await ingest({ connectionId, stream, lines }, ingestPorts(c));
  if (!report.ok)
    return report.reason === "busy"
      ? c.json(UNAVAILABLE, 503)
      : c.json({ ...NOT_FOUND, problems: ["the connection has no such stream"] }, 404);
  const erased = erase
    ? await new EraseStore(c.env.DB, new BodyStore(c.env.ARTIFACTS)).step(connectionId, stream, keys)
    : { versions: 0, bodies: 0, done: true };
  const count = (wanted: string): number => report.value.filter(({ status }) => status === wanted).length;
  return c.json({
    done: erased.done,
    deleted: count("deleted"),
    absent: count("absent"),
    erased: { versions: erased.versions, bodies: erased.bodies },
  });
}

function readDeletion(value: unknown) {
  if (!isRecord(value) || Object.keys(value).some((name) => !DELETION_MEMBERS.has(name))) return undefined;
  const [connectionId, stream] = [memberOf(value, "connection_id"), memberOf(value, "stream")];
  const [listed, erase] = [memberOf(value, "keys"), memberOf(value, "erase") ?? false];
  const keys = isJsonArray(listed) ? listed.filter(isRecordKey) : [];
  if (typeof connectionId !== "string" || typeof stream !== "string" || typeof erase !== "boolean")
    return undefined;
  if (!isJsonArray(listed) || keys.length !== listed.length) return undefined;
  if (keys.length === 0 || keys.length > INGEST_LINES_MAX_COUNT) return undefined;
  return { connectionId, stream, keys: [...new Set(keys)], erase };
}

const DELETION_MEMBERS: ReadonlySet<string> = new Set(["connection_id", "stream", "keys", "erase"]);

/** `POST /admin/records/collect {cursor?}`: looks through the next bodies and removes those that no record names. */
export async function collectBodies(c: HttpContext): Promise<Response> {
  const json = await exactBody(c);
  if (!json.ok) return json.reason;
  const cursor = memberOf(json.value, "cursor");
  if (cursor !== undefined && cursor !== null && typeof cursor !== "string")
    return invalid(c, ["cursor is a text"]);
  const store = new LeftoverStore(c.env.DB, new BodyStore(c.env.ARTIFACTS));
  return c.json(await store.step(cursor ?? undefined, Date.now()));
}

/**
 * `POST /admin/records/reindex {connector_key}`: the next steps of indexing records by the manifest that waits; without one,
 * by the manifest that counts, where its fields can have better columns. Repeat it until `done`.
 */
export async function reindexRecords(c: HttpContext): Promise<Response> {
  const json = await exactBody(c);
  if (!json.ok) return json.reason;
  const key = memberOf(json.value, "connector_key");
  if (typeof key !== "string") return invalid(c, ["takes connector_key"]);
  const store = new ManifestStore(c.env.DB);
  const found = await store.find(key);
  if (found === undefined) return c.json(NOT_FOUND, 404);
  if (!found.isWaitedFor) {
    const loaded = await store.load(found.source, Date.now());
    if (!loaded.ok) return notLoaded(c, loaded.reason);
  }
  return c.json(await reindexed(c, key, REINDEX_STEPS_AT_LOAD_COUNT));
}
