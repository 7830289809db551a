import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { RECORD_VERSIONS_KEPT_MS } from "../../../src/limits/records.ts";
import { planIngest } from "../../../src/records/ingest/plan.ts";
import { writeStatements } from "../../../src/records/store/ingest-statements.ts";
import { IngestStore } from "../../../src/records/store/ingest-store.ts";
import { ManifestCache } from "../../../src/records/grant/manifest-cache.ts";
import { ManifestStore } from "../../../src/records/store/manifest-store.ts";
import { freshNotes, broken, feedState, note, notesManifest, NOW_MS, rows, write } from "./ingest-rig.ts";

beforeEach(freshNotes);

describe("a batch of lines", () => {
  it("writes versions, live rows in typed columns, and search documents", async () => {
    const report = await write([
      `{"key":"a","emitted_at":"2026-01-02T00:00:00Z","data":{"id":"a","title":"Two words","at":"2026-01-01T10:00:00+01:00","size":12345678901234567,"price":1.10,"done":true}}`,
      note("b", { title: null, size: 1.5, at: "tomorrow" }),
    ]);
    expect(report).toEqual([
      { line: 1, status: "created" },
      { line: 2, status: "created" },
    ]);
    const [a, b] = await rows(
      "SELECT record_key, version, cursor_value, consent_time, t1, t2, t3, CAST(n1 AS TEXT) AS n1, n2, d1 FROM records ORDER BY record_key",
    );
    expect(a).toEqual({
      record_key: "a",
      version: 1,
      cursor_value: "2026-01-01T09:00:00",
      consent_time: "2026-01-01T09:00:00",
      t1: "a",
      t2: "Two words",
      t3: "true",
      n1: "12345678901234567",
      n2: 1.1,
      d1: "2026-01-01T09:00:00",
    });
    expect(b).toMatchObject({ cursor_value: null, consent_time: null, t2: null, n1: null, d1: null });
    expect(await rows("SELECT data FROM record_versions WHERE version = 1")).toEqual([
      {
        data: `{"id":"a","title":"Two words","at":"2026-01-01T10:00:00+01:00","size":12345678901234567,"price":1.10,"done":true}`,
      },
    ]);
    expect(await rows("SELECT record_key, term_count FROM record_documents")).toEqual([
      { record_key: "a", term_count: 2 },
    ]);
    expect(await rows("SELECT head_version, record_count, last_emitted_at FROM record_feeds")).toEqual([
      { head_version: 2, record_count: 2, last_emitted_at: "2026-01-02T00:00:00Z" },
    ]);
    expect(await broken()).toEqual([]);
  });

  it("writes nothing twice, whatever it held", async () => {
    const batch = [
      note("a"),
      note("a", { title: "new" }),
      note("b"),
      { key: "b", deleted: true },
      { key: "c", deleted: true },
    ];
    expect((await write(batch)).map(({ status }) => status)).toEqual([
      "created",
      "updated",
      "created",
      "deleted",
      "absent",
    ]);
    const before = await rows("SELECT * FROM record_versions");
    expect((await write(batch)).map(({ status }) => status)).toEqual([
      "unchanged",
      "unchanged",
      "unchanged",
      "absent",
      "absent",
    ]);
    expect(await rows("SELECT * FROM record_versions")).toEqual(before);
    expect(before).toHaveLength(4);
    expect(await broken()).toEqual([]);
  });

  it("keeps a tombstone of what is deleted, and takes its row and documents away", async () => {
    await write([note("a", { title: "word" })]);
    await write([{ key: "a", deleted: true, emitted_at: "2026-03-01T00:00:00Z" }]);
    expect(await rows("SELECT * FROM records")).toEqual([]);
    expect(await rows("SELECT * FROM record_documents")).toEqual([]);
    expect(await rows("SELECT deleted, data, emitted_at FROM record_versions WHERE version = 2")).toEqual([
      { deleted: 1, data: null, emitted_at: "2026-03-01T00:00:00Z" },
    ]);
    expect((await write([note("a", { title: "word" })]))[0]?.status).toBe("created");
    expect(await broken()).toEqual([]);
  });

  it("of twenty at once loses nothing and leaves no hole", async () => {
    const batches = Array.from({ length: 20 }, (_, batch) =>
      Array.from({ length: 25 }, (__, index) =>
        note(`${index % 5 === 0 ? "shared" : batch}-${index}`, { title: `t${batch}` }),
      ),
    );
    await Promise.all(batches.map((batch) => write(batch)));
    expect(await rows("SELECT count(*) AS n FROM records")).toEqual([{ n: 20 * 20 + 5 }]);
    expect(await rows("SELECT head_version FROM record_feeds")).toEqual([{ head_version: 500 }]);
    expect(await broken()).toEqual([]);
  });

  it("that fails leaves nothing, and can be sent again", async () => {
    await write([note("a")]);
    const store = new IngestStore(env.DB, new ManifestCache());
    const state = await feedState("a");
    const plan = {
      report: [],
      versions: [],
      superseded: [],
      replacedKeys: [],
      rows: [],
      documents: [],
      headVersion: 2,
      lastEmittedAt: null,
      countChange: 5,
    };
    expect(await store.write({ ...state, headVersion: 0 }, plan, new Map(), NOW_MS)).toBe("moved");
    expect(await store.write({ ...state, manifestHash: "another" }, plan, new Map(), NOW_MS)).toBe("moved");
    expect(await rows("SELECT head_version, record_count FROM record_feeds")).toEqual([
      { head_version: 1, record_count: 1 },
    ]);
  });
});

