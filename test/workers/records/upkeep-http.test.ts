import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import seed from "../../fixtures/records/seed.json" with { type: "json" };
import { isJsonArray, memberOf } from "../../../src/json.ts";
import { RECORD_LEFTOVER_MIN_AGE_MS, RECORD_ROW_BODY_MAX_BYTES } from "../../../src/limits/records.ts";
import { BodyStore } from "../../../src/records/store/body-store.ts";
import { ManifestStore } from "../../../src/records/store/manifest-store.ts";
import { ReindexStore } from "../../../src/records/store/reindex-store.ts";
import { LeftoverStore } from "../../../src/records/store/leftover-store.ts";
import { GrantStore } from "../../../src/records/grant/grant-store.ts";
import { CHAT, codeOf, get, grant, ingest, loadConnections, MAIL, operate, owner } from "./grants.ts";
import { notesManifest, rows } from "./ingest-rig.ts";
import { freshDatabase } from "../fresh-storage.ts";

let writer = "";

beforeEach(async () => {
  await freshDatabase();
  await loadConnections();
  writer = await owner();
});

const thread = (key: string, data: object = {}) =>
  JSON.stringify({
    key,
    data: { id: key, subject: "Seltenes Wort", updated_at: "2026-01-01T00:00:00Z", ...data },
    emitted_at: "2026-01-02T00:00:00Z",
  });

async function written(connection: string, ...lines: readonly string[]): Promise<void> {
  const response = await ingest(writer, connection, "threads", lines.join("\n"));
  if (!response.ok) throw new Error(await response.text());
}

async function told(response: Promise<Response>): Promise<unknown> {
  return (await response).json();
}

async function keys(bearer: string, more = ""): Promise<unknown> {
  const data = memberOf(await told(get(`/v1/streams/threads/records?${more}`, bearer)), "data");
  return isJsonArray(data) ? data.map((record) => memberOf(record, "id")) : data;
}

describe("DELETE /admin/records/connections/{id}", () => {
  it("takes the connection out of every bearer's reach with its first request", async () => {
    await written(MAIL, thread("m1"));
    await written(CHAT, thread("c1"));
    const [sole, both] = [await grant([MAIL]), await grant([MAIL, CHAT])];
    const removal = await told(operate("DELETE", `/admin/records/connections/${MAIL}`));
    expect(removal).toEqual({
      id: MAIL,
      done: false,
      removed: { records: 1, versions: 1, bodies: 0, grants: 2 },
    });
    expect(await codeOf(await get("/v1/streams", sole.token))).toBe("grant_revoked");
    expect(await keys(both.token)).toEqual(["c1"]);
    expect(await codeOf(await get(`/v1/schema?connection_id=${MAIL}`, both.token))).toBe(
      "connection_not_found",
    );
    expect(await (await get("/v1/schema", writer)).text()).not.toContain(MAIL);
    expect(await codeOf(await ingest(writer, MAIL, "threads", thread("m2")))).toBe("invalid_argument");
    const again = await told(operate("DELETE", `/admin/records/connections/${MAIL}`));
    expect(again).toMatchObject({ done: true, removed: { grants: 0 } });
    expect((await operate("DELETE", `/admin/records/connections/${MAIL}`)).status).toBe(404);
  });

  it("leaves grants revoked and without what they named, also where a connection of that name comes again", async () => {
    await written(MAIL, thread("m1"));
    const connections = [{ connection_id: MAIL, streams: [{ name: "threads", resources: ["m1"] }] }];
    const { token } = await grant([], { connections });
    while (memberOf(await told(operate("DELETE", `/admin/records/connections/${MAIL}`)), "done") === false);
    expect(await told(operate("GET", "/admin/grants"))).toMatchObject({
      grants: [{ connection_id: MAIL, streams: [] }],
    });
    expect(await rows("SELECT count(*) AS n FROM record_grants WHERE revoked_at_ms IS NULL")).toEqual([
      { n: 0 },
    ]);
    await written(MAIL, thread("m1"));
    expect(await codeOf(await get("/v1/streams/threads/records", token))).toBe("grant_revoked");
  });

  it("takes its cursors with it, the owner's too: one that is made anew under its name is another", async () => {
    const some = Array.from({ length: 4 }, (_, index) => thread(`m${index}`));
    await written(MAIL, ...some);
    const of = `connection_id=${MAIL}&limit=1`;
    const [page, search] = [`/v1/streams/threads/records?${of}`, `/v1/search?q=wort&${of}`];
    const changes = `${page}&changes_since=beginning`;
    const cursors = [];
    for (const path of [page, search, changes])
      cursors.push(memberOf(await told(get(path, writer)), "next_cursor"));
    while (memberOf(await told(operate("DELETE", `/admin/records/connections/${MAIL}`)), "done") === false);
    await written(MAIL, ...some);
    for (const [index, path] of [page, search, page].entries()) {
      const answer = await get(`${path}&cursor=${encodeURIComponent(String(cursors[index]))}`, writer);
      expect(await codeOf(answer)).toBe("invalid_cursor");
    }
  });

  it("is not overtaken by a grant that was judged before it", async () => {
    const grants = [{ id: "g1", grant: { connectionId: "gone", source: null, streams: [] } }];
    const claims = {
      kind: "client",
      principal: "p",
      tokenId: "t1",
      expiresAtSeconds: 1,
      scopes: null,
    } as const;
    const reader = { name: "n", claims: { ...claims, keyId: "k" }, packageId: null, grants };
    expect(await new GrantStore(env.DB).create(reader, 0)).toEqual({ ok: false, reason: "connection_gone" });
    expect(await rows("SELECT id FROM tokens WHERE id = 't1'")).toEqual([]);
  });
});

