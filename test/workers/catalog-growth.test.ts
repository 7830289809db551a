import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { catalogObjectPort } from "../../src/catalog/reader/catalogs-store.ts";
import { SqlRefreshStore } from "../../src/catalog/refresh/refresh-store.ts";
import { openSnapshot } from "../../src/catalog/snapshot/open-snapshot.ts";
import { neighbourSource } from "../../src/http/neighbour-source.ts";
import { SNAPSHOT_FORMAT } from "../../src/catalog/snapshot/snapshot.ts";
import { DEFINITIONS_JUDGED_AT_ONCE_COUNT, GENERATION_KEPT_MS } from "../../src/limits.ts";
import { stem } from "../../src/routing/text/stem.ts";
import { RefreshRig, settingsOf, tool } from "../support/catalog/rig.ts";
import { recordLog } from "./recorded-log.ts";
import { stubUpstreams } from "./upstreams.ts";
import { freshStorage } from "./fresh-storage.ts";

const settings = settingsOf({ alpha: {}, beta: {} });
const stub = () => env.CATALOGS.getByName("catalog-1");
const upstreams = stubUpstreams();
const logged = recordLog();

afterEach(async () => {
  upstreams.reset();
  await freshStorage();
});

/** Refreshes over the object's real SQLite, KV faked. */
const withSql = (test: (rig: RefreshRig, store: SqlRefreshStore, sql: SqlStorage) => Promise<void>) =>
  runInDurableObject(stub(), async (_, state) => {
    const store = new SqlRefreshStore(state.storage.sql);
    store.rememberConfig(settings.hash, 1_000_000);
    await test(new RefreshRig(store), store, state.storage.sql);
  });

const many = Array.from({ length: 300 }, (_, at) => tool(`tool_${at}`, { description: `Opens door ${at}.` }));

describe("a catalog that grows in SQLite", () => {
  it("has the bytes of one that was built at once, in each step, and keeps the newest alone", async () => {
    const steps = [
      many,
      many.slice(20),
      many.with(7, tool("tool_7", { description: "Shuts." })),
      [tool("only")],
    ];
    const hashes: (string | undefined)[] = [];
    await withSql(async (rig, store, sql) => {
      for (const alpha of steps) {
        const { pointer } = await rig.refresh(settings, { alpha, beta: [tool("b")] });
        hashes.push(pointer?.hash);
        expect(store.savedSnapshot(pointer?.hash ?? "")?.keys).toHaveLength(alpha.length + 1);
        const names = sql
          .exec("SELECT DISTINCT name FROM chunks WHERE name LIKE '%snapshot:%' ORDER BY name")
          .toArray();
        expect(names.map(({ name }) => (typeof name === "string" ? name : "").split(":").at(-1))).toEqual([
          pointer?.hash,
          pointer?.hash,
        ]);
      }
    });
    for (const [at, alpha] of steps.entries()) {
      await freshStorage();
      await withSql(async (rig) => {
        const { pointer } = await rig.refresh(settings, { alpha, beta: [tool("b")] });
        expect(pointer?.hash).toBe(hashes[at]);
      });
    }
  });

  it("keeps, replaces and collects what the other kinds need", async () => {
    const of = (uris: readonly string[]) => uris.map((uri) => ({ uri, name: uri }));
    await withSql(async (rig, store, sql) => {
      const contents = () => [
        ...new Set(
          sql
            .exec("SELECT name FROM chunks WHERE name LIKE 'snapshot:%'")
            .toArray()
            .map(({ name }) => (typeof name === "string" ? name : "").split(":").at(-1)),
        ),
      ];
      const lists = (resources: readonly string[], prompts: readonly string[]) => ({
        alpha: { tools: [tool("a")], resources: of(resources), prompts: prompts.map((name) => ({ name })) },
        beta: [tool("b")],
      });
      const first = await rig.refresh(settings, lists(["a://1", "a://2"], ["p"]));
      const { pointer } = first;
      expect(new Set(contents())).toEqual(
        new Set([pointer?.hash, pointer?.kinds?.resource, pointer?.kinds?.prompt]),
      );
      expect(store.published(settings.hash)?.parts?.kinds.resource?.contents).toHaveLength(2);
      expect((await rig.refresh(settings, lists(["a://2", "a://1"], ["p"]))).changed).toBe(false);
      const next = await rig.refresh(settings, lists(["a://2"], []));
      expect(next.pointer?.hash).toBe(pointer?.hash);
      expect(new Set(contents())).toEqual(new Set([pointer?.hash, next.pointer?.kinds?.resource]));
      for (const key of store.published(settings.hash)?.contents ?? [])
        expect(rig.kv.values.has(key)).toBe(true);
      rig.clock.nowMs += GENERATION_KEPT_MS;
      store.rememberConfig(settings.hash, rig.clock.nowMs);
      await rig.refresh(settings, lists(["a://2"], []));
      expect([...rig.kv.values.keys()].filter((key) => key.startsWith("snapshot:"))).toHaveLength(2);
      expect(rig.kv.values.has(`snapshot:${SNAPSHOT_FORMAT}:${pointer?.kinds?.prompt ?? ""}`)).toBe(false);
      expect(sql.exec("SELECT count(*) AS n FROM judgements").one()["n"]).toBe(3);
    });
  });

  it("goes on from a listing that an older version kept, without its tools", async () => {
    await withSql(async (rig, store) => {
      const first = await rig.refresh(settings, { alpha: many, beta: [tool("b")] });
      const [alpha] = settings.servers;
      const listing = store.listing(alpha?.configured.source ?? "");
      if (listing === undefined) throw new Error("no listing");
      const { keys, skipped, findings, omitted } = listing;
      store.saveListing(alpha?.configured.source ?? "", { keys, skipped, findings, omitted }, 1);
      const lints = rig.lints;
      expect(await rig.refresh(settings, { alpha: "down", beta: [tool("b")] })).toMatchObject({
        pointer: { hash: first.pointer?.hash, stale: ["alpha"] },
        servers: [{ tools: many.length, status: "stale" }, {}],
      });
      expect(await rig.refresh(settings, { alpha: many, beta: [tool("b")] })).toMatchObject({
        changed: false,
      });
      expect(rig.lints).toBe(lints);
    });
  });

  it("is built anew where what was kept of the last snapshot is gone", async () => {
    await withSql(async (rig, store, sql) => {
      await rig.refresh(settings, { alpha: many });
      sql.exec("DELETE FROM chunks WHERE name LIKE 'keys:%'");
      const next = await rig.refresh(settings, { alpha: many.slice(1) });
      expect(next).toMatchObject({ changed: true, unfinished: false });
      expect(store.savedSnapshot(next.pointer?.hash ?? "")?.keys).toHaveLength(many.length - 1);
    });
  });
});

