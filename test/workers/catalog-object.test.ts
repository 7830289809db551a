import { BUNDLED_CONFIG_TEXT } from "../../src/bundled-config.ts";
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { catalogObjectPort } from "../../src/catalog/reader/catalogs-store.ts";
import type { RefreshAnswer, RefreshReason } from "../../src/catalog/refresh/refresh-contract.ts";
import { SqlRefreshStore } from "../../src/catalog/refresh/refresh-store.ts";
import { contentHash, pointerKey, SnapshotStore } from "../../src/catalog/snapshot/snapshot-store.ts";
import { catalogSettings } from "../../src/catalog/refresh/settings.ts";
import { parseConfig } from "../../src/config.ts";
import {
  CATALOG_ROW_CHUNK_BYTES,
  CONFIG_KEPT_MS,
  GENERATION_KEPT_MS,
  REFRESH_COALESCE_MS,
} from "../../src/limits.ts";
import { type Listings, RefreshRig, settingsOf, tool } from "../support/catalog/rig.ts";
import { stubUpstreams } from "./upstreams.ts";
import { recordLog } from "./recorded-log.ts";
import { eventually } from "./patience.ts";
import { freshStorage } from "./fresh-storage.ts";

const object = catalogObjectPort(env.CATALOGS);
const stub = () => env.CATALOGS.getByName("catalog-1");

const configOf = (...names: string[]) =>
  JSON.stringify({
    mcpServers: Object.fromEntries(names.map((name) => [name, { url: `https://${name}.example.com/mcp` }])),
  });

const hashOf = (text: string) => {
  const config = parseConfig(text);
  const settings = config.ok ? catalogSettings(config.value) : config;
  if (!settings.ok) throw new Error("not a configuration");
  return settings.value.hash;
};

const upstreams = stubUpstreams();

const logged = recordLog();

afterEach(async () => {
  upstreams.reset();
  await freshStorage();
});

const sql = (query: string, ...bindings: SqlStorageValue[]) =>
  runInDurableObject(stub(), (_, state) => state.storage.sql.exec(query, ...bindings).toArray());