describe("DELETE /admin/records/manifests/{key}", () => {
  it("names the connections in the way, and removes what has none", async () => {
    const refused = await operate("DELETE", "/admin/records/manifests/testchat");
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { error: "manifest_in_use", problems: [`the connection ${CHAT} is of it`] },
    ]);
    while (memberOf(await told(operate("DELETE", `/admin/records/connections/${CHAT}`)), "done") === false);
    expect((await operate("DELETE", "/admin/records/manifests/testchat")).status).toBe(200);
    expect((await operate("DELETE", "/admin/records/manifests/testchat")).status).toBe(404);
  });
});

describe("POST /admin/records/delete", () => {
  const remove = (more: object) =>
    operate("POST", "/admin/records/delete", { connection_id: MAIL, stream: "threads", ...more });

  it("deletes by keys, tells readers, and may be repeated", async () => {
    await written(MAIL, thread("a"), thread("b/c"));
    const since = memberOf(
      await told(get(`/v1/streams/threads/records?connection_id=${MAIL}&changes_since=beginning`, writer)),
      "next_changes_since",
    );
    const deletion = { keys: ["b/c", "nobody", "b/c"] };
    expect(await told(remove(deletion))).toMatchObject({ done: true, deleted: 1, absent: 1 });
    expect(await told(remove(deletion))).toMatchObject({ done: true, deleted: 0, absent: 2 });
    expect(await keys(writer, `connection_id=${MAIL}`)).toEqual(["a"]);
    const changes = `connection_id=${MAIL}&changes_since=${encodeURIComponent(String(since))}`;
    expect(memberOf(await told(get(`/v1/streams/threads/records?${changes}`, writer)), "data")).toMatchObject(
      [{ id: "b/c", deleted: true }],
    );
    expect(memberOf(await told(get("/v1/search?q=seltenes", writer)), "data")).toHaveLength(1);
  });

  it("erases what they were, and an older bookmark begins anew", async () => {
    await written(MAIL, thread("a"), thread("b", { body: "x".repeat(RECORD_ROW_BODY_MAX_BYTES) }));
    await written(MAIL, thread("b", { subject: "later" }));
    const bookmark = memberOf(
      await told(get(`/v1/streams/threads/records?connection_id=${MAIL}&changes_since=beginning`, writer)),
      "next_changes_since",
    );
    expect(await told(remove({ keys: ["b"], erase: true }))).toEqual({
      done: true,
      deleted: 1,
      absent: 0,
      erased: { versions: 2, bodies: 1 },
    });
    expect(
      await rows("SELECT record_key, deleted, data FROM record_versions WHERE record_key = 'b'"),
    ).toEqual([{ record_key: "b", deleted: 1, data: null }]);
    expect((await env.ARTIFACTS.list({ prefix: "records/" })).objects).toEqual([]);
    const changes = `connection_id=${MAIL}&changes_since=${encodeURIComponent(String(bookmark))}`;
    expect(await codeOf(await get(`/v1/streams/threads/records?${changes}`, writer))).toBe("cursor_expired");
    expect(await keys(writer, `connection_id=${MAIL}`)).toEqual(["a"]);
  });

  it.each([
    [{ keys: [] }, 400],
    [{ keys: [1] }, 400],
    [{ keys: ["a"], erased: true }, 400],
    [{ keys: ["a"], erase: "yes" }, 400],
    [{ keys: ["a"], stream: "gone" }, 404],
    [{ keys: ["a"], connection_id: "gone" }, 404],
  ])("refuses %j", async (more, status) => {
    expect((await remove(more)).status).toBe(status);
  });
});

