import { parseExactJson } from "../exact-json/parse.ts";
import { isJsonArray, isRecord, memberOf } from "../json.ts";
import { MANIFESTS_AT_ONCE_COUNT, REINDEX_STEPS_AT_LOAD_COUNT } from "../limits/records.ts";
import { readManifest } from "../records/manifest/read-manifest.ts";
import { unknownMembers } from "../records/manifest/unknown-members.ts";
import { BodyStore } from "../records/store/body-store.ts";
import { type ConnectReason, ConnectionStore } from "../records/store/connection-store.ts";
import { type LoadReason, ManifestStore } from "../records/store/manifest-store.ts";
import { type ReindexStep, ReindexStore } from "../records/store/reindex-store.ts";
import type { Result } from "../result.ts";
import { refuse, UNAVAILABLE } from "./answers.ts";
import type { HttpContext } from "./bindings.ts";
import { readBody } from "./request-body.ts";

/**
 * `POST /admin/records/manifests`: a manifest, an array of them, or an object with `manifests`. All are judged before the
 * first is loaded; where one fails all the same, since somebody writes beside it, `loaded` names those before it. 409 `manifest_in_use`: of a stream with records, what grants of it go by would change. `reindexing`: the
 * one before counts until `POST /admin/records/reindex` says that it is done.
 */
export async function loadManifests(c: HttpContext): Promise<Response> {
  const json = await exactBody(c);
  if (!json.ok) return json.reason;
  const listed = memberOf(json.value, "manifests") ?? json.value;
  const manifests = isJsonArray(listed) ? listed : [listed];
  if (manifests.length === 0 || manifests.length > MANIFESTS_AT_ONCE_COUNT)
    return invalid(c, [`1 to ${MANIFESTS_AT_ONCE_COUNT} manifests at a time`]);
  const reads = manifests.map((manifest) => readManifest(manifest));
  const problems = reads.flatMap((read, index) => {
    const place = manifests.length === 1 ? "" : `/${index}`;
    return read.ok ? [] : read.reason.map(({ path, message }) => `${place}${path}: ${message}`);
  });
  if (problems.length > 0) return invalid(c, problems);
  const store = new ManifestStore(c.env.DB);
  for (const read of reads) {
    const conflicts = read.ok ? await store.conflicts(read.value) : [];
    if (conflicts.length > 0) return notLoaded(c, { reason: "manifest_in_use", conflicts });
  }
  const loaded = [];
  const nowMs = Date.now();
  for (const [index, manifest] of manifests.entries()) {
    // The order in which they came is what tells them apart where nothing else does.
    const report = await store.load(manifest, nowMs + index);
    if (!report.ok)
      return notLoaded(
        c,
        report.reason,
        loaded.map(({ connector_key }) => connector_key),
      );
    const { connectorKey, streams, changed, isWaiting } = report.value;
    const reindexing = isWaiting && !(await reindexed(c, connectorKey, REINDEX_STEPS_AT_LOAD_COUNT)).done;
    const unknown = unknownMembers(manifest).map((path) => `${path} is not known and counts for nothing`);
    loaded.push({
      connector_key: connectorKey,
      streams,
      changed,
      ...(reindexing ? { reindexing } : {}),
      ...(unknown.length > 0 ? { warnings: unknown } : {}),
    });
  }
  return c.json({ manifests: loaded });
}

/** Takes steps of indexing anew until nothing waits, or so many. */
export async function reindexed(c: HttpContext, connectorKey: string, steps: number): Promise<ReindexStep> {
  const store = new ReindexStore(c.env.DB, new BodyStore(c.env.ARTIFACTS));
  let records = 0;
  for (let step = 0; step < steps; step += 1) {
    const { records: some, done } = await store.step(connectorKey, Date.now());
    records += some;
    if (done) return { records, done };
  }
  return { records, done: false };
}

/** `GET /admin/records/manifests`: the connectors, their streams and how many fields those have. */
export async function listManifests(c: HttpContext): Promise<Response> {
  const rows = await new ManifestStore(c.env.DB).list();
  return c.json({
    manifests: rows.map(({ connectorKey, manifest, hash, loadedAtMs, isWaitedFor }) => ({
      connector_key: connectorKey,
      connector_id: manifest.connectorId,
      display_name: manifest.displayName,
      hash,
      loaded_at_ms: loadedAtMs,
      reindexing: isWaitedFor,
      streams: [...manifest.streams.values()].map(({ name, fields }) => ({ name, fields: fields.size })),
    })),
  });
}

