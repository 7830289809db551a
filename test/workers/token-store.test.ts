import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { BearerClaims } from "../../src/access/bearer.ts";
import { TokenStore } from "../../src/access/token-store.ts";
import { freshDatabase } from "./fresh-storage.ts";

const NOW_MS = 1_800_000_000_500;
const claims = (tokenId: string, changes: Partial<BearerClaims> = {}): BearerClaims => ({
  kind: "client",
  principal: "ada",
  tokenId,
  expiresAtSeconds: 1_900_000_000,
  scopes: null,
  ...changes,
});

const store = new TokenStore(env.DB);

beforeEach(async () => {
  await freshDatabase();
});

describe("the tokens in D1", () => {
  it("come back as they were made", async () => {
    const made = await store.create("CI; DROP TABLE tokens", claims("t1", { scopes: ["github:*"] }), NOW_MS);
    const row = {
      id: "t1",
      name: "CI; DROP TABLE tokens",
      kind: "client",
      principal: "ada",
      scopes: ["github:*"],
      createdAtSeconds: 1_800_000_000,
      expiresAtSeconds: 1_900_000_000,
      revokedAtSeconds: null,
    };
    expect(made).toEqual({ ok: true, value: row });
    expect(await store.find("t1")).toEqual(row);
    expect(await store.list()).toEqual([row]);
    expect(await store.find("t2")).toBeNull();
  });

  it("have no column that could hold a bearer", async () => {
    const columns = await env.DB.prepare("SELECT name FROM pragma_table_info('tokens')").all();
    expect(columns.results.map((row) => row["name"])).toEqual([
      "id",
      "name",
      "kind",
      "principal",
      "scopes",
      "created_at_s",
      "expires_at_s",
      "revoked_at_s",
    ]);
  });

  it("are listed newest first, in one order for equal times", async () => {
    await store.create("old", claims("b"), NOW_MS - 5000);
    await store.create("new 2", claims("d", { kind: "owner" }), NOW_MS);
    await store.create("new 1", claims("c", { kind: "package", principal: "gr\u00e9goire" }), NOW_MS);
    expect((await store.list()).map(({ id }) => id)).toEqual(["c", "d", "b"]);
  });

  it("are never replaced: a repeated id is refused", async () => {
    await store.create("first", claims("t1"), NOW_MS);
    expect(await store.create("second", claims("t1", { principal: "eve" }), NOW_MS)).toEqual({
      ok: false,
      reason: "duplicate_id",
    });
    expect(await store.find("t1")).toMatchObject({ name: "first", principal: "ada" });
  });

  it.each(["", "a\nb", "\u001b[31m", "\ud800", "n".repeat(129)])("refuse the name %j", async (name) => {
    expect(await store.create(name, claims("t1"), NOW_MS)).toEqual({ ok: false, reason: "name_invalid" });
    expect(await store.list()).toEqual([]);
  });

  it("are revoked once, and the first time stands", async () => {
    await store.create("ci", claims("t1"), NOW_MS);
    expect(await store.markRevoked("t1", NOW_MS + 1000)).toMatchObject({
      ok: true,
      value: { id: "t1", principal: "ada", revokedAtSeconds: 1_800_000_001 },
    });
    expect(await store.markRevoked("t1", NOW_MS + 9000)).toMatchObject({
      value: { revokedAtSeconds: 1_800_000_001 },
    });
    expect(await store.markRevoked("' OR 1=1 --", NOW_MS)).toEqual({ ok: false, reason: "not_found" });
  });
});