describe.each([
  ["in one life", false],
  ["with an eviction before every call", true],
])("the catalog's object, %s", (_, evict) => {
  const wake = async () => {
    if (evict) await abortAllDurableObjects();
  };
  const refresh = async (config: string, reason: RefreshReason = "operator"): Promise<RefreshAnswer> => {
    await wake();
    const answer = await object.refresh(reason, config);
    if (!answer.ok) throw new Error(answer.reason.detail);
    return answer.value;
  };
  const newest = async (config: string) => {
    await wake();
    const answer = await object.newest(hashOf(config));
    if (!answer.ok) throw new Error(answer.reason.detail);
    return answer.value;
  };

  it("lists, publishes and tells the newest; and without news makes no generation", async () => {
    upstreams.tools("one", [tool("a"), tool("b")]);
    const first = await refresh(configOf("one"));
    expect(first).toMatchObject({
      changed: true,
      pointer: { generation: 1 },
      servers: [{ name: "one", status: "ok", tools: 2 }],
    });
    expect(await newest(configOf("one"))).toEqual(first.pointer);
    expect(await refresh(configOf("one"))).toMatchObject({ changed: false, pointer: first.pointer });
    upstreams.tools("one", [tool("c")]);
    expect(await refresh(configOf("one"))).toMatchObject({ changed: true, pointer: { generation: 2 } });
    expect(await new SnapshotStore(env.CATALOG).pointer(hashOf(configOf("one")))).toEqual(
      await newest(configOf("one")),
    );
  });

  it("judges an unchanged definition once in all its lives", async () => {
    upstreams.tools("one", [tool("a"), tool("b")]);
    await refresh(configOf("one"));
    const before = await sql("SELECT rowid FROM judgements ORDER BY rowid");
    await refresh(configOf("one"));
    expect(await sql("SELECT rowid FROM judgements ORDER BY rowid")).toEqual(before);
    upstreams.tools("one", [tool("a"), tool("b"), tool("c")]);
    await refresh(configOf("one"));
    expect(await sql("SELECT rowid FROM judgements ORDER BY rowid")).toEqual([...before, { rowid: 3 }]);
  });

  it("keeps the last good tools of a server that fails, and tells no secret of why", async () => {
    const config = JSON.stringify({
      mcpServers: {
        one: {
          url: "https://one.example.com/mcp",
          headers: { "X-Key": "${env:LOOMGATE_KEY}" },
        },
        two: { url: "https://two.example.com/mcp", headers: { A: "${env:NOT_SET_ANYWHERE}" } },
      },
    });
    upstreams.tools("one", [tool("a")]);
    await refresh(config);
    upstreams.fails("one", () => new Response(env.LOOMGATE_KEY, { status: 500 }));
    const answer = await refresh(config);
    expect(answer.servers).toEqual([
      {
        name: "one",
        status: "stale",
        tools: 1,
        skipped: [],
        findings: [],
        reason: "the upstream server answered with HTTP status 500",
      },
      {
        name: "two",
        status: "failed",
        tools: 0,
        skipped: [],
        findings: [],
        reason:
          "the configuration is not usable: mcpServers.two.headers.A: the environment variable NOT_SET_ANYWHERE is not set",
      },
    ]);
    const log = logged.lines.join("\n");
    expect(log).toContain("one: the upstream server answered");
    expect(log + JSON.stringify(answer)).not.toContain(env.LOOMGATE_KEY);
  });

  it("gives a server that hangs its own deadline, and the others their place", async () => {
    upstreams.fails("one", () => new Promise(() => undefined));
    upstreams.tools("two", [tool("b")]);
    const config = JSON.stringify({
      mcpServers: {
        one: { url: "https://one.example.com/mcp", timeout_ms: 50 },
        two: { url: "https://two.example.com/mcp" },
      },
    });
    expect((await refresh(config)).servers).toMatchObject([
      { status: "failed", tools: 0, reason: "the upstream server did not answer in time" },
      { status: "ok", tools: 1 },
    ]);
  });

  it("serves configurations of two deployments side by side", async () => {
    upstreams.tools("one", [tool("a")]);
    upstreams.tools("two", [tool("b")]);
    const [blue, green] = [configOf("one"), configOf("one", "two")];
    await refresh(blue);
    await refresh(green);
    const [left, right] = [await newest(blue), await newest(green)];
    expect(left?.hash).not.toBe(right?.hash);
    expect(right?.generation).toBe(2);
    upstreams.tools("one", [tool("a2")]);
    await wake();
    await refresh(blue);
    expect((await newest(blue))?.generation).toBeGreaterThan(2);
    expect((await newest(green))?.hash).toBe(right?.hash);
  });

  it("contacts no server by alarm that its own configuration does not name", async () => {
    upstreams.tools("one", [tool("a")]);
    await refresh(configOf("one"));
    const before = upstreams.seen.length;
    await wake();
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    expect(upstreams.seen).toHaveLength(before);
  });

  it("ends every session that it opened", async () => {
    upstreams.tools("one", [tool("a")]);
    await refresh(configOf("one"));
    expect(upstreams.seen.map(({ method, rpc }) => rpc || method)).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/list",
      "DELETE",
    ]);
  });

  it("gives content that KV does not show, with the hash that was asked for", async () => {
    const big = { pad: "x".repeat(CATALOG_ROW_CHUNK_BYTES / 8) };
    upstreams.tools(
      "one",
      Array.from({ length: 12 }, (_, at) => tool(`t${at}`, { _meta: big })),
    );
    await refresh(configOf("one"));
    const names = (await env.CATALOG.list()).keys.map(({ name }) => name);
    const contents = names.filter((name) => /^(?:snapshot|shard):/.test(name));
    expect(contents.length).toBeGreaterThan(3);
    for (const name of contents) {
      const [kind, , hash] = name.split(":");
      await wake();
      const kept = await object.content(kind === "shard" ? "shard" : "snapshot", hash ?? "");
      const bytes = kept.ok ? kept.value : null;
      expect(bytes === null ? "" : await contentHash(bytes)).toBe(hash);
    }
    await wake();
    expect(await object.content("snapshot", "0".repeat(64))).toEqual({ ok: true, value: null });
  });

  it("keeps no row near the platform's bound", async () => {
    upstreams.tools("one", [tool("fat", { _meta: { pad: "x".repeat(1_500_000) } })]);
    expect(await refresh(configOf("one"))).toMatchObject({ servers: [{ tools: 1 }] });
    const [definition] = await sql("SELECT max(length(json)) AS most FROM definitions");
    const [chunk] = await sql("SELECT max(length(bytes)) AS most FROM chunks");
    expect(definition?.["most"]).toBeLessThan(1_600_000);
    expect(chunk?.["most"]).toBeLessThanOrEqual(CATALOG_ROW_CHUNK_BYTES);
  });

  it("refuses a configuration that it cannot use, by key", async () => {
    const clash = JSON.stringify({
      mcpServers: { A: { url: "https://a.example.com" }, a: { url: "https://b.example.com" } },
    });
    expect(await refresh(clash)).toMatchObject({
      pointer: null,
      problems: [expect.stringContaining("mcpServers.a")],
    });
    expect(await refresh("{")).toMatchObject({ pointer: null, servers: [] });
    expect((await refresh("{".repeat(2_000_000))).problems).toHaveLength(1);
  });
});