describe("the object while it refreshes", () => {
  it("answers others between two stretches of work", async () => {
    const tools = Array.from({ length: 6 * DEFINITIONS_JUDGED_AT_ONCE_COUNT }, (_, at) => tool(`t${at}`));
    upstreams.tools("growing", tools);
    const config = JSON.stringify({ mcpServers: { growing: { url: "https://growing.example.com/mcp" } } });
    const object = catalogObjectPort(env.CATALOGS);
    const order: string[] = [];
    const run = object.refresh("operator", config).then((answer) => {
      order.push("refreshed");
      return answer;
    });
    while (!upstreams.seen.some(({ rpc }) => rpc === "tools/list")) await object.newest("nothing");
    for (let asked = 0; asked < 3; asked += 1) {
      await object.newest("nothing");
      order.push("answered");
    }
    expect(await run).toMatchObject({ ok: true, value: { changed: true } });
    expect(order.slice(0, 3)).toEqual(["answered", "answered", "answered"]);
    expect(logged.lines).toEqual([]);
  });
});

describe("the deployment's neighbour table", () => {
  it("has a version that is told without reading it", async () => {
    const log: string[] = [];
    const source = neighbourSource(env.ASSETS, (text) => log.push(text));
    const version = await source.version();
    expect(version).toMatch(/^[0-9a-f]{16,}$/);
    expect(await source.version()).toBe(version);
    expect(log).toEqual([]);
  });

  it.each([
    ["is there", new Response(null, { status: 200, headers: { etag: '"abc"' } }), "abc"],
    ["is there, weakly named", new Response(null, { status: 200, headers: { etag: 'W/"abc"' } }), "abc"],
    ["is not there", new Response(null, { status: 404 }), "none"],
    ["has no name", new Response(null, { status: 200 }), undefined],
    ["has a strange name", new Response(null, { status: 200, headers: { etag: '"a b"' } }), undefined],
    ["cannot be asked for now", new Response(null, { status: 503 }), undefined],
  ])("that %s", async (_, response, version) => {
    expect(await neighbourSource({ fetch: async () => response }, () => undefined).version()).toBe(version);
  });

  it("that the binding fails to give is told to the log, and has no version", async () => {
    const log: string[] = [];
    const source = neighbourSource({ fetch: () => Promise.reject(new Error("away")) }, (text) =>
      log.push(text),
    );
    expect(await source.version()).toBeUndefined();
    expect(log).toHaveLength(1);
  });

  it("goes into the index that the object publishes", async () => {
    upstreams.tools("doors", [tool("open_folder", { description: "Opens a folder." })]);
    const config = JSON.stringify({ mcpServers: { doors: { url: "https://doors.example.com/mcp" } } });
    const object = catalogObjectPort(env.CATALOGS);
    const answer = await object.refresh("operator", config);
    if (!answer.ok) throw new Error(answer.reason.detail);
    const bytes = await object.content("snapshot", answer.value.pointer?.hash ?? "");
    const snapshot = openSnapshot(bytes.ok ? (bytes.value ?? new Uint8Array()) : new Uint8Array());
    if (!snapshot.ok) throw new Error(snapshot.reason.reason);
    const { index } = snapshot.value;
    const meant = index.neighbours(stem("directory")).map(({ term }) => index.term(term));
    expect(meant).toContain("folder");
  });
});
