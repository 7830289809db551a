import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { RefreshingCatalog } from "../../src/catalog/refresh/catalog-object.ts";
import { listedEntry } from "../../src/catalog/refresh/listed-entry.ts";
import { contentHash } from "../../src/catalog/snapshot/snapshot-store.ts";
import { readVocabulary } from "../../src/http/vocabulary-asset.ts";
import { ok } from "../../src/result.ts";
import { tool } from "../support/catalog/rig.ts";
import { freshStorage } from "./fresh-storage.ts";
import { recordLog } from "./recorded-log.ts";

const logged = recordLog();
const config = JSON.stringify({ mcpServers: { counted: { url: "https://counted.example.com/mcp" } } });

afterEach(freshStorage);

describe("the catalog's object whose static files refuse", () => {
  it("keeps its last good catalog, says why, and has the new one as soon as they answer", async () => {
    await runInDurableObject(env.CATALOGS.getByName("catalog-1"), async (_, state) => {
      let asked = 0;
      let [refuses, tools] = [false, [tool("a")]];
      const files = {
        fetch: async (address: RequestInfo | URL) => {
          asked += 1;
          return refuses ? new Response("no", { status: 503 }) : env.ASSETS.fetch(address);
        },
      };
      const object = new RefreshingCatalog(state, env, {
        kv: env.CATALOG,
        ownConfigText: config,
        neighbours: { version: () => Promise.resolve("none"), load: () => Promise.resolve(undefined) },
        vocabulary: () => readVocabulary(files, contentHash),
        list: async () => ({ tools: ok(tools.map((each) => listedEntry(each))) }),
        ledger: { deliver: async () => ({ version: 1, taken: false, reason: "malformed" }) },
      });
      const refresh = () => object.refresh({ version: 1, reason: "operator", config });

      const first = await refresh();
      expect(first).toMatchObject({ changed: true, pointer: { generation: 1 } });
      expect(asked).toBe(1);

      refuses = true;
      expect(await refresh()).toMatchObject({ changed: false, pointer: first.pointer });
      // Nothing was new, so nothing was read.
      expect(asked).toBe(1);

      tools = [tool("a"), tool("b")];
      const failed = await refresh();
      expect(failed).toMatchObject({
        changed: false,
        pointer: first.pointer,
        hash: first.hash,
        failure: "what is new could not be counted: the token vocabulary cannot be used",
      });
      expect(asked).toBe(2);
      expect(logged.lines).toContain("tokens cannot be counted: vocabulary_unreadable: status 503");

      refuses = false;
      const healed = await refresh();
      expect(healed).toMatchObject({ changed: true, pointer: { generation: 2, stale: [] } });
      expect(healed.failure).toBeUndefined();
    });
  });
});
