import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RefreshingCatalog } from "../../src/catalog/refresh/catalog-object.ts";
import { listedEntry } from "../../src/catalog/refresh/listed-entry.ts";
import { REFRESH_RETRY_MS } from "../../src/limits.ts";
import { readEntry } from "../../src/outbox/entry.ts";
import { fail, ok } from "../../src/result.ts";
import { tool } from "../support/catalog/rig.ts";
import { freshStorage } from "./fresh-storage.ts";
import { recordLog } from "./recorded-log.ts";
import { vocabulary } from "./vocabulary.ts";

const CONFIG = JSON.stringify({
  mcpServers: {
    bank: {
      url: "https://blue-rejected.example.com/mcp",
      candidate: { url: "https://green-rejected.example.com/mcp" },
    },
  },
});

recordLog();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});

afterEach(async () => {
  vi.useRealTimers();
  await freshStorage();
});

/** Lives of one object over its own SQLite, whose candidate lists its tools until it is refused for a reason. */
function deployment(state: DurableObjectState) {
  const seen = { refusal: "", listings: 0 };
  const life = () =>
    new RefreshingCatalog(state, env, {
      kv: env.CATALOG,
      ownConfigText: CONFIG,
      neighbours: { version: () => Promise.resolve("none"), load: () => Promise.resolve(undefined) },
      vocabulary,
      list: async (_, __, target) => {
        seen.listings += 1;
        const isRefused = target === "candidate" && seen.refusal !== "";
        return {
          tools: isRefused
            ? fail({ message: seen.refusal, detail: seen.refusal })
            : ok([listedEntry(tool("a"))]),
        };
      },
      ledger: { deliver: async () => ({ version: 1, taken: false, reason: "malformed" }) },
    });
  return {
    seen,
    refresh: () => life().refresh({ version: 1, reason: "operator", config: CONFIG }),
    promote: () =>
      life().move({ version: 1, config: CONFIG, server: "bank", move: "promote", acceptBreaking: false }),
    /** Whatever is due by then is done. */
    later: async (ms: number) => {
      vi.setSystemTime(Date.now() + ms);
      await life().alarm();
    },
    candidatesTold: () =>
      state.storage.sql
        .exec("SELECT entry FROM outbox ORDER BY seq")
        .toArray()
        .map(({ entry }) => readEntry(typeof entry === "string" ? entry : ""))
        .map((entry) => (entry.ok ? entry.value.refresh?.servers[0]?.candidate : entry.reason)),
  };
}

describe("a candidate that a promotion rejects", () => {
  it("is told of within moments, once, and not at the interval's next run", () =>
    runInDurableObject(env.CATALOGS.getByName("catalog-1"), async (_, state) => {
      const { seen, refresh, promote, later, candidatesTold } = deployment(state);
      await refresh();
      seen.refusal = "it gave no list";
      expect(await promote()).toMatchObject({ moved: false, reason: "candidate_rejected" });
      await later(REFRESH_RETRY_MS);
      expect(candidatesTold()).toMatchObject([
        { status: "listed", comparison: "identical" },
        { status: "rejected", reason: seen.refusal },
      ]);
      expect(await promote()).toMatchObject({ moved: false, reason: "candidate_rejected" });
      const before = seen.listings;
      await later(REFRESH_RETRY_MS);
      expect(seen.listings).toBe(before);
    }));
});
