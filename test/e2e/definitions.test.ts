import { resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { capture, type CapturedServer } from "../../scripts/capture/capture.ts";
import { readServerList } from "../../scripts/capture/server-list.ts";
import { ok } from "../../src/result.ts";
import { committedCounter } from "../../scripts/committed-ranks.ts";
import { RefreshRig, settingsOf } from "../support/catalog/rig.ts";
import { readCatalog } from "../support/catalog/served.ts";
import { jsonOf } from "../support/fake-gateway.ts";
import { allPages, proxied } from "../gateway/proxy/proxied.ts";

const LIST = resolve(import.meta.dirname, "../../eval/everyday/capture.json");

/** From the very definitions that real servers give, through the refresh, KV and a reader, to the proxy's answers. */
describe("the definitions of all servers that the repository runs", () => {
  let servers: readonly CapturedServer[];
  let skipped: readonly unknown[];
  let proxy: ReturnType<typeof proxied>;

  beforeAll(async () => {
    servers = await capture(readServerList(LIST));
    const rig = new RefreshRig();
    const settings = settingsOf(Object.fromEntries(servers.map(({ name }) => [name, {}])));
    const outcome = await rig.refresh(
      settings,
      Object.fromEntries(servers.map(({ name, tools }) => [name, tools])),
    );
    skipped = outcome.servers.flatMap((server) => server.skipped);
    const catalog = await readCatalog(rig.kv, settings);
    const loaded = async () => ok(catalog);
    proxy = proxied({
      catalogs: {
        current: loaded,
        atLeast: loaded,
        newest: loaded,
        known: () => undefined,
        changedSince: async () => true,
        refreshSoon: () => undefined,
      },
    });
  });

  it("come out of tool_hydrate deep-equal to what the server gave, every one", async () => {
    const listed = (await allPages(proxy.surface, proxy.caller.context)).flat().slice(2);
    expect(skipped).toEqual([]);
    expect(listed).toHaveLength(servers.reduce((sum, { tools }) => sum + tools.length, 0));
    for (const { name: server, tools } of servers) {
      for (const tool of tools) {
        const id = listed
          .map(({ title }) => String(title))
          .find((title) => titleIs(title, server, tool["name"]));
        expect(jsonOf(await proxy.hydrate(id))).toEqual(tool);
      }
    }
  });

  it("are listed for at most 80 tokens a tool", async () => {
    const counter = committedCounter();
    const listed = (await allPages(proxy.surface, proxy.caller.context)).flat().slice(2);
    const tokens = listed.map((entry) => counter.count(JSON.stringify(entry)));
    expect(Math.max(...tokens)).toBeLessThanOrEqual(80);
  });
});

function titleIs(title: string, server: string, name: unknown): boolean {
  return title.startsWith(`${server}:${String(name)}#`) || title.startsWith(`${server}:${String(name)}@`);
}