describe("POST /admin/records/collect", () => {
  it("removes old bodies that no record names, and nothing else", async () => {
    await written(MAIL, thread("large", { body: "x".repeat(RECORD_ROW_BODY_MAX_BYTES) }));
    await env.ARTIFACTS.put("records/1/left/over", "{}");
    await env.ARTIFACTS.put("d7/another", "{}");
    const store = new LeftoverStore(env.DB, new BodyStore(env.ARTIFACTS));
    expect(await told(operate("POST", "/admin/records/collect", {}))).toEqual({
      bodies: 2,
      removed: 0,
      cursor: null,
    });
    const later = Date.now() + RECORD_LEFTOVER_MIN_AGE_MS;
    expect(await store.step(undefined, later)).toEqual({ bodies: 2, removed: 1, cursor: null });
    const names = (await env.ARTIFACTS.list()).objects.map(({ key }) => key.split("/")[0]);
    expect(names).toEqual(["d7", "records"]);
    const plan = await rows(
      "EXPLAIN QUERY PLAN SELECT 1 FROM json_each('[]') j WHERE EXISTS (SELECT 1 FROM record_versions v WHERE v.data_object = j.value)",
    );
    expect(plan.map(({ detail }) => detail).join("\n")).toContain("record_versions_by_object");
  });
});

describe("what an importer says beside its lines", () => {
  const post = (more: string, ...lines: readonly string[]) =>
    ingest(writer, `${MAIL}&${more}`, "threads", lines.join("\n"));
  const name = async () => {
    const connections = memberOf(await told(operate("GET", "/admin/records/connections")), "connections");
    const found = (isJsonArray(connections) ? connections : []).find((one) => memberOf(one, "id") === MAIL);
    return memberOf(found, "display_name");
  };

  it("is the connection's name, which stays until another is said", async () => {
    expect((await post("display_name=Ann%27s%20mail", thread("a"))).status).toBe(200);
    expect((await post("", thread("b"))).status).toBe(200);
    expect(await name()).toBe("Ann's mail");
    expect((await post("display_name=%E2%80%AE", thread("c"))).status).toBe(400);
    const renamed = { id: MAIL, display_name: "Work" };
    expect((await operate("POST", "/admin/records/connections", renamed)).status).toBe(201);
    expect(await name()).toBe("Work");
    expect((await operate("POST", "/admin/records/connections", { id: MAIL, display_name: "" })).status).toBe(
      201,
    );
    expect(await name()).toBeNull();
    expect((await operate("POST", "/admin/records/connections", { id: "new-one" })).status).toBe(400);
    expect(await keys(writer, `connection_id=${MAIL}`)).toEqual(["b", "a"]);
  });

  it("is how many lines there are, and a batch that was cut off is not written", async () => {
    const cut = await post("lines=3", thread("a"), thread("b"));
    expect([cut.status, await codeOf(cut)]).toEqual([400, "invalid_request"]);
    expect((await post("lines=x", thread("a"))).status).toBe(400);
    expect(await keys(writer, `connection_id=${MAIL}`)).toEqual([]);
    expect((await post("lines=2", thread("a"), "", thread("b"))).status).toBe(200);
    expect((await post("lines=0")).status).toBe(200);
  });
});