describe("the statements of a batch", () => {
  it("find every row by an index, so that a batch costs what it writes", async () => {
    await write([note("a", { title: "word" }), note("b")]);
    const state = await feedState("a");
    const line = {
      kind: "data",
      line: 1,
      key: "a",
      emittedAt: "2026-02-01",
      data: { title: "x" },
      text: "{}",
      bytes: 2,
      hash: "h",
    } as const;
    const plan = planIngest({ ...state, lines: [line], nowMs: NOW_MS });
    const prunable = [{ id: 1, supersededBy: 1, objectKey: null }];
    const statements = writeStatements({ ...state, prunable }, plan, new Map(), NOW_MS);
    expect(statements).toHaveLength(10);
    for (const { sql, values } of statements) {
      const steps = await rows(`EXPLAIN QUERY PLAN ${sql}`, ...values);
      for (const { detail } of steps) {
        expect(detail).not.toMatch(
          /^SCAN (?!json_each|j |record_terms VIRTUAL TABLE INDEX 0:=)|\(feed_id=\?\)/,
        );
      }
    }
  });
});

describe("any sequence of batches, some at once", () => {
  it("ends as a map would, with versions 1 to n", async () => {
    const line = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.tuple(fc.constantFrom("a", "b", "__proto__"), fc.constantFrom("one", "two words", "")),
      },
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom("a", "b", "__proto__"), fc.constant(null)) },
    );
    const batch = fc.array(line, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(batch, { maxLength: 4 }),
        fc.array(batch, { maxLength: 3 }),
        async (all, atOnce) => {
          await freshNotes();
          const model = new Map<string, string>();
          const linesOf = (items: readonly (readonly [string, string | null])[]) =>
            items.map(([key, title]) => (title === null ? { key, deleted: true } : note(key, { title })));
          for (const items of all) {
            await write(linesOf(items));
            for (const [key, title] of items)
              if (title === null) model.delete(key);
              else model.set(key, title);
          }
          const live = await rows(
            "SELECT r.record_key, v.data FROM records r JOIN record_versions v ON v.feed_id = r.feed_id AND v.version = r.version",
          );
          expect(
            new Map(
              live.map((row) => [row["record_key"], memberOf(JSON.parse(String(row["data"])), "title")]),
            ),
          ).toEqual(model);
          await Promise.all(atOnce.map((items) => write(linesOf(items))));
          expect(await broken()).toEqual([]);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe("a body over the row's limit", () => {
  const large = { text: "ä".repeat(200_000) };

  it("lies in the bucket, with its scalars in the row", async () => {
    await write([note("a", { ...large, size: 7 })]);
    const [row] = await rows("SELECT data, data_object, data_bytes FROM record_versions");
    const key = String(row?.["data_object"]);
    expect(key).toMatch(/^records\/\d+\/[0-9a-f]{64}\//);
    expect(row?.["data"]).toBe("{}");
    const object = await env.ARTIFACTS.get(key);
    expect(JSON.parse((await object?.text()) ?? "")).toMatchObject(large);
    expect((await write([note("a", { ...large, size: 7 })]))[0]?.status).toBe("unchanged");
    expect((await env.ARTIFACTS.list({ prefix: "records/" })).objects).toHaveLength(1);
  });

  it("is uploaded once for a batch that is planned anew, and goes when it is not written", async () => {
    const store = new IngestStore(env.DB, new ManifestCache());
    let moves = 0;
    const moving = {
      state: store.state.bind(store),
      write: async () => {
        moves += 1;
        return "moved" as const;
      },
    };
    await expect(write([note("a", large)], { store: moving })).rejects.toThrow("busy");
    expect(moves).toBeGreaterThan(1);
    expect((await env.ARTIFACTS.list()).objects).toEqual([]);
  });
});

describe("a connection that is cut after the batch was written", () => {
  it("leaves the batch whole, and repeating it changes nothing and loses no body", async () => {
    const store = new IngestStore(env.DB, new ManifestCache());
    const cut = {
      state: store.state.bind(store),
      write: async (...call: Parameters<IngestStore["write"]>) => {
        await store.write(...call);
        throw new Error("Network connection lost");
      },
    };
    const lines = [note("a", { text: "x".repeat(300_000) }), note("b"), { key: "b", deleted: true }];
    await expect(write(lines, { store: cut })).rejects.toThrow("lost");
    expect((await write(lines)).map(({ status }) => status)).toEqual(["unchanged", "unchanged", "absent"]);
    expect(await rows("SELECT head_version FROM record_feeds")).toEqual([{ head_version: 3 }]);
    const [row] = await rows("SELECT data_object FROM record_versions WHERE data_object IS NOT NULL");
    expect((await env.ARTIFACTS.list()).objects.map(({ key }) => key)).toEqual([row?.["data_object"]]);
    expect(await broken()).toEqual([]);
  });
});

describe("a manifest that is loaded between a plan and its batch", () => {
  it("makes the batch be planned anew, by the new one", async () => {
    const store = new IngestStore(env.DB, new ManifestCache());
    let loads = 0;
    const overtaken = {
      state: store.state.bind(store),
      write: async (...call: Parameters<IngestStore["write"]>) => {
        loads += 1;
        if (loads === 1) {
          const swapped = notesManifest((stream) => ({ ...stream, cursor_field: "size" }));
          await new ManifestStore(env.DB).load(swapped, NOW_MS);
        }
        return store.write(...call);
      },
    };
    expect(await write([note("a", { size: 7 })], { store: overtaken })).toEqual([
      { line: 1, status: "created" },
    ]);
    expect([loads, await rows("SELECT cursor_value FROM records")]).toEqual([2, [{ cursor_value: 7 }]]);
  });
});

describe("old versions", () => {
  it("go with the next batch once nobody may come back to them, their objects too, and the floor says so", async () => {
    await write([note("a", { text: "x".repeat(300_000) }), note("b")]);
    await write([note("a", { title: "second" })]);
    const later = NOW_MS + RECORD_VERSIONS_KEPT_MS + 1;
    await write([note("b", { title: "third" })], { now: () => later });
    expect(await rows("SELECT version FROM record_versions ORDER BY version")).toEqual(
      [2, 3, 4].map((version) => ({ version })),
    );
    expect(await rows("SELECT floor_version, head_version FROM record_feeds")).toEqual([
      { floor_version: 3, head_version: 4 },
    ]);
    expect((await env.ARTIFACTS.list()).objects).toEqual([]);
  });
});

describe("a manifest that is loaded again", () => {
  const store = new ManifestStore(env.DB);

  it("makes feeds and scopes for new streams in every connection", async () => {
    const manifest = notesManifest();
    const more = {
      ...manifest,
      streams: [...manifest.streams, { ...Object(notesManifest().streams[0]), name: "more" }],
    };
    expect(await store.load(more, NOW_MS)).toMatchObject({ ok: true, value: { changed: true } });
    expect(await rows("SELECT stream FROM record_feeds ORDER BY id")).toEqual([
      { stream: "notes" },
      { stream: "more" },
    ]);
    expect(await rows("SELECT count(*) AS n FROM record_scopes")).toEqual([{ n: 2 }]);
    expect(await store.load(more, NOW_MS)).toMatchObject({ ok: true, value: { changed: false } });
  });

  it("may change everything of a stream without records, and not what grants of records go by", async () => {
    const other = notesManifest((stream) => ({ ...stream, consent_time_field: null }));
    expect(await store.load(other, NOW_MS)).toMatchObject({ ok: true, value: { isWaiting: false } });
    await write([note("a")]);
    expect(await store.load(notesManifest(), NOW_MS)).toEqual({
      ok: false,
      reason: {
        reason: "manifest_in_use",
        conflicts: [{ stream: "notes", message: "consent_time_field changes" }],
      },
    });
  });
});
