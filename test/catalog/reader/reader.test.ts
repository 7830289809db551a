import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import { describe, expect, it } from "vitest";
import { CatalogCache } from "../../../src/catalog/reader/catalog-cache.ts";
import { CatalogReader } from "../../../src/catalog/reader/reader.ts";
import {
  type CatalogKv,
  contentKey,
  pointerKey,
  SnapshotStore,
} from "../../../src/catalog/snapshot/snapshot-store.ts";
import { POINTER_LOOK_MS, SHARDS_CACHED_MAX_BYTES, SNAPSHOTS_CACHED_MAX_COUNT } from "../../../src/limits.ts";
import { loadSnapshot } from "../../../src/catalog/reader/snapshot-catalog.ts";
import { openSnapshot } from "../../../src/catalog/snapshot/open-snapshot.ts";
import { packSnapshot } from "../../../src/catalog/snapshot/pack-snapshot.ts";
import { RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";
import { SETTINGS, world } from "./reader-world.ts";

const everyone = () => true;

async function namesIn(answer: ReturnType<CatalogReader["current"]>) {
  const catalog = await answer;
  if (!catalog.ok) return catalog.reason.reason;
  return catalog.value.page(undefined, 100, SEES_EVERYTHING).tools.map(({ upstreamName }) => upstreamName);
}

describe("the reader", () => {
  it("on its first use ever asks the object for a refresh", async () => {
    const { isolate, calls } = world();
    expect(await namesIn(isolate().open().current())).toEqual(["a1"]);
    expect(calls).toEqual(["refresh first_use"]);
  });

  it("cold, reads pointer and snapshot; warm, nothing at all", async () => {
    const { isolate, calls, refresh, rig } = world();
    await refresh();
    const { open, background } = isolate();
    rig.kv.operations.length = 0;
    expect(await namesIn(open().current())).toEqual(["a1"]);
    expect(rig.kv.operations.map(({ key }) => key.split(":")[0])).toEqual(["pointer", "snapshot"]);
    for (let request = 0; request < 3; request += 1) await open().current();
    expect(rig.kv.operations).toHaveLength(2);
    expect([calls, background]).toEqual([[], []]);
  });

  it("reads one shard for a definition, and none when that is warm", async () => {
    const { isolate, refresh, rig } = world();
    await refresh();
    const catalog = await isolate().open().current();
    if (!catalog.ok) throw new Error(catalog.reason.detail);
    const [found] = catalog.value.page(undefined, 1, SEES_EVERYTHING).tools;
    if (found === undefined) throw new Error("no tool");
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await catalog.value.definition(found)).toMatchObject({
        ok: true,
        value: { definition: tool("a1"), schemaBytes: JSON.stringify({ type: "object" }).length },
      });
    }
    expect(rig.kv.count("get", "shard:")).toBe(1);
  });

  it("looks at the pointer again behind an answer, once, when its last look is old", async () => {
    const { isolate, refresh, rig, state } = world();
    await refresh();
    const { open, settled, background } = isolate(rig.kv);
    await open().current();
    state.listings = { alpha: [tool("a2")] };
    await refresh();
    rig.clock.nowMs += POINTER_LOOK_MS;
    rig.kv.operations.length = 0;
    expect(await namesIn(open().current())).toEqual(["a1"]);
    expect(await namesIn(open().current())).toEqual(["a1"]);
    expect(background).toHaveLength(1);
    await settled();
    expect(await namesIn(open().current())).toEqual(["a2"]);
    expect(rig.kv.operations.map(({ key }) => key.split(":")[0])).toEqual(["pointer", "snapshot"]);
  });

  it("never goes back to an older pointer, and keeps the catalog when the newer one cannot be read", async () => {
    const { isolate, refresh, rig, state } = world();
    await refresh();
    const old = rig.kv.values.get(pointerKey(SETTINGS.hash));
    state.listings = { alpha: [tool("a2")] };
    await refresh();
    const { open, settled } = isolate(rig.kv);
    expect(await namesIn(open().current())).toEqual(["a2"]);
    if (old !== undefined) rig.kv.values.set(pointerKey(SETTINGS.hash), old);
    rig.clock.nowMs += POINTER_LOOK_MS;
    await open().current();
    await settled();
    expect(await namesIn(open().current())).toEqual(["a2"]);
    const bad = { generation: 9, revision: 9, hash: "f".repeat(64), stale: [] };
    rig.kv.values.set(pointerKey(SETTINGS.hash), new TextEncoder().encode(JSON.stringify(bad)));
    rig.clock.nowMs += POINTER_LOOK_MS;
    await open().current();
    await settled();
    expect(await namesIn(open().current())).toEqual(["a2"]);
  });

  it("loads the generation that somebody has met already, by its key or by the object", async () => {
    const { isolate, refresh, rig, state, calls } = world();
    await refresh();
    const { open } = isolate();
    await open().current();
    state.listings = { alpha: [tool("a2")] };
    await refresh();
    expect(await namesIn(open().current())).toEqual(["a1"]);
    expect(await namesIn(open().atLeast(1))).toEqual(["a1"]);
    expect(await namesIn(open().atLeast(2))).toEqual(["a2"]);
    expect(calls).toEqual([]);
    expect(await namesIn(open().current())).toEqual(["a2"]);
    // The key was asked for too early: now this location remembers that it was not there.
    expect(await namesIn(open().atLeast(3))).toBe("catalog_unavailable");
    state.listings = { alpha: [tool("a3")] };
    await refresh();
    rig.clock.nowMs -= 59_000;
    expect(await namesIn(open().atLeast(3))).toEqual(["a3"]);
    expect(calls).toEqual(["newest", "newest"]);
  });

  it("asks the object once for the newest", async () => {
    const { isolate, refresh, state, calls } = world();
    await refresh();
    const { open } = isolate();
    await open().current();
    state.listings = { alpha: [tool("a2")] };
    await refresh();
    expect(await namesIn(open().newest())).toEqual(["a2"]);
    expect(calls).toEqual(["newest"]);
    state.reachable = false;
    expect(await namesIn(open().newest())).toBe("catalog_unavailable");
    expect(await namesIn(open().current())).toEqual(["a2"]);
  });

  it("refuses content that has another hash, and has the object's instead", async () => {
    const { isolate, refresh, rig, calls } = world();
    const { pointer } = await refresh();
    const key = contentKey("snapshot", pointer?.hash ?? "");
    rig.kv.values.set(key, new TextEncoder().encode('{"format":1,"tools":[]}'));
    expect(await namesIn(isolate().open().current())).toEqual(["a1"]);
    expect(calls).toEqual(["content snapshot"]);
    rig.kv.values.delete(key);
    expect(await namesIn(isolate().open().current())).toEqual(["a1"]);
  });

  it("answers catalog_unavailable, and tries again, when nothing can be had", async () => {
    const { isolate, state, refresh, rig } = world();
    state.reachable = false;
    const { open } = isolate(rig.kv);
    expect(await namesIn(open().current())).toBe("catalog_unavailable");
    state.reachable = true;
    state.gaveUp = true;
    expect(await namesIn(open().current())).toBe("catalog_unavailable");
    await refresh();
    expect(await namesIn(open().current())).toEqual(["a1"]);
  });

  it("goes on when KV refuses to be read", async () => {
    const { isolate, refresh } = world();
    await refresh();
    const refusing: CatalogKv = {
      get: () => Promise.reject(new Error("KV GET failed: 500")),
      put: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    };
    expect(await namesIn(isolate(refusing).open().current())).toEqual(["a1"]);
  });

  it("asks for a refresh in the background", async () => {
    const { isolate, calls } = world();
    const { open, background } = isolate();
    open().refreshSoon("unknown tool");
    expect([calls, background.length]).toEqual([["refresh unknown_tool"], 1]);
  });
});