describe("the catalog's object", () => {
  it("lists once for all who ask while it does", async () => {
    const open = upstreams.holds("one", [tool("a")]);
    const asked = Array.from({ length: 5 }, () => object.refresh("operator", configOf("one")));
    await eventually(() => {
      expect(upstreams.seen).toHaveLength(1);
    });
    open();
    const answers = await Promise.all(asked);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(upstreams.seen.filter(({ rpc }) => rpc === "tools/list")).toHaveLength(1);
  });

  it("answers a first use with any catalog, and others from a run that has just ended", async () => {
    upstreams.tools("one", [tool("a")]);
    await object.refresh("first_use", configOf("one"));
    const listed = upstreams.seen.length;
    for (const reason of ["first_use", "unknown_tool", "interval"] as const) {
      expect(await object.refresh(reason, configOf("one"))).toMatchObject({
        ok: true,
        value: { changed: false, pointer: { generation: 1 }, servers: [{ name: "one" }] },
      });
    }
    expect(upstreams.seen).toHaveLength(listed);
    await sql("UPDATE configs SET refreshed_at_ms = refreshed_at_ms - ?", REFRESH_COALESCE_MS);
    await object.refresh("first_use", configOf("one"));
    expect(upstreams.seen).toHaveLength(listed);
    await object.refresh("unknown_tool", configOf("one"));
    expect(upstreams.seen.length).toBeGreaterThan(listed);
  });

  it("refreshes by alarm, and sets the next one first", async () => {
    upstreams.tools("one", [tool("a")]);
    await object.refresh("operator", configOf("one"));
    // Before that the alarm is set for what the ledger has not answered for.
    await eventually(async () => {
      expect(await sql("SELECT acknowledged FROM outbox_source")).toEqual([{ acknowledged: 1 }]);
    });
    for (let round = 0; round < 2; round += 1) {
      const before = Date.now();
      expect(await runDurableObjectAlarm(stub())).toBe(true);
      const alarm = await runInDurableObject(stub(), (_, state) => state.storage.getAlarm());
      expect(alarm).toBeGreaterThanOrEqual(before + 300_000);
    }
    const newest = await object.newest(hashOf(BUNDLED_CONFIG_TEXT));
    expect(newest.ok ? newest.value?.generation : 0).toBeGreaterThan(1);
  });

  it("does not wait out a longer interval than the configuration's", async () => {
    await runInDurableObject(stub(), (_, state) => state.storage.setAlarm(Date.now() + 86_400_000));
    await object.refresh("operator", configOf("one"));
    const alarm = await runInDurableObject(stub(), (_, state) => state.storage.getAlarm());
    expect(alarm).toBeLessThanOrEqual(Date.now() + 300_000);
  });

  it("has only what is meant to be called from outside", async () => {
    const names = await runInDurableObject(stub(), (instance) => {
      const own = Object.getOwnPropertyNames(instance);
      const inherited = Object.getOwnPropertyNames(Object.getPrototypeOf(Object.getPrototypeOf(instance)));
      return [...own, ...inherited].filter((name) => !["constructor", "ctx", "env"].includes(name)).sort();
    });
    expect(names).toEqual(["alarm", "content", "move", "newest", "refresh"]);
  });
});

/** Refreshes over the object's real SQLite, KV faked, time in hand. */
const withSql = (test: (rig: RefreshRig) => Promise<void>) =>
  runInDurableObject(stub(), async (_, state) => {
    const store = new SqlRefreshStore(state.storage.sql);
    store.rememberConfig(settings.hash, 1_000_000);
    await test(new RefreshRig(store));
  });

