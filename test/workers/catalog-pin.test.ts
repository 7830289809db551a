import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { catalogObjectPort } from "../../src/catalog/reader/catalogs-store.ts";
import { SqlRefreshStore } from "../../src/catalog/refresh/refresh-store.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { CONFIG_KEPT_MS } from "../../src/limits.ts";
import { type Listings, RefreshRig, settingsOf, tool } from "../support/catalog/rig.ts";
import { OPERATOR, send } from "./http/client.ts";
import { recordLog } from "./recorded-log.ts";
import { stubUpstreams } from "./upstreams.ts";
import { eventually } from "./patience.ts";
import { freshStorage } from "./fresh-storage.ts";

const upstreams = stubUpstreams();
const logged = recordLog();
const operator = { headers: { Authorization: `Bearer ${OPERATOR}` } };

afterEach(async () => {
  upstreams.reset();
  await freshStorage();
});

const HASH = /^[0-9a-f]{64}$/;

/** One deployment: its servers, and the pin of its configuration. What an isolate knows of another test's stays its own. */
function deployment(names: readonly string[], pin: object | null = null) {
  const servers = Object.fromEntries(names.map((name) => [name, { url: `https://${name}.example.com/mcp` }]));
  const config = JSON.stringify({ mcpServers: servers, gateway: { pin } });
  const ask = async (path: string, method: string) => {
    const response = await send(path, { method, ...operator }, { LOOMGATE_CONFIG: config });
    const body: unknown = await response.json();
    return { status: response.status, body };
  };
  return {
    refresh: async () => (await ask("/admin/refresh", "POST")).body,
    catalog: () => ask("/admin/catalog", "GET"),
  };
}

const hashIn = (body: unknown): string => {
  const hash = memberOf(body, "hash");
  return typeof hash === "string" ? hash : "";
};

describe.each(["warn", "strict"] as const)("a pin (%s) copied from what the operator is shown", (mode) => {
  it("matches on the next refresh, whichever of the two places it was read from", async () => {
    const names = [`round-${mode}`, `trip-${mode}`];
    upstreams.tools(names[0] ?? "", [tool("b"), tool("a")]);
    upstreams.tools(names[1] ?? "", [tool("c", { annotations: { readOnlyHint: true } })]);
    const free = deployment(names);
    const refreshed = await free.refresh();
    const shown = await free.catalog();
    expect(hashIn(refreshed)).toMatch(HASH);
    expect(hashIn(shown.body)).toBe(hashIn(refreshed));
    expect(refreshed).not.toHaveProperty("pin");
    const hash = hashIn(shown.body);
    const pinned = deployment(names, { hash, mode });
    expect(await pinned.refresh()).toMatchObject({
      hash,
      pin: { mode, expected: hash, actual: hash, matches: true },
    });
    expect((await pinned.catalog()).body).toMatchObject({ hash, tools: [{}, {}, {}] });
    expect(logged.lines).toEqual([]);
  });

  it("matches whichever server answers first, and in an object that woke up since", async () => {
    const names = [`first-${mode}`, `second-${mode}`];
    upstreams.tools(names[0] ?? "", [tool("a")]);
    upstreams.tools(names[1] ?? "", [tool("b")]);
    const hash = hashIn(await deployment(names).refresh());
    await abortAllDurableObjects();
    upstreams.tools(names[1] ?? "", [tool("b")]);
    const open = upstreams.holds(names[0] ?? "", [tool("a")]);
    const refreshing = deployment(names, { hash, mode }).refresh();
    await eventually(() => {
      expect(upstreams.seen.some(({ host, rpc }) => host === names[1] && rpc === "tools/list")).toBe(true);
    });
    open();
    expect(await refreshing).toMatchObject({ hash, pin: { matches: true } });
  });
});