describe("the cache of an isolate", () => {
  it("goes by the newest pointer, whichever of two requests comes last", () => {
    const cache = new CatalogCache();
    const pointer = (revision: number) => ({
      generation: revision,
      revision,
      hash: "a".repeat(64),
      stale: [],
    });
    expect(cache.adopt("c", pointer(2), 1)).toEqual(pointer(2));
    expect(cache.adopt("c", pointer(1), 2)).toEqual(pointer(2));
    expect(cache.known("c")).toEqual({ pointer: pointer(2), lookedAtMs: 2 });
    expect(cache.adopt("other", pointer(1), 3)).toEqual(pointer(1));
  });

  it("keeps few snapshots and few bytes of shards, those used last", () => {
    const cache = new CatalogCache();
    const snapshot = openSnapshot(
      packSnapshot([], [], { judged: () => undefined, analysed: () => undefined }) ?? new Uint8Array(),
    );
    if (!snapshot.ok) throw new Error(snapshot.reason.reason);
    const loaded = loadSnapshot(snapshot.value);
    for (const hash of ["a", "b"]) cache.keepSnapshot("tool", hash, loaded);
    cache.snapshot("tool", "a");
    cache.keepSnapshot("tool", "c", loaded);
    expect(["a", "b", "c"].map((hash) => cache.snapshot("tool", hash) !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
    expect(cache.size.snapshots).toBe(SNAPSHOTS_CACHED_MAX_COUNT);
    cache.keepSnapshot("prompt", "p", loaded);
    expect(cache.snapshot("tool", "a") ?? cache.snapshot("resource", "p")).toBe(loaded);
    expect(cache.snapshot("resource", "p")).toBeUndefined();
    const third = Math.ceil(SHARDS_CACHED_MAX_BYTES / 3);
    for (const hash of ["a", "b", "a", "c"]) cache.keepShard(hash, new Map(), third);
    expect(cache.size.shardBytes).toBeLessThanOrEqual(SHARDS_CACHED_MAX_BYTES);
    expect(["a", "b", "c"].map((hash) => cache.shard(hash) !== undefined)).toEqual([false, true, true]);
    cache.keepShard("huge", new Map(), SHARDS_CACHED_MAX_BYTES + 1);
    expect(cache.size).toMatchObject({ shards: 0, shardBytes: 0 });
  });
});

describe("a catalog", () => {
  async function catalogOf(names: readonly string[], settings = SETTINGS) {
    const rig = new RefreshRig();
    await rig.refresh(settings, { alpha: names.map((name) => tool(name)) });
    const reader = new CatalogReader({
      cache: new CatalogCache(),
      kv: new SnapshotStore(rig.kv),
      object: {
        refresh: () => Promise.reject(new Error()),
        move: () => Promise.reject(new Error()),
        newest: () => Promise.reject(new Error()),
        content: () => Promise.reject(new Error()),
      },
      config: { hash: settings.hash, text: "" },
      nowMs: () => 0,
      sleep: () => new Promise(() => undefined),
      background: () => undefined,
      log: () => undefined,
    });
    const catalog = await reader.current();
    if (!catalog.ok) throw new Error(catalog.reason.detail);
    return catalog.value;
  }

  it("finds a tool by its id and by its listed name, and nothing by a prototype's", async () => {
    const catalog = await catalogOf(["create_issue", "__proto__", "constructor"]);
    for (const { id, listedName } of catalog.page(undefined, 9, SEES_EVERYTHING).tools) {
      expect(catalog.find(id)?.id).toBe(id);
      expect(catalog.find(listedName)?.id).toBe(id);
    }
    for (const name of ["__proto__", "constructor", "toString", "", "alpha:create_issue"]) {
      expect(catalog.find(name)).toBeUndefined();
    }
  });

  it("counts and shows only what one may see", async () => {
    const infer = settingsOf({ alpha: { namespace: "infer" } });
    const catalog = await catalogOf(["crm.make", "crm.drop", "web.get"], infer);
    const sees = (id: string) => id.startsWith("crm:make");
    expect(catalog.namespaces(everyone)).toEqual([
      { namespace: "crm", tools: 2 },
      { namespace: "web", tools: 1 },
    ]);
    expect(catalog.namespaces(sees)).toEqual([{ namespace: "crm", tools: 1 }]);
    expect(catalog.search("drop", 5, sees).total).toBe(0);
    expect(catalog.search("drop", 5, everyone).total).toBe(1);
    const root = { text: "/", segments: [] };
    expect(catalog.resolve(root, sees)).toMatchObject({
      ok: true,
      value: { entries: [{ segment: "crm", count: 1 }] },
    });
    expect(catalog.similar("crm:drop#00000000", 3, sees)).not.toContain("crm:drop");
  });

  it("knows ids like one that is not there: another hash, another namespace, a slip, shared words", async () => {
    const catalog = await catalogOf(["create_issue", "list_issues", "close_pull_request"]);
    const first = (asked: string) => catalog.similar(asked, 3, everyone)[0]?.split("#")[0];
    expect(first("alpha:create_issue#00000000")).toBe("alpha:create_issue");
    expect(first("github:create_issue")).toBe("alpha:create_issue");
    expect(first("alpha:creat_issue#00000000")).toBe("alpha:create_issue");
    expect(first("alpha:pull_request_close")).toBe("alpha:close_pull_request");
    expect(catalog.similar("zzz", 3, everyone)).toEqual([]);
    expect(catalog.similar("x".repeat(100_000), 3, everyone)).toEqual([]);
    expect(catalog.similar("alpha:create_issue#00000000", 0, everyone)).toEqual([]);
  });

  it("knows a tool by the name that its server gave it, also where the id cannot have that name", async () => {
    const catalog = await catalogOf(["2fa", "_2fa", "查询天气", "a#b", "a b"]);
    const first = (asked: string) => catalog.find(catalog.similar(asked, 3, everyone)[0] ?? "")?.upstreamName;
    for (const name of ["2fa", "查询天气", "a#b", "a b"]) {
      expect(first(name)).toBe(name);
      expect(first(`alpha:${name}`)).toBe(name);
      expect(first(`alpha:${name}#00000000`)).toBe(name);
    }
    expect(first("alpha:_2fa")).toBe("_2fa");
    expect(catalog.similar("beta:查询天气", 3, everyone)).toEqual([]);
    expect(catalog.similar("查询天气", 0, everyone)).toEqual([]);
    expect(catalog.similar("查询天气", 3, () => false)).toEqual([]);
  });

  it("pages through all tools in the order of their ids", async () => {
    const catalog = await catalogOf(["c", "a", "b"]);
    const first = catalog.page(undefined, 2, SEES_EVERYTHING);
    expect([first.tools.map(({ upstreamName }) => upstreamName), first.more]).toEqual([["a", "b"], true]);
    const rest = catalog.page(first.tools.at(-1)?.id, 2, SEES_EVERYTHING);
    expect([rest.tools.map(({ upstreamName }) => upstreamName), rest.more]).toEqual([["c"], false]);
  });

  it("pages behind an id that is not there any more, and past what is not seen", async () => {
    const catalog = await catalogOf(["a", "b", "c", "d"]);
    const namesBehind = (after: string | undefined, count = 9) => {
      const { tools, more } = catalog.page(after, count, (id) => !id.includes(":c"));
      return [...tools.map(({ upstreamName }) => upstreamName), more];
    };
    expect(namesBehind(undefined)).toEqual(["a", "b", "d", false]);
    expect(namesBehind("alpha:b")).toEqual(["b", "d", false]);
    expect(namesBehind("alpha:bb")).toEqual(["d", false]);
    expect(namesBehind(undefined, 2)).toEqual(["a", "b", true]);
    expect(namesBehind("alpha:bb", 1)).toEqual(["d", false]);
    for (const after of ["", "\0", "alpha:", "A".repeat(1_000_000)]) {
      expect(namesBehind(after)).toEqual(["a", "b", "d", false]);
    }
    for (const after of ["b", "\u{D800}", "\u{10FFFF}", "z".repeat(1_000_000)])
      expect(namesBehind(after)).toEqual([false]);
  });
});