const settings = settingsOf({ alpha: {}, beta: {} });

describe("what is kept in SQLite", () => {
  const listings = (version: string): Listings => ({
    alpha: [tool("a1"), tool("a2", { description: version })],
    beta: [tool("b1")],
  });

  it("survives a run that ends at any write", async () => {
    for (let nth = 1; nth <= 4; nth += 1) {
      await freshStorage();
      await withSql(async (rig) => {
        const before = await rig.refresh(settings, listings("old"));
        rig.kv.failAtWrite = nth;
        const broken = await rig.refresh(settings, listings("new"));
        expect(broken.unfinished).toBe(true);
        expect(broken.pointer?.generation).toBe(nth < 4 ? 1 : 2);
        rig.kv.failAtWrite = Number.POSITIVE_INFINITY;
        const after = await rig.refresh(settings, listings("new"));
        expect(after.unfinished).toBe(false);
        expect(after.pointer?.generation).toBeGreaterThan(before.pointer?.generation ?? 0);
        const pointer = rig.kv.values.get(pointerKey(settings.hash));
        expect(JSON.parse(new TextDecoder().decode(pointer))).toEqual(after.pointer);
      });
    }
  });

  it("is deleted a day after nothing refers to it, what is shared stays, and so does KV", async () => {
    await withSql(async (rig) => {
      await rig.refresh(settings, listings("one"));
      const first = new Set(rig.kv.values.keys());
      await rig.refresh(settings, listings("two"));
      const both = [...rig.kv.values.keys()];
      await rig.refresh(settings, listings("two"));
      expect([...rig.kv.values.keys()]).toEqual(both);
      rig.clock.nowMs += GENERATION_KEPT_MS;
      await rig.refresh(settings, listings("two"));
      const left = [...rig.kv.values.keys()];
      expect(left.filter((key) => first.has(key))).toEqual([pointerKey(settings.hash)]);
      expect(left).toHaveLength(4);
    });
  });

  it("leaves nothing in KV of a run that never published", async () => {
    await withSql(async (rig) => {
      rig.kv.failAtWrite = 2;
      await rig.refresh(settings, listings("lost"));
      rig.kv.failAtWrite = Number.POSITIVE_INFINITY;
      expect(rig.kv.values.size).toBe(1);
      await rig.refresh(settings, listings("one"));
      expect(rig.kv.values.size).toBe(4);
    });
  });

  it("forgets judgements and definitions that no listing has", async () => {
    await runInDurableObject(stub(), async (_, state) => {
      const rig = new RefreshRig(new SqlRefreshStore(state.storage.sql));
      const count = (table: string) =>
        state.storage.sql.exec(`SELECT count(*) AS n FROM ${table}`).one()["n"];
      await rig.refresh(settings, listings("one"));
      await rig.refresh(settings, listings("two"));
      expect([count("judgements"), count("definitions")]).toEqual([3, 3]);
      const other = settingsOf({ gamma: {} });
      rig.clock.nowMs += CONFIG_KEPT_MS;
      await rig.refresh(other, { gamma: [tool("g")] });
      expect([count("judgements"), count("definitions"), count("listings")]).toEqual([1, 1, 1]);
    });
  });

  it("reads a large catalog back: each definition, and each shard's text again", async () => {
    await runInDurableObject(stub(), async (_, state) => {
      const store = new SqlRefreshStore(state.storage.sql);
      store.rememberConfig(settings.hash, 1_000_000);
      const rig = new RefreshRig(store);
      const pad = { pad: "x".repeat(3_900) };
      const tools = Array.from({ length: 1_000 }, (_unused, at) => tool(`tool_${at}`, { _meta: pad }));
      expect(await rig.refresh(settings, { alpha: tools })).toMatchObject({
        servers: [{ tools: 1_000 }, {}],
      });
      const shards = [...rig.kv.values].filter(([key]) => key.startsWith("shard:"));
      expect(shards.length).toBeGreaterThan(10);
      for (const [key, bytes] of shards) {
        const kept = store.content("shard", key.slice(key.lastIndexOf(":") + 1));
        expect(kept?.length).toBe(bytes.length);
      }
    });
  });
});
