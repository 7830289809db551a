import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SEES_EVERYTHING } from "../../src/access/visibility.ts";
import { CatalogCache } from "../../src/catalog/reader/catalog-cache.ts";
import { type CatalogNamespace, catalogObjectPort } from "../../src/catalog/reader/catalogs-store.ts";
import { CatalogReader } from "../../src/catalog/reader/reader.ts";
import { catalogSettings } from "../../src/catalog/refresh/settings.ts";
import { type CatalogKv, SnapshotStore } from "../../src/catalog/snapshot/snapshot-store.ts";
import { parseConfig } from "../../src/config.ts";
import { tool } from "../support/catalog/rig.ts";
import { stubUpstreams } from "./upstreams.ts";
import { freshStorage } from "./fresh-storage.ts";

const upstreams = stubUpstreams();
const text = JSON.stringify({ mcpServers: { one: { url: "https://one.example.com/mcp" } } });
const config = parseConfig(text);
const settings = config.ok ? catalogSettings(config.value) : config;
const hash = settings.ok ? settings.value.hash : "";

/** One isolate over the real bindings, every call of which is counted. */
function isolate(patience: () => Promise<void> = () => new Promise(() => undefined)) {
  const calls: string[] = [];
  const cache = new CatalogCache();
  const kv: CatalogKv = {
    get: (key, options) => {
      calls.push(`kv ${key.split(":")[0] ?? ""}`);
      return env.CATALOG.get(key, options);
    },
    put: (key, value) => env.CATALOG.put(key, value),
    delete: (key) => env.CATALOG.delete(key),
  };
  const counted = <Request, Answer>(name: string, call: (request: Request) => Promise<Answer>) => {
    return (request: Request) => {
      calls.push(`object ${name}`);
      return call(request);
    };
  };
  const namespace: CatalogNamespace = {
    getByName: (name) => {
      const stub = env.CATALOGS.getByName(name);
      return {
        refresh: counted("refresh", async (request) => stub.refresh(request)),
        move: counted("move", async (request) => stub.move(request)),
        newest: counted("newest", async (request) => stub.newest(request)),
        content: counted("content", async (request) => stub.content(request)),
      };
    },
  };
  const open = () =>
    new CatalogReader({
      cache,
      kv: new SnapshotStore(kv),
      object: catalogObjectPort(namespace),
      config: { hash, text },
      nowMs: () => Date.now(),
      sleep: patience,
      background: (work) => {
        void work;
      },
      log: () => undefined,
    });
  return { open, took: () => calls.splice(0) };
}

async function definitionOf(reader: CatalogReader, name: string) {
  const catalog = await reader.current();
  if (!catalog.ok) return catalog.reason.reason;
  const found = catalog.value
    .page(undefined, 10, SEES_EVERYTHING)
    .tools.find(({ upstreamName }) => upstreamName === name);
  const definition = found === undefined ? undefined : await catalog.value.definition(found);
  return definition?.ok === true ? definition.value.definition : definition;
}

afterEach(async () => {
  upstreams.reset();
  await freshStorage();
});

describe("reading the catalog over real bindings", () => {
  it("reads resources and prompts of the same generation, cold, warm and over their own snapshots", async () => {
    upstreams.tools("one", [tool("a")]);
    upstreams.others("one", {
      resources: [{ uri: "docs://readme", name: "readme" }],
      templates: [{ uriTemplate: "docs://{page}", name: "page" }],
      prompts: [{ name: "sum", arguments: [{ name: "text", required: true }] }],
    });
    expect((await isolate().open().current()).ok).toBe(true);
    const cold = isolate();
    const catalog = await cold.open().current();
    if (!catalog.ok) throw new Error(catalog.reason.detail);
    expect(cold.took()).toEqual(["kv pointer", "kv snapshot", "kv snapshot", "kv snapshot"]);
    const resources = catalog.value.of("resource");
    const found = resources?.page(undefined, 9, SEES_EVERYTHING).tools ?? [];
    expect(found.map(({ upstreamName }) => upstreamName)).toEqual(["docs://{page}", "docs://readme"]);
    expect(resources?.version).toEqual(catalog.value.version);
    const [page] = found;
    expect(page && (await resources?.definition(page))).toMatchObject({
      ok: true,
      value: { definition: { uriTemplate: "docs://{page}", name: "page" } },
    });
    const [prompt] = catalog.value.of("prompt")?.search("sum", 1, SEES_EVERYTHING).hits ?? [];
    expect(prompt?.id).toMatch(/^prompt::one:sum#/);
    cold.took();
    expect((await cold.open().current()).ok).toBe(true);
    expect(cold.took()).toEqual([]);
  });

  it("costs what the budgets say: nothing when warm", async () => {
    upstreams.tools("one", [tool("a")]);
    const first = isolate();
    expect(await definitionOf(first.open(), "a")).toEqual(tool("a"));
    expect(first.took()).toEqual(["kv pointer", "object refresh", "kv snapshot", "kv shard"]);
    const second = isolate();
    expect(await definitionOf(second.open(), "a")).toEqual(tool("a"));
    expect(second.took()).toEqual(["kv pointer", "kv snapshot", "kv shard"]);
    for (let request = 0; request < 3; request += 1) await definitionOf(second.open(), "a");
    expect(second.took()).toEqual([]);
  });

  it("has the newest by one call of the object, and the content from it when KV has lost everything", async () => {
    upstreams.tools("one", [tool("a")]);
    const { open, took } = isolate();
    await open().current();
    upstreams.tools("one", [tool("b")]);
    await open().refresh("operator");
    // Who ordered the refresh goes by it at once: what was removed is not called any more.
    expect(await definitionOf(open(), "a")).not.toEqual(tool("a"));
    expect(await definitionOf(open(), "b")).toEqual(tool("b"));
    took();
    expect((await open().newest()).ok).toBe(true);
    expect(took()).toEqual(["object newest"]);
    for (const { name } of (await env.CATALOG.list()).keys) await env.CATALOG.delete(name);
    await abortAllDurableObjects();
    const late = isolate();
    expect(await definitionOf(late.open(), "b")).toEqual(tool("b"));
    expect(late.took().filter((call) => call.startsWith("object"))).toEqual([
      "object refresh",
      "object content",
      "object content",
    ]);
    expect(upstreams.seen.filter(({ rpc }) => rpc === "tools/list")).toHaveLength(2);
    // What was missed is written again, under the same generation.
    expect(await late.open().refresh("operator")).toMatchObject({
      value: { changed: false, pointer: { generation: 2 } },
    });
    const healed = isolate();
    expect(await definitionOf(healed.open(), "b")).toEqual(tool("b"));
    expect(healed.took()).toEqual(["kv pointer", "kv snapshot", "kv shard"]);
  });

  it("gives up waiting for a first refresh, which goes on without it", async () => {
    const answer = upstreams.holds("one", [tool("a")]);
    const impatient = isolate(() => Promise.resolve());
    expect(await definitionOf(impatient.open(), "a")).toBe("catalog_unavailable");
    answer();
    await vi.waitFor(
      async () => {
        expect(await catalogObjectPort(env.CATALOGS).newest(hash)).toMatchObject({
          value: { generation: 1 },
        });
      },
      { timeout: 20_000 },
    );
    expect(await definitionOf(isolate().open(), "a")).toEqual(tool("a"));
    expect(upstreams.seen.filter(({ rpc }) => rpc === "tools/list")).toHaveLength(1);
  });
});
