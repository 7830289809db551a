import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { RECORD_ROW_BODY_MAX_BYTES } from "../../../src/limits/records.ts";
import { ManifestCache } from "../../../src/records/grant/manifest-cache.ts";
import { planIngest } from "../../../src/records/ingest/plan.ts";
import { BodyStore } from "../../../src/records/store/body-store.ts";
import { ConnectionStore } from "../../../src/records/store/connection-store.ts";
import { IngestStore } from "../../../src/records/store/ingest-store.ts";
import { ManifestStore } from "../../../src/records/store/manifest-store.ts";
import { RemovalStore } from "../../../src/records/store/removal-store.ts";
import { broken, feedState, freshNotes, note, notesManifest, NOW_MS, rows, write } from "./ingest-rig.ts";

beforeEach(freshNotes);

const TABLES = [
  "record_versions",
  "records",
  "record_documents",
  "record_terms",
  "record_scopes",
  "record_feeds",
  "record_connections",
];

async function counts(): Promise<readonly unknown[]> {
  return Promise.all(
    TABLES.map(async (table) => (await rows(`SELECT count(*) AS n FROM ${table}`))[0]?.["n"]),
  );
}

async function objects(): Promise<number> {
  return (await env.ARTIFACTS.list({ prefix: "records/" })).objects.length;
}

const large = (key: string) => note(key, { title: "big", body: "x".repeat(RECORD_ROW_BODY_MAX_BYTES) });

function connect(id: string) {
  return new ConnectionStore(env.DB).connect({ id, connectorKey: "notes", displayName: null }, NOW_MS);
}

async function feedOf(connection: string): Promise<unknown> {
  return (await rows("SELECT id FROM record_feeds WHERE connection_id = ?", connection))[0]?.["id"];
}

async function removed(connection: string, rowsCount?: number): Promise<number> {
  const store = new RemovalStore(env.DB, new BodyStore(env.ARTIFACTS), rowsCount);
  for (let step = 1; ; step += 1) {
    // Each step as after a cut: the removal is begun anew.
    if ((await store.begin(connection, NOW_MS)) === undefined) return step - 1;
    if ((await store.step(connection)).done) return step;
  }
}

describe("the removal of a connection", () => {
  it("takes every row and body of it in bounded steps, and none of another", async () => {
    await write([note("kept", { title: "stays here" }), large("kept-large")]);
    const before = await counts();
    await connect("notes-2");
    const second = (lines: readonly object[]) => write(lines, {}, "notes-2");
    await second(Array.from({ length: 23 }, (_, index) => note(`n${index}`, { title: `word${index} goes` })));
    await second([note("n1", { title: "changed" }), { key: "n2", deleted: true }, large("l1"), large("l2")]);
    await second([large("l1"), { key: "l2", deleted: true }]);
    await env.ARTIFACTS.put(`records/${String(await feedOf("notes-2"))}/left/over`, "{}");
    expect(await objects()).toBe(4);
    expect(await removed("notes-2", 5)).toBeGreaterThan(5);
    expect(await counts()).toEqual(before);
    expect(await objects()).toBe(1);
    expect(await broken()).toEqual([]);
  });

  it("is nothing where there is no such connection, and nothing is revoked by that", async () => {
    const store = new RemovalStore(env.DB, new BodyStore(env.ARTIFACTS));
    expect(await store.begin("nobody", NOW_MS)).toBeUndefined();
  });

  it("from its beginning on hides the connection from writers and from who would grant it", async () => {
    await write([note("a")]);
    await new RemovalStore(env.DB, new BodyStore(env.ARTIFACTS)).begin("notes-1", NOW_MS);
    const connections = new ConnectionStore(env.DB);
    expect(await connections.find("notes-1")).toBeUndefined();
    expect(await connect("notes-1")).toEqual({ ok: false, reason: "being_removed" });
    await expect(write([note("b")])).rejects.toThrow("unknown_stream");
    expect((await connections.list()).map(({ id, isBeingRemoved }) => [id, isBeingRemoved])).toEqual([
      ["notes-1", true],
    ]);
  });

  it.each([
    ["begun", async () => new RemovalStore(env.DB, new BodyStore(env.ARTIFACTS)).begin("notes-1", NOW_MS)],
    ["ended", async () => removed("notes-1")],
    [
      "ended, and one of its name made anew",
      async () => [await removed("notes-1"), await connect("notes-1")],
    ],
  ])("lets no batch through that was planned before it %s", async (_, remove) => {
    const store = new IngestStore(env.DB, new ManifestCache());
    const state = await feedState("a");
    const text = '{"title":"x"}';
    const data = { title: "x" };
    const line = {
      kind: "data",
      line: 1,
      key: "a",
      emittedAt: "2026-02-01",
      data,
      text,
      bytes: 13,
      hash: "h",
    } as const;
    const plan = planIngest({ ...state, lines: [line], nowMs: NOW_MS });
    await remove();
    expect(await store.write(state, plan, new Map(), NOW_MS)).toBe("moved");
    expect((await counts()).slice(0, 4)).toEqual([0, 0, 0, 0]);
  });

  it("gives no feed's id to another", async () => {
    const first = Number(await feedOf("notes-1"));
    await removed("notes-1");
    await connect("notes-1");
    expect(Number(await feedOf("notes-1"))).toBeGreaterThan(first);
  });

  it("gives no version's id to another, so that what a search saw before stays older than what is written after", async () => {
    const newest = async () => Number((await rows("SELECT max(id) AS id FROM record_versions"))[0]?.["id"]);
    await write([note("a")]);
    await connect("notes-2");
    await write([note("b"), note("c"), note("d")], {}, "notes-2");
    for (const connection of ["notes-2", "notes-1"]) {
      const seen = await newest();
      await removed(connection, 2);
      await connect("notes-3");
      await write([note("x", { title: `after ${connection}` }), note("y")], {}, "notes-3");
      expect(await newest()).toBeGreaterThan(seen);
    }
    expect(await broken()).toEqual([]);
  });

  it("lets its connector's manifest change what its records were filed by", async () => {
    await write([note("a", { title: "word" })]);
    const changed = notesManifest((stream) => ({ ...stream, consent_time_field: null }));
    expect((await new ManifestStore(env.DB).load(changed, NOW_MS)).ok).toBe(false);
    await new RemovalStore(env.DB, new BodyStore(env.ARTIFACTS)).begin("notes-1", NOW_MS);
    expect((await new ManifestStore(env.DB).load(changed, NOW_MS)).ok).toBe(true);
  });
});

describe("the removal of a manifest", () => {
  it("waits until no connection is of it", async () => {
    const store = new ManifestStore(env.DB);
    expect(await store.remove("nobody")).toBeUndefined();
    expect(await store.remove("notes")).toEqual(["notes-1"]);
    expect(await store.list()).toHaveLength(1);
    await removed("notes-1");
    expect(await store.remove("notes")).toEqual([]);
    expect(await store.list()).toEqual([]);
  });
});
