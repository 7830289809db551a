import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CatalogCache } from "../../../src/catalog/reader/catalog-cache.ts";
import type { CatalogObjectPort } from "../../../src/catalog/reader/object-port.ts";
import { CatalogReader } from "../../../src/catalog/reader/reader.ts";
import { type CatalogKv, SnapshotStore } from "../../../src/catalog/snapshot/snapshot-store.ts";
import type { CatalogSettings } from "../../../src/catalog/refresh/settings.ts";
import { REFRESH_SERVERS_AT_ONCE_COUNT } from "../../../src/limits.ts";
import { fail } from "../../../src/result.ts";
import { type Listings, RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";

const TWO = settingsOf({ alpha: {}, beta: {} });
const LISTINGS: Listings = { alpha: [tool("a1"), tool("a2")], beta: [tool("b1")] };

const dead: CatalogObjectPort = {
  refresh: async () => fail({ reason: "catalog_unreachable", detail: "dead" }),
  move: async () => fail({ reason: "catalog_unreachable", detail: "dead" }),
  newest: async () => fail({ reason: "catalog_unreachable", detail: "dead" }),
  content: async () => fail({ reason: "catalog_unreachable", detail: "dead" }),
};

/** All that a fresh isolate sees with nothing but KV: the generation, and every tool with its definition. */
async function seenBy(kv: CatalogKv, settings: CatalogSettings) {
  const reader = new CatalogReader({
    cache: new CatalogCache(),
    kv: new SnapshotStore(kv),
    object: dead,
    config: { hash: settings.hash, text: "" },
    nowMs: () => 0,
    sleep: () => new Promise(() => undefined),
    background: () => undefined,
    log: () => undefined,
  });
  const catalog = await reader.current();
  if (!catalog.ok) return null;
  const tools = [];
  for (const each of catalog.value.page(undefined, 1_000, SEES_EVERYTHING).tools) {
    const definition = await catalog.value.definition(each);
    if (!definition.ok) throw new Error(definition.reason.detail);
    tools.push([each.id, each.stale, definition.value.definition]);
  }
  return { generation: catalog.value.version.generation, tools };
}

/** A promise and the way to end its waiting. */
function gate() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe("a refresh", () => {
  it("publishes what all servers list", async () => {
    const rig = new RefreshRig();
    const outcome = await rig.refresh(TWO, LISTINGS);
    expect(outcome).toMatchObject({
      changed: true,
      pointer: { generation: 1, stale: [] },
      unfinished: false,
    });
    expect(outcome.servers.map(({ name, status, tools }) => [name, status, tools])).toEqual([
      ["alpha", "ok", 2],
      ["beta", "ok", 1],
    ]);
    const seen = await seenBy(rig.kv, TWO);
    expect(seen?.tools.map(([, , definition]) => definition)).toEqual([tool("a1"), tool("a2"), tool("b1")]);
  });

  it("of an empty configuration publishes an empty catalog", async () => {
    const [rig, none] = [new RefreshRig(), settingsOf({})];
    expect(await rig.refresh(none, {})).toMatchObject({
      changed: true,
      pointer: { generation: 1 },
      servers: [],
    });
    expect(await seenBy(rig.kv, none)).toEqual({ generation: 1, tools: [] });
  });

  it("without news writes nothing, makes no generation, and neither counts nor lints", async () => {
    const rig = new RefreshRig();
    const first = await rig.refresh(TWO, LISTINGS);
    const [lints, operations] = [rig.lints, rig.kv.operations.length];
    const second = await rig.refresh(TWO, { alpha: [tool("a2"), tool("a1")], beta: [tool("b1")] });
    expect(second).toMatchObject({ changed: false, pointer: first.pointer });
    expect([rig.lints, rig.kv.operations.length]).toEqual([lints, operations]);
    // No second counter: what one counts by is not even read.
    expect(rig.usages.map(({ builds, counts }) => [builds, counts > 0])).toEqual([[1, true]]);
  });

  it("judges and writes only what changed", async () => {
    const rig = new RefreshRig();
    const big = { pad: "x".repeat(100_000) };
    const tools = Array.from({ length: 20 }, (_, at) =>
      tool(`t${String(at).padStart(2, "0")}`, { _meta: big }),
    );
    await rig.refresh(TWO, { alpha: tools });
    const [lints, shards] = [rig.lints, rig.kv.count("put", "shard:")];
    expect(shards).toBeGreaterThan(3);
    await rig.refresh(TWO, { alpha: tools.with(10, tool("t10", { _meta: big, description: "Another." })) });
    expect(rig.lints - lints).toBe(1);
    expect(rig.kv.count("put", "shard:") - shards).toBe(1);
    expect(rig.kv.count("put", "snapshot:")).toBe(2);
  });

  it("to content that was there before writes no content again, and numbers go on", async () => {
    const rig = new RefreshRig();
    const first = await rig.refresh(TWO, LISTINGS);
    await rig.refresh(TWO, { alpha: [tool("a1")] });
    const [shards, snapshots] = [rig.kv.count("put", "shard:"), rig.kv.count("put", "snapshot:")];
    const third = await rig.refresh(TWO, LISTINGS);
    expect(third).toMatchObject({ changed: true, pointer: { generation: 3, hash: first.pointer?.hash } });
    expect([rig.kv.count("put", "shard:"), rig.kv.count("put", "snapshot:")]).toEqual([shards, snapshots]);
  });

  it("of 10,000 tools of 4 KB stays well inside KV's bounds, and writes one shard for one change", async () => {
    const rig = new RefreshRig();
    const more = { _meta: { pad: "x".repeat(3_900) } };
    const tools = Array.from({ length: 10_000 }, (_, at) => tool(`tool_${at}`, more));
    expect(await rig.refresh(TWO, { alpha: tools })).toMatchObject({
      changed: true,
      servers: [{ tools: 10_000 }, {}],
    });
    expect(rig.kv.operations.length).toBeLessThan(400);
    expect(Math.max(...[...rig.kv.values.values()].map(({ length }) => length))).toBeLessThan(
      10 * 1024 * 1024,
    );
    const [operations, lints] = [rig.kv.operations.length, rig.lints];
    await rig.refresh(TWO, { alpha: tools.with(77, tool("tool_77", { ...more, description: "New." })) });
    expect([rig.lints - lints, rig.kv.operations.length - operations]).toEqual([1, 4]);
  }, 60_000);

  it("gives the same bytes whatever the order of answers and of tools in them", async () => {
    const names = fc.uniqueArray(fc.constantFrom("a", "b", "c_d_e", "x.y", "z/q", "m.n"), { maxLength: 6 });
    const infer = settingsOf({ alpha: { namespace: "infer" }, beta: {}, gamma: { namespace: "infer" } });
    await fc.assert(
      fc.asyncProperty(
        names,
        names,
        names,
        fc.shuffledSubarray(["alpha", "beta", "gamma"], { minLength: 3 }),
        async (a, b, c, order) => {
          const listings = {
            alpha: a.map((name) => tool(name)),
            beta: b.map((name) => tool(name)),
            gamma: c.map((name) => tool(name)),
          };
          const backwards = Object.fromEntries(
            Object.entries(listings).map(([key, tools]) => [key, tools.toReversed()]),
          );
          const [left, right] = [new RefreshRig(), new RefreshRig()];
          await left.refresh(infer, listings);
          // Each server answers once those before it in this order have.
          const turns = new Map(order.map((server) => [server, gate()]));
          turns.get(order[0] ?? "")?.resolve();
          await right.refresh(infer, backwards, async (server) => {
            await turns.get(server)?.promise;
            turns.get(order[order.indexOf(server) + 1] ?? "")?.resolve();
          });
          expect([...right.kv.values]).toEqual([...left.kv.values]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("lists servers side by side, at most five at once", async () => {
    const rig = new RefreshRig();
    const names = Array.from({ length: 12 }, (_, at) => `s${at}`);
    const settings = settingsOf(Object.fromEntries(names.map((name) => [name, {}])));
    await rig.refresh(settings, {}, async () => {
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    });
    expect(rig.listed.sort()).toEqual(names.sort());
    expect(rig.atOnce.most).toBe(REFRESH_SERVERS_AT_ONCE_COUNT);
  });

  it("does not list a disabled server, and forgets its tools", async () => {
    const rig = new RefreshRig();
    await rig.refresh(TWO, LISTINGS);
    const without = settingsOf({ alpha: {}, beta: { disabled: true } });
    rig.listed = [];
    await rig.refresh(without, LISTINGS);
    expect(rig.listed).toEqual(["alpha"]);
    expect((await seenBy(rig.kv, without))?.tools).toHaveLength(2);
  });
});

describe("a server that fails", () => {
  it("keeps its last good tools, marked stale, without a new generation; and is fresh again after", async () => {
    const rig = new RefreshRig();
    await rig.refresh(TWO, LISTINGS);
    const down = await rig.refresh(TWO, { ...LISTINGS, beta: "it is down" });
    expect(down).toMatchObject({ changed: false, pointer: { generation: 1, stale: ["beta"] } });
    expect(down.servers[1]).toEqual({
      name: "beta",
      status: "stale",
      tools: 1,
      skipped: [],
      findings: [],
      reason: "it is down",
    });
    expect((await seenBy(rig.kv, TWO))?.tools.map(([, stale]) => stale)).toEqual([false, false, true]);
    const up = await rig.refresh(TWO, LISTINGS);
    expect(up.pointer?.revision).toBeGreaterThan(down.pointer?.revision ?? 0);
    expect((await seenBy(rig.kv, TWO))?.tools.map(([, stale]) => stale)).toEqual([false, false, false]);
  });

  it("from the beginning has no tools, and the others are there", async () => {
    const rig = new RefreshRig();
    const { servers } = await rig.refresh(TWO, { ...LISTINGS, alpha: "it is down" });
    expect(servers.map(({ status, tools }) => [status, tools])).toEqual([
      ["failed", 0],
      ["ok", 1],
    ]);
    expect((await seenBy(rig.kv, TWO))?.tools).toHaveLength(1);
  });

  it("by two names for one id keeps its last good tools too", async () => {
    const rig = new RefreshRig();
    await rig.refresh(TWO, LISTINGS);
    const version = { _meta: { version: "1" } };
    const { servers } = await rig.refresh(TWO, {
      ...LISTINGS,
      beta: [tool("beta.x", version), tool("x", version)],
    });
    expect(servers[1]).toMatchObject({
      status: "stale",
      tools: 1,
      reason: "two tools of the server have the id beta:x@1",
    });
  });

  it("by throwing is failed like any other, and its error stays in the log", async () => {
    const rig = new RefreshRig();
    const { servers } = await rig.refresh(TWO, LISTINGS, async (server) => {
      if (server === "beta") throw new Error("secret-4711");
    });
    expect(servers.map(({ status }) => status)).toEqual(["ok", "failed"]);
    expect(JSON.stringify(servers)).not.toContain("4711");
    expect(rig.logs.join()).toContain("4711");
  });

  it("and is required leaves the whole catalog as it was", async () => {
    const rig = new RefreshRig();
    const strict = settingsOf({ alpha: { required: true }, beta: {} });
    expect(await rig.refresh(strict, { ...LISTINGS, alpha: "it is down" })).toMatchObject({
      pointer: null,
      changed: false,
    });
    const before = await rig.refresh(strict, LISTINGS);
    const after = await rig.refresh(strict, { alpha: "it is down", beta: [tool("b2")] });
    expect(after).toMatchObject({
      pointer: before.pointer,
      changed: false,
      failure: "the required server alpha failed",
    });
    expect(after.servers.map(({ status }) => status)).toEqual(["stale", "ok"]);
    expect((await seenBy(rig.kv, strict))?.tools.map(([, , definition]) => definition)).toContainEqual(
      tool("b1"),
    );
  });

  it("keeps its claim on an inferred namespace by its last good tools", async () => {
    const rig = new RefreshRig();
    const infer = settingsOf({ alpha: { namespace: "infer" }, beta: { namespace: "infer" } });
    await rig.refresh(infer, { alpha: [tool("crm.x")] });
    const { servers } = await rig.refresh(infer, { alpha: "it is down", beta: [tool("crm.y")] });
    expect(servers[1]?.skipped).toEqual([{ name: "crm.y", reason: "namespace_taken" }]);
  });
});

describe("another configuration", () => {
  it("has its own pointer, and reuses every judgement", async () => {
    const rig = new RefreshRig();
    await rig.refresh(TWO, LISTINGS);
    const lints = rig.lints;
    const three = settingsOf({ alpha: {}, beta: {}, gamma: {} });
    const outcome = await rig.refresh(three, { ...LISTINGS, beta: "it is down", gamma: [tool("g")] });
    expect(rig.lints).toBe(lints + 1);
    // The server's block is the same, so its last good tools still count.
    expect(outcome.servers.map(({ status, tools }) => [status, tools])).toEqual([
      ["ok", 2],
      ["stale", 1],
      ["ok", 1],
    ]);
    expect((await seenBy(rig.kv, TWO))?.tools).toHaveLength(3);
    expect((await seenBy(rig.kv, three))?.tools).toHaveLength(4);
  });

  it.each([
    ["a server's address", { alpha: { url: "https://other.example.com/mcp" }, beta: {} }, {}, false],
    ["the order of servers", { beta: {}, alpha: {} }, {}, false],
    ["schema limits", { alpha: {}, beta: {} }, { schema_limits: { max_depth: 3 } }, false],
    [
      "what does not concern the catalog",
      { alpha: { timeout_ms: 1 }, beta: { required: true } },
      { top_k: 3 },
      true,
    ],
    ["a disabled server", { alpha: {}, beta: {}, gamma: { disabled: true } }, {}, true],
  ])("by %s", (_, servers, gateway, same) => {
    expect(settingsOf(servers, gateway).hash === TWO.hash).toBe(same);
  });

  it("with names that clash is refused by key", () => {
    expect(() => settingsOf({ GitHub: {}, github: {} })).toThrow(/mcpServers\.github/);
    expect(() => settingsOf({ "123": {} })).toThrow(/mcpServers/);
    expect(() => settingsOf({ long: { exclude: ["x".repeat(300)] } })).toThrow(
      /mcpServers\.long\.exclude\[0\]/,
    );
  });
});

describe("a run that ends half-way", () => {
  const NEWS: Listings = { alpha: [tool("a1", { description: "New." })], beta: [tool("b2")] };

  const definitionsIn = (seen: Awaited<ReturnType<typeof seenBy>>) =>
    seen?.tools.map(([, , definition]) => definition);
  const NEW = [NEWS["alpha"], NEWS["beta"]].flat();

  it("writes the shard, the snapshot, the generation and the pointer, in this order", async () => {
    const rig = new RefreshRig();
    await rig.refresh(TWO, LISTINGS);
    const before = rig.kv.operations.length;
    await rig.refresh(TWO, NEWS);
    const written = rig.kv.operations
      .slice(before)
      .map(({ operation, key }) => [operation, key.split(":")[0]]);
    expect(written).toEqual(["shard", "snapshot", "generation", "pointer"].map((kind) => ["put", kind]));
  });

  it.each(
    [1, 2, 3, 4].flatMap((nth) => [false, true].map((done) => ({ nth, done, isNew: nth === 4 && done }))),
  )(
    "at write $nth (done: $done) leaves one catalog whole, and the next run mends it",
    async ({ nth, done, isNew }) => {
      const rig = new RefreshRig();
      await rig.refresh(TWO, LISTINGS);
      rig.kv.failAtWrite = nth;
      rig.kv.failsAfterwards = done;
      expect((await rig.refresh(TWO, NEWS)).unfinished).toBe(true);
      const old = [LISTINGS["alpha"], LISTINGS["beta"]].flat();
      expect(definitionsIn(await seenBy(rig.kv, TWO))).toEqual(isNew ? NEW : old);
      rig.kv.failAtWrite = Number.POSITIVE_INFINITY;
      const mended = await rig.refresh(TWO, NEWS);
      expect(mended.unfinished).toBe(false);
      const now = await seenBy(rig.kv, TWO);
      expect(definitionsIn(now)).toEqual(NEW);
      expect(now?.generation).toBe(mended.pointer?.generation);
      // Once a generation's key may have been seen, its number is not given to other content.
      expect(now?.generation).toBe(nth === 3 ? 3 : 2);
    },
  );

  it("and moved no pointer since KV allows one write a second is mended by the next", async () => {
    const rig = new RefreshRig();
    await rig.refresh(TWO, LISTINGS);
    const at = rig.clock.nowMs;
    rig.clock.nowMs = at - 60_000;
    const second = await rig.refresh(TWO, NEWS);
    expect(second).toMatchObject({ changed: true, unfinished: true });
    expect((await seenBy(rig.kv, TWO))?.generation).toBe(1);
    expect(await rig.refresh(TWO, NEWS)).toMatchObject({
      changed: false,
      unfinished: false,
      pointer: second.pointer,
    });
    expect((await seenBy(rig.kv, TWO))?.generation).toBe(2);
  });

  it("after the object lost its storage goes on above the numbers that KV knows", async () => {
    const rig = new RefreshRig();
    await rig.refresh(TWO, LISTINGS);
    const old = await rig.refresh(TWO, NEWS);
    const fresh = new RefreshRig();
    for (const [key, value] of rig.kv.values) fresh.kv.values.set(key, value);
    const { pointer } = await fresh.refresh(TWO, LISTINGS);
    expect(pointer?.generation).toBeGreaterThan(old.pointer?.generation ?? 0);
    expect(pointer?.revision).toBeGreaterThan(old.pointer?.revision ?? 0);
  });
});
