import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { ManifestCache } from "../../../src/records/grant/manifest-cache.ts";
import { readManifestTexts } from "../../../src/records/grant/read-manifest-texts.ts";
import { ReaderStore } from "../../../src/records/grant/reader-store.ts";
import { CHAT, grant, loadConnections, MAIL, operate, owner } from "./grants.ts";
import { freshDatabase } from "../fresh-storage.ts";

beforeEach(async () => {
  await freshDatabase();
  await loadConnections();
});

/** A store over the tests' database, and how many rows its statements have read. */
function counted(manifests = new ManifestCache()) {
  let rowsRead = 0;
  let trips = 0;
  const db = new Proxy(env.DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name !== "batch") {
        return (...args: unknown[]): unknown =>
          typeof value === "function" ? Reflect.apply(value, target, args) : value;
      }
      return async (statements: D1PreparedStatement[]) => {
        trips += 1;
        const results = await target.batch(statements);
        for (const { meta } of results) rowsRead += meta.rows_read;
        return results;
      };
    },
  });
  const store = new ReaderStore(db, { manifests, readTexts: readManifestTexts });
  return { store, rowsRead: () => rowsRead, trips: () => trips };
}

describe("what a bearer may read", () => {
  it("costs rows for its own grants, however many connections there are", async () => {
    const { token: _, tokenId } = await grant([MAIL, CHAT]);
    const before = counted();
    await before.store.load(tokenId, "package");
    for (let index = 0; index < 60; index += 1) {
      await operate("POST", "/admin/records/connections", {
        id: `testmail-more-${index}`,
        connector_key: "testmail",
      });
      if (index % 10 === 0) await grant([`testmail-more-${index}`]);
    }
    const after = counted();
    const access = await after.store.load(tokenId, "package");
    expect(access).toMatchObject({ standing: "covered" });
    expect(after.trips()).toBe(1);
    // A range is read to the row behind its end, and there was none before: one for each statement about the grants.
    expect(after.rowsRead()).toBeLessThanOrEqual(before.rowsRead() + 3);
  });

  it("follows a manifest that was loaded anew, whatever the isolate remembers", async () => {
    const { tokenId } = await grant([MAIL]);
    const { store } = counted();
    const streams = async () => {
      const access = await store.load(tokenId, "client");
      return access.standing === "covered" ? access.whole.feeds.map(({ stream }) => stream.name) : [];
    };
    expect(await streams()).toEqual(["threads", "messages"]);
    const manifest = {
      connector_key: "testmail",
      streams: [
        {
          name: "messages",
          primary_key: ["id"],
          schema: { type: "object", properties: { id: { type: "string" } } },
        },
        {
          name: "new",
          primary_key: ["id"],
          schema: { type: "object", properties: { id: { type: "string" } } },
        },
      ],
    };
    expect((await operate("POST", "/admin/records/manifests", manifest)).status).toBe(200);
    // A grant of every stream is of those that there were.
    expect(await streams()).toEqual(["messages"]);
  });

  it("says which manifest it was read by, remembered or not", async () => {
    const { tokenId } = await grant([MAIL]);
    const manifests = new ManifestCache();
    const hash = await env.DB.prepare(
      "SELECT manifest_hash FROM record_manifests WHERE connector_key = 'testmail'",
    ).first("manifest_hash");
    for (let time = 0; time < 2; time += 1) {
      const access = await counted(manifests).store.load(tokenId, "client");
      const feeds = access.standing === "covered" ? access.whole.feeds : [];
      expect(feeds.map(({ manifestHash }) => manifestHash)).toEqual([hash, hash]);
    }
  });

  it("is everything for the owner, new connections at once", async () => {
    await owner();
    const row = await env.DB.prepare("SELECT id FROM tokens WHERE kind = 'owner'").first("id");
    const { store } = counted();
    const connections = async () => {
      const access = await store.load(String(row), "owner");
      return access.standing === "covered"
        ? new Set(access.whole.feeds.map(({ connectionId }) => connectionId)).size
        : 0;
    };
    expect(await connections()).toBe(3);
    await operate("POST", "/admin/records/connections", { id: "testmail-9", connector_key: "testmail" });
    expect(await connections()).toBe(4);
  });

  it("is nothing for a token that has no row", async () => {
    const { store } = counted();
    expect(await store.load("0".repeat(32), "client")).toEqual({ standing: "token_revoked" });
    expect(await store.isLive("0".repeat(32))).toBe(false);
  });

  it("is nothing of a grant whose text was damaged, and nothing more", async () => {
    const { tokenId, grantIds } = await grant([MAIL, CHAT]);
    await env.DB.prepare("UPDATE record_grants SET streams = '[{' WHERE id = ?").bind(grantIds[0]).run();
    const access = await counted().store.load(tokenId, "package");
    expect(
      access.standing === "covered" && new Set(access.whole.feeds.map(({ connectionId }) => connectionId)),
    ).toEqual(new Set([CHAT]));
  });

  it("is not written by halves: a token without its grants is none", async () => {
    const response = await operate("POST", "/admin/grants", {
      name: "x".repeat(200),
      principal: "ada",
      connections: [{ connection_id: MAIL, streams: [{ name: "*" }] }],
    });
    expect(response.status).toBe(400);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM tokens").first("n")).toBe(0);
    expect(await env.DB.prepare("SELECT count(*) AS n FROM record_grants").first("n")).toBe(0);
  });
});