/** `GET /admin/records/connections`: the connections, their streams and how many records are in each. */
export async function listConnections(c: HttpContext): Promise<Response> {
  const connections = await new ConnectionStore(c.env.DB).list();
  return c.json({
    connections: connections.map(({ id, connectorKey, displayName, createdAtMs, isBeingRemoved, feeds }) => ({
      id,
      connector_key: connectorKey,
      display_name: displayName,
      created_at_ms: createdAtMs,
      being_removed: isBeingRemoved,
      streams: feeds.map(({ stream, recordCount, version, lastEmittedAt }) => ({
        name: stream,
        record_count: recordCount,
        version,
        last_emitted_at: lastEmittedAt,
      })),
    })),
  });
}

/**
 * `POST /admin/records/connections {id, connector_key, display_name?}`: makes it, or gives the one that is there its name; an
 * empty name takes it away. Of one that is there the connector need not be said.
 */
export async function createConnection(c: HttpContext): Promise<Response> {
  const json = await exactBody(c);
  if (!json.ok) return json.reason;
  const [id, connectorKey, displayName] = ["id", "connector_key", "display_name"].map((name) =>
    memberOf(json.value, name),
  );
  const unknown = isRecord(json.value)
    ? Object.keys(json.value).filter((name) => !CONNECTION_MEMBERS.has(name))
    : [];
  if (unknown.length > 0 || typeof id !== "string")
    return invalid(c, ["takes id, connector_key and display_name"]);
  if (displayName !== undefined && displayName !== null && typeof displayName !== "string")
    return invalid(c, ["display_name is a text"]);
  const connections = new ConnectionStore(c.env.DB);
  const key = connectorKey ?? (await connections.find(id))?.connectorKey;
  if (typeof key !== "string")
    return invalid(c, [
      key === undefined || key === null
        ? "there is no such connection, and without connector_key none is made"
        : "connector_key is a text",
    ]);
  const made = await connections.connect(
    { id, connectorKey: key, displayName: displayName ?? null },
    Date.now(),
  );
  if (made.ok) {
    return c.json(
      {
        id: made.value.id,
        connector_key: made.value.connectorKey,
        display_name: made.value.displayName,
      },
      201,
    );
  }
  return made.reason === "conflict" || made.reason === "being_removed"
    ? c.json({ error: "conflict", problems: [CONNECT_PROBLEMS[made.reason]] }, 409)
    : invalid(c, [CONNECT_PROBLEMS[made.reason]]);
}

const CONNECTION_MEMBERS: ReadonlySet<string> = new Set(["id", "connector_key", "display_name"]);

const CONNECT_PROBLEMS: Readonly<Record<ConnectReason, string>> = {
  invalid_id: "id is up to 100 letters, digits and . _ @ : - after the first",
  invalid_name: "display_name is up to 120 characters that can be seen",
  unknown_connector: "no manifest of this connector was loaded",
  conflict: "the connection is of another connector",
  being_removed: "the connection is being removed: finish that first",
};

/** `loaded`: those that were, of several. */
export function notLoaded(c: HttpContext, reason: LoadReason, loaded: readonly string[] = []): Response {
  const before = loaded.length === 0 ? {} : { loaded };
  switch (reason.reason) {
    case "invalid":
      return invalid(
        c,
        reason.problems.map(({ path, message }) => `${path}: ${message}`),
      );
    case "manifest_in_use": {
      const problems = reason.conflicts.map(({ stream, message }) => `${stream}: ${message}`);
      return c.json(
        { error: "manifest_in_use", problems: [...problems, ...loaded.map(wasLoaded)], ...before },
        409,
      );
    }
    case "busy":
      return c.json({ ...UNAVAILABLE, ...before }, 503);
  }
}

function wasLoaded(connectorKey: string): string {
  return `${connectorKey} was loaded before it`;
}

export async function exactBody(c: HttpContext): Promise<Result<unknown, Response>> {
  const text = await readBody(c);
  if (!text.ok && text.reason === "too_large") return { ok: false, reason: refuse(c, "too_large") };
  const json = text.ok ? parseExactJson(text.value, { duplicates: "refuse" }) : text;
  return json.ok ? json : { ok: false, reason: invalid(c, ["the body is JSON, each member once"]) };
}

export function invalid(c: HttpContext, problems: readonly string[]): Response {
  return c.json({ error: "invalid", problems }, 400);
}