describe("a pin that another catalog breaks", () => {
  it("warns: publishes it, and says so in the report and the log", async () => {
    upstreams.tools("warned", [tool("a")]);
    const hash = hashIn(await deployment(["warned"]).refresh());
    upstreams.tools("warned", [tool("a", { description: "Now it does something else." })]);
    const pinned = deployment(["warned"], { hash, mode: "warn" });
    const body = await pinned.refresh();
    expect(body).toMatchObject({
      changed: true,
      diff: { added: [], removed: [], changed: [{ change: "wording" }], replaced: [] },
      pin: { mode: "warn", expected: hash, actual: hashIn(body), matches: false },
    });
    expect(body).not.toHaveProperty("failure");
    expect((await pinned.catalog()).body).toMatchObject({ hash: hashIn(body) });
    expect(logged.lines.filter((line) => line.includes("does not match gateway.pin"))).toHaveLength(1);
  });

  it("strict: serves what was pinned, through evictions, until it matches again", async () => {
    const tools = [tool("a"), tool("b")];
    upstreams.tools("held", tools);
    const hash = hashIn(await deployment(["held"]).refresh());
    const pinned = deployment(["held"], { hash, mode: "strict" });
    const first = await pinned.refresh();
    for (let version = 0; version < 3; version += 1) {
      upstreams.tools("held", [tool("a"), tool(`other_${version}`)]);
      await abortAllDurableObjects();
      expect(await pinned.refresh()).toMatchObject({
        generation: memberOf(first, "generation"),
        changed: false,
        hash,
        failure: "the catalog does not match gateway.pin",
        pin: { mode: "strict", matches: false },
        diff: {
          added: [expect.stringMatching(new RegExp(`^held:other_${version}#`))],
          removed: [expect.stringMatching(/^held:b#/)],
        },
      });
      expect((await pinned.catalog()).body).toMatchObject({
        hash,
        tools: [{ upstream_name: "a" }, { upstream_name: "b" }],
      });
    }
    upstreams.tools("held", tools);
    const again = await pinned.refresh();
    expect(again).toMatchObject({ changed: false, hash, pin: { matches: true } });
    expect(again).not.toHaveProperty("diff");
  });

  it("strict: serves nothing where nothing that matches was ever published", async () => {
    upstreams.tools("never", [tool("a")]);
    const [free, pinned] = [
      deployment(["never"]),
      deployment(["never"], { hash: "0".repeat(64), mode: "strict" }),
    ];
    expect(await free.refresh()).toMatchObject({ generation: 1 });
    const body = await pinned.refresh();
    expect(body).toMatchObject({ generation: 0, hash: null, changed: false, pin: { matches: false } });
    expect((await pinned.catalog()).status).toBe(503);
    // The way on: what was found, if it is what one wants.
    const actual = memberOf(memberOf(body, "pin"), "actual");
    const repinned = deployment(["never"], { hash: actual, mode: "strict" });
    expect(await repinned.refresh()).toMatchObject({ hash: actual, changed: true, pin: { matches: true } });
  });
});

describe("the refresh report", () => {
  it("names a large change whole, as far as reports go, and an answer that is shared tells it no second time", async () => {
    upstreams.tools("large", []);
    const free = deployment(["large"]);
    await free.refresh();
    upstreams.tools(
      "large",
      Array.from({ length: 620 }, (_, at) => tool(`t${at}`)),
    );
    const body = await free.refresh();
    const added = memberOf(memberOf(body, "diff"), "added");
    expect(isJsonArray(added) ? added.length : 0).toBe(500);
    expect(memberOf(memberOf(body, "diff"), "omitted")).toBe(120);
    const config = JSON.stringify({
      mcpServers: { large: { url: "https://large.example.com/mcp" } },
      gateway: { pin: null },
    });
    const shared = await catalogObjectPort(env.CATALOGS).refresh("unknown_tool", config);
    const answer = shared.ok ? shared.value : undefined;
    expect(answer).toMatchObject({ changed: false, hash: hashIn(body) });
    expect(answer).not.toHaveProperty("diff");
  });
});

const stub = () => env.CATALOGS.getByName("catalog-1");

describe("what the object keeps of a catalog, in SQLite", () => {
  const servers = { alpha: {}, beta: {} };
  const free = settingsOf(servers);
  const listings = (version: string): Listings => ({
    alpha: [tool("a1"), tool("a2", { description: version })],
    beta: [tool("b1")],
  });

  it("does not grow under a strict pin, and what is served can be read back whole", async () => {
    const hash = (await new RefreshRig().refresh(free, listings("pinned"))).facts?.fingerprint ?? "";
    const strict = settingsOf(servers, { pin: { hash, mode: "strict" } });
    await runInDurableObject(stub(), async (_, state) => {
      const store = new SqlRefreshStore(state.storage.sql);
      store.rememberConfig(strict.hash, 1_000_000);
      const rig = new RefreshRig(store);
      const rows = (table: string) => state.storage.sql.exec(`SELECT count(*) AS n FROM ${table}`).one()["n"];
      const { pointer } = await rig.refresh(strict, listings("pinned"));
      for (let version = 0; version < 5; version += 1) {
        const outcome = await rig.refresh(strict, listings(`drift ${version}`));
        expect(outcome).toMatchObject({
          changed: false,
          pointer,
          diff: { changed: [{ change: "wording" }] },
        });
        expect([rows("judgements"), rows("definitions"), rows("generations")]).toEqual([4, 4, 1]);
      }
      const contents = [...rig.kv.values].filter(([key]) => /^(?:snapshot|shard):/.test(key));
      expect(contents).toHaveLength(2);
      for (const [key, bytes] of contents) {
        const [kind, , hash] = key.split(":");
        expect(store.content(kind === "shard" ? "shard" : "snapshot", hash ?? "")).toEqual(bytes);
      }
      await rig.refresh(strict, listings("pinned"));
      expect([rows("judgements"), rows("definitions")]).toEqual([3, 3]);
    });
  });

  it("goes with the configuration that nobody asks for any more", async () => {
    await runInDurableObject(stub(), async (_, state) => {
      const store = new SqlRefreshStore(state.storage.sql);
      const rig = new RefreshRig(store);
      const names = () =>
        state.storage.sql
          .exec("SELECT DISTINCT name FROM chunks WHERE name LIKE 'inventory:%' ORDER BY name")
          .toArray()
          .map(({ name }) => name);
      store.rememberConfig(free.hash, rig.clock.nowMs);
      await rig.refresh(free, listings("one"));
      expect(names()).toEqual([`inventory:${free.hash}`]);
      const other = settingsOf({ gamma: {} });
      rig.clock.nowMs += CONFIG_KEPT_MS;
      store.rememberConfig(other.hash, rig.clock.nowMs);
      await rig.refresh(other, { gamma: [tool("g")] });
      expect(names()).toEqual([`inventory:${other.hash}`]);
    });
  });

  it("is brought up from what the version before left, without a word of what changed", async () => {
    upstreams.tools("older", [tool("a"), tool("b")]);
    const free = deployment(["older"]);
    const first = await free.refresh();
    await runInDurableObject(stub(), (_, state) => {
      for (const statement of [
        "ALTER TABLE generations DROP COLUMN facts",
        "ALTER TABLE generations DROP COLUMN parts",
        "DROP TABLE outbox",
        "DROP TABLE outbox_source",
        "DELETE FROM chunks WHERE name LIKE 'inventory:%'",
        "DROP TABLE targets",
        "DROP TABLE rollouts",
        "DROP TABLE rejections",
        "DELETE FROM schema_migrations WHERE version >= 2",
      ])
        state.storage.sql.exec(statement);
    });
    await abortAllDurableObjects();
    upstreams.tools("older", [tool("a"), tool("b")]);
    const same = await free.refresh();
    expect(same).toMatchObject({ generation: 1, changed: false, hash: hashIn(first) });
    expect(same).not.toHaveProperty("diff");
    upstreams.tools("older", [tool("a")]);
    expect(await free.refresh()).toMatchObject({ diff: { removed: [expect.stringMatching(/^older:b#/)] } });
    await runInDurableObject(stub(), (_, state) => {
      state.storage.sql.exec("UPDATE generations SET facts = NULL");
    });
    upstreams.tools("older", [tool("c")]);
    const unknown = await free.refresh();
    expect(unknown).toMatchObject({ changed: true });
    expect(hashIn(unknown)).toMatch(HASH);
    expect(unknown).not.toHaveProperty("diff");
  });
});