describe("a manifest in place of one with records", () => {
  const changed = (change: (stream: object) => object) => {
    const [mail] = seed.manifests;
    return {
      ...mail,
      streams: mail?.streams.map((stream) => (stream.name === "threads" ? change(stream) : stream)),
    };
  };
  const threads = (more: string) => get(`/v1/streams/threads/records?connection_id=${MAIL}&${more}`, writer);

  it("finds old rows by a field that is new, by its words and in its new kind", async () => {
    await written(
      MAIL,
      thread("a", { room: "red" }),
      thread("b", { room: "blue", size: "7" }),
      thread("c", { size: 7 }),
    );
    const grown = changed((stream) => ({
      ...stream,
      schema: {
        required: ["id"],
        properties: {
          id: { type: "string" },
          subject: { type: "string" },
          updated_at: { type: "string", format: "date-time" },
          room: { type: "string" },
          size: { type: "integer" },
        },
      },
      query: { range_filters: { size: ["gte"] }, search: { lexical_fields: ["subject", "room"] } },
    }));
    expect(await told(operate("POST", "/admin/records/manifests", grown))).toEqual({
      manifests: [{ connector_key: "testmail", streams: ["threads", "messages"], changed: true }],
    });
    expect(await keys(writer, `connection_id=${MAIL}&filter[room]=red`)).toEqual(["a"]);
    expect(await keys(writer, `connection_id=${MAIL}&filter[size][gte]=7`)).toEqual(["c"]);
    expect(memberOf(await told(get("/v1/search?q=blue", writer)), "data")).toMatchObject([
      { record_key: "b" },
    ]);
    expect(await told(operate("POST", "/admin/records/reindex", { connector_key: "testmail" }))).toEqual({
      records: 0,
      done: true,
    });
    expect((await operate("POST", "/admin/records/reindex", { connector_key: "gone" })).status).toBe(404);
  });

  it("with other words to be found ends the searches that are under way", async () => {
    await written(MAIL, ...["a", "b", "c"].map((key) => thread(key, { room: "wort ".repeat(key.length) })));
    const search = (more: string) => get(`/v1/search?q=wort&limit=1${more}`, writer);
    const cursor = `&cursor=${encodeURIComponent(String(memberOf(await told(search("")), "next_cursor")))}`;
    const same = changed((stream) => ({ ...stream, views: [{ id: "short", fields: ["id"] }] }));
    expect((await operate("POST", "/admin/records/manifests", same)).status).toBe(200);
    expect(memberOf(await told(search(cursor)), "data")).toMatchObject([{ record_key: "b" }]);
    const other = changed((stream) => ({
      ...stream,
      query: { search: { lexical_fields: ["subject", "id"] } },
    }));
    expect((await operate("POST", "/admin/records/manifests", other)).status).toBe(200);
    expect(await codeOf(await search(cursor))).toBe("invalid_cursor");
  });

  it("in another order leaves the old one until it begins, then lists wait, and a place in the old one is none", async () => {
    await written(
      MAIL,
      thread("a", { subject: "3" }),
      thread("b", { subject: "1" }),
      thread("c", { subject: "2" }),
    );
    const cursor = memberOf(await told(threads("limit=1")), "next_cursor");
    const since = memberOf(await told(threads("changes_since=beginning")), "next_changes_since");
    const other = changed((stream) => ({ ...stream, cursor_field: "subject" }));
    expect(await new ManifestStore(env.DB).load(other, Date.now())).toMatchObject({
      value: { isWaiting: true },
    });
    const store = new ReindexStore(env.DB, new BodyStore(env.ARTIFACTS), 1);
    expect(await keys(writer, `connection_id=${MAIL}`)).toEqual(["c", "b", "a"]);
    await store.step("testmail", Date.now());
    expect(await codeOf(await threads("limit=1"))).toBe("source_unavailable");
    expect((await get(`/v1/streams/threads/records/a?connection_id=${MAIL}`, writer)).status).toBe(200);
    expect((await get("/v1/search?q=1", writer)).status).toBe(200);
    expect((await threads(`changes_since=${encodeURIComponent(String(since))}`)).status).toBe(200);
    await written(MAIL, thread("d", { subject: "0" }));
    while (!(await store.step("testmail", Date.now())).done);
    expect(await keys(writer, `connection_id=${MAIL}`)).toEqual(["a", "c", "b", "d"]);
    expect(await keys(writer, `connection_id=${MAIL}&sort=subject`)).toEqual(["d", "b", "c", "a"]);
    expect(await codeOf(await threads(`limit=1&cursor=${encodeURIComponent(String(cursor))}`))).toBe(
      "invalid_cursor",
    );
    const changes = await told(threads(`changes_since=${encodeURIComponent(String(since))}`));
    expect(memberOf(changes, "data")).toMatchObject([{ id: "d" }]);
  });
});

it("a manifest's unknown members are told, and it is loaded", async () => {
  const manifest = {
    ...notesManifest((stream) => ({ ...stream, lexical_fields: ["title"] })),
    titel: "Notes",
  };
  expect(await told(operate("POST", "/admin/records/manifests", manifest))).toMatchObject({
    manifests: [
      {
        warnings: [
          "/titel is not known and counts for nothing",
          "/streams/0/lexical_fields is not known and counts for nothing",
        ],
      },
    ],
  });
});

it("a token that is forgotten is in no list and opens nothing; one with grants stays listed", async () => {
  const made = await told(operate("POST", "/admin/tokens", { name: "import", kind: "owner" }));
  expect((await operate("DELETE", `/admin/tokens/${String(memberOf(made, "id"))}?forget=true`)).status).toBe(
    200,
  );
  expect((await get("/v1/streams", String(memberOf(made, "token")))).status).toBe(401);
  const { tokenId } = await grant([MAIL]);
  expect((await operate("DELETE", `/admin/tokens/${tokenId}?forget=true`)).status).toBe(200);
  const list = await (await operate("GET", "/admin/tokens")).text();
  expect([list.includes(String(memberOf(made, "id"))), list.includes(tokenId)]).toEqual([false, true]);
});
