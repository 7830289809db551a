import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import type { ReadAnswer, ReadSource } from "../../../src/records/source/read-source.ts";
import { httpRig, type HttpRig } from "../../support/records/http-rig.ts";
import { requestOf } from "../../support/records/read-sources.ts";
import type { Misbehaviour, RecordsServer } from "../../support/records-server/server.ts";
import { RECORDED_GRANTS, startRecorded } from "../../support/records-server/seeded.ts";

const PAGE = "/v1/streams/messages/records?limit=3";
const BEARER = "a-bearer-that-nobody-may-see-0123456789";

let server: RecordsServer;
let rig: HttpRig;
beforeEach(async () => {
  server = await startRecorded({
    grants: { ...RECORDED_GRANTS, [BEARER]: RECORDED_GRANTS["mail"] ?? never() },
  });
  rig = httpRig(server);
});
afterEach(() => server.close());

function never(): never {
  throw new Error("no such grant");
}

function read(path: string, source: ReadSource = rig.source()): Promise<ReadAnswer> {
  return source.get(requestOf(path));
}

function codeOf(answer: ReadAnswer): string {
  return answer.ok ? "ok" : answer.error.code;
}

function paths(): readonly string[] {
  return server.seen.map(({ url }) => url);
}

function idsOf(answer: ReadAnswer): readonly unknown[] {
  const data = answer.ok ? memberOf(answer.body, "data") : undefined;
  return isJsonArray(data) ? data.map((row) => memberOf(row, "id")) : [];
}

describe("an external resource server", () => {
  it("is asked once for its schema, then once for each read, with its own bearer", async () => {
    const source = rig.source();
    const answer = await read(PAGE, source);
    expect(answer).toMatchObject({ ok: true, status: 200, requestId: "req_2" });
    expect(idsOf(answer)).toEqual(["testmail-m12", "testmail-m11", "testmail-m10"]);
    expect(await read("/v1/streams/messages/records/testmail-m3")).toMatchObject({ ok: true });
    expect(paths()).toEqual(["/v1/schema?view=compact", PAGE, "/v1/streams/messages/records/testmail-m3"]);
    expect(new Set(server.seen.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer mail"]));
    expect(source.describe()).toEqual({
      kind: "http",
      profile: "full",
      recordsUrl: `${server.url}/v1`,
      connections: [
        {
          recordsUrl: `${server.url}/v1`,
          connectionId: "cin_a",
          connectorKey: "testmail",
          grantId: "grt_1",
          displayName: null,
          streams: ["threads", "messages"],
        },
      ],
    });
    expect(rig.buffers.held()).toBe(0);
  });

  it("needs no second call where the first read is the schema itself", async () => {
    expect(await read("/v1/schema?view=compact")).toMatchObject({ ok: true });
    expect(await read(PAGE)).toMatchObject({ ok: true });
    expect(paths()).toHaveLength(2);
  });

  it("gives numbers as they stood, and passes errors and cursors on as they came", async () => {
    server.write("cin_a", "messages", "n", { id: "n", size: 10, sent_at: "2027-01-01T00:00:00Z" });
    const exact = httpRig(server, {
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        const text = await response.text();
        return new Response(
          text.replace('"size":10,', '"size":12345678901234567890,"price":1.10,'),
          response,
        );
      },
    });
    const answer = await read("/v1/streams/messages/records/n", exact.source());
    expect(exactJsonText(answer)).toContain('"size":12345678901234567890,"price":1.10,');
    expect(await read("/v1/streams/messages/records/missing")).toMatchObject({
      ok: false,
      status: 404,
      error: { type: "not_found_error", code: "not_found" },
    });
    const page = await read(PAGE);
    const cursor = String(page.ok ? memberOf(page.body, "next_cursor") : "");
    expect(idsOf(await read(`${PAGE}&cursor=${encodeURIComponent(cursor)}`))).toEqual([
      "testmail-m10",
      "testmail-m9",
      "testmail-m8",
    ]);
  });

  it("says in one way that a connection has to be chosen, however the server says it", async () => {
    const source = rig.source("both");
    expect(await read(PAGE, source)).toMatchObject({
      ok: false,
      status: 409,
      error: {
        type: "invalid_request_error",
        code: "ambiguous_connection",
        retry_with: "connection_id",
        available_connections: [{ connection_id: "cin_a" }, { connection_id: "cin_b" }],
      },
    });
    expect(await read(`${PAGE}&connection_id=cin_b`, source)).toMatchObject({ ok: true });
  });

  it("sends any key as one segment, and refuses what a URL would change", async () => {
    const source = rig.source();
    await read(PAGE, source);
    for (const key of ["a/b", "é?#&%2F", "x".repeat(500), "\u{1f600}", "\\", "\ud800"]) {
      expect(codeOf(await source.get({ path: ["streams", "messages", "records", key], query: [] }))).toBe(
        "not_found",
      );
    }
    const calls = server.seen.length;
    for (const key of ["..", ".", "", "y".repeat(20_000)]) {
      expect(codeOf(await source.get({ path: ["streams", "messages", "records", key], query: [] }))).toBe(
        "invalid_request",
      );
    }
    expect(server.seen).toHaveLength(calls);
  });

  it.each<[Misbehaviour, object]>([
    ["html", { status: 200, error: { code: "source_unavailable" }, requestId: "proxy-1" }],
    ["html_error", { status: 502, error: { code: "http_502", type: "api_error" }, requestId: "proxy-1" }],
    ["redirect", { status: 302, error: { code: "http_302" } }],
    [
      "too_many",
      { status: 429, error: { code: "rate_limit_exceeded", type: "rate_limit_error", retry_after: 7 } },
    ],
    ["no_json", { status: 200, error: { code: "source_unavailable" } }],
    ["reset", { status: 0, error: { code: "source_unavailable" } }],
    ["hang", { status: 0, error: { code: "source_unavailable" } }],
    ["hang_in_body", { status: 0, error: { code: "source_unavailable" } }],
    ["endless", { status: 200, error: { code: "source_unavailable" } }],
  ])("that answers with %s fails this one read, in a way that can be acted on", async (wrong, expected) => {
    const short = httpRig(server, { timeoutMs: wrong.startsWith("hang") ? 300 : 20_000 });
    expect(await read(PAGE, short.source())).toMatchObject({ ok: true });
    server.misbehave = wrong;
    const before = server.seen.length;
    expect(await read(PAGE, short.source())).toMatchObject({ ok: false, ...expected });
    // Neither again, nor elsewhere, nor with anything else.
    expect(server.seen).toHaveLength(before + 1);
    expect(short.buffers.held()).toBe(0);
    server.misbehave = undefined;
    expect(await read(PAGE, short.source())).toMatchObject({ ok: true });
  });

  it("says that an answer is too large, and how to get less, without holding more than its cap", async () => {
    const small = httpRig(server, { bufferBytes: 1024 * 1024 });
    await read(PAGE, small.source());
    for (const each of [rig, small]) {
      await read(PAGE, each.source());
      server.misbehave = "endless";
      const answer = await read(PAGE, each.source());
      server.misbehave = undefined;
      expect(answer.ok ? "" : answer.error.message).toMatch(/limit.*fields/);
    }
  });

  it("is not reached at all at an address that is none, or while nothing listens", async () => {
    const gone = httpRig({ url: "http://127.0.0.1:1" });
    expect(await read(PAGE, gone.source())).toMatchObject({
      ok: false,
      status: 0,
      error: { code: "source_unavailable" },
    });
    const plain = httpRig({ url: "http://records.example" });
    expect(codeOf(await read(PAGE, plain.source()))).toBe("invalid_request");
  });
});

describe("a bearer that is no client's", () => {
  it.each(["owner", "odd"])("is refused before any record is asked for: %s", async (bearer) => {
    const refused = {
      ok: false,
      status: 403,
      error: { type: "permission_error", code: "owner_token_refused" },
    };
    expect(await read(PAGE, rig.source(bearer))).toMatchObject(refused);
    expect(await read("/v1/schema?view=compact", rig.source(bearer))).toMatchObject(refused);
    expect(await read("/v1/schema?stream=messages", rig.source(bearer))).toMatchObject(refused);
    expect(await read("/v1/search?q=invoice", rig.source(bearer))).toMatchObject(refused);
    expect(paths()).toEqual(["/v1/schema?view=compact"]);
    expect(rig.source(bearer).describe().connections).toEqual([]);
  });

  it("is looked at again after a minute, so that a bearer which became an owner's is not used on", async () => {
    expect(codeOf(await read(`${PAGE}&connection_id=cin_a`))).toBe("ok");
    server.grants.set("mail", { kind: "owner", grantId: null, connections: [] });
    rig.nowMs += 59_999;
    expect(codeOf(await read(`${PAGE}&connection_id=cin_a`))).toBe("ok");
    rig.nowMs += 1;
    expect(codeOf(await read(`${PAGE}&connection_id=cin_a`))).toBe("owner_token_refused");
    expect(codeOf(await read(`${PAGE}&connection_id=cin_a`))).toBe("owner_token_refused");
    expect(paths().filter((path) => path.startsWith("/v1/schema"))).toHaveLength(2);
    rig.nowMs += 60_000;
    server.grants.set("mail", RECORDED_GRANTS["mail"] ?? never());
    expect(codeOf(await read(`${PAGE}&connection_id=cin_a`))).toBe("ok");
  });

  it("takes packages of grants", async () => {
    expect(await read("/v1/search?q=invoice", rig.source("both"))).toMatchObject({ ok: true });
  });

  it("is not tried with other credentials where the server takes it no longer", async () => {
    await read(PAGE);
    server.grants.delete("mail");
    const before = server.seen.length;
    expect(await read(PAGE)).toMatchObject({
      ok: false,
      status: 401,
      error: { code: "authentication_error" },
    });
    expect(server.seen).toHaveLength(before + 1);
  });
});

describe("a bearer", () => {
  it.each<Misbehaviour>([
    "echo_error",
    "echo_body",
    "html",
    "html_error",
    "wrong_shape",
    "redirect",
    "reset",
  ])("appears in no answer, error or log, whatever the server says: %s", async (wrong) => {
    await read(PAGE, rig.source(BEARER));
    server.misbehave = wrong;
    const answers = [await read(PAGE, rig.source(BEARER)), await read("/v1/schema", rig.source(BEARER))];
    rig.nowMs += 60_000;
    answers.push(await read(PAGE, rig.source(BEARER)));
    expect(JSON.stringify([answers, rig.logged, rig.source(BEARER).describe()])).not.toContain(BEARER);
  });
});

describe("a server that takes no filters, expansions and views from clients", () => {
  beforeEach(() => {
    server.profile = "core-v0.1-client";
  });

  it.each([
    ["filter", "/v1/streams/messages/records?filter[sender]=ann"],
    ["filter", "/v1/streams/messages/aggregate?metric=count&filter[size][gte]=5"],
    ["filter", "/v1/search?q=invoice&filter[sender]=ann&streams[]=messages"],
    ["expand", "/v1/streams/threads/records?expand=messages"],
    ["expand_limit", "/v1/streams/threads/records?expand_limit[messages]=1"],
    ["view", "/v1/streams/messages/records?view=headers"],
  ])("is known by its schema, and %s is answered without a call: %s", async (feature, path) => {
    await read("/v1/schema?view=compact");
    const before = server.seen.length;
    const answer = await read(path);
    expect(answer).toMatchObject({
      ok: false,
      status: 400,
      error: { code: "unsupported_by_source", feature, param: feature, profile: "core-v0.1-client" },
    });
    expect(String(answer.ok ? "" : answer.error["alternative"])).not.toBe("");
    expect(server.seen).toHaveLength(before);
    expect(rig.source().describe().profile).toBe("core-v0.1-client");
  });

  it("still answers all else: pages, order, counts, fields, changes, aggregates, search", async () => {
    for (const path of [
      `${PAGE}&order=asc&count=exact&fields=id,sender`,
      "/v1/streams/messages/records?changes_since=beginning&limit=2",
      "/v1/streams/messages/aggregate?metric=sum&field=size",
      "/v1/search?q=invoice&limit=2",
      "/v1/schema?detail=full&stream=messages",
    ]) {
      expect(codeOf(await read(path))).toBe("ok");
    }
    expect(codeOf(await read("/v1/streams/nope/records"))).toBe("context.stream_not_allowed");
  });

  it("gives its schema in the plain form where it makes no compact one, with its profile in it", async () => {
    const answer = await read("/v1/schema?view=compact");
    const body = answer.ok ? answer.body : undefined;
    expect(memberOf(body, "source_profile")).toBe("core-v0.1-client");
    const connectors = memberOf(body, "connectors");
    expect(isJsonArray(connectors) && connectors.map((each) => memberOf(each, "source_profile"))).toEqual([
      "core-v0.1-client",
    ]);
    await read("/v1/schema?view=compact");
    expect(paths()).toEqual(["/v1/schema?view=compact", "/v1/schema", "/v1/schema"]);
  });

  it("is learnt from its first refusal where its schema tells nothing", async () => {
    const fuller = httpRig(server, {
      fetch: (url, init) => {
        // As a server whose schema was never stripped: the full one's, asked for in its place.
        server.profile = String(url).includes("/v1/schema") ? "full" : "core-v0.1-client";
        return fetch(url, init);
      },
    });
    expect(codeOf(await read("/v1/streams/messages/records?filter[nope]=1", fuller.source()))).toBe(
      "unsupported_by_source",
    );
    const before = server.seen.length;
    expect(codeOf(await read("/v1/streams/threads/records?expand=messages", fuller.source()))).toBe(
      "unsupported_by_source",
    );
    expect(server.seen).toHaveLength(before);
    fuller.nowMs += 60_000;
    expect(codeOf(await read("/v1/streams/threads/records?expand=messages", fuller.source()))).toBe(
      "unsupported_by_source",
    );
  });

  it("is not seen in a server that only refuses a value", async () => {
    server.profile = "full";
    for (const path of [
      "/v1/streams/messages/records?filter[nope]=1",
      "/v1/streams/messages/records?filter[size][gt]=1",
      "/v1/streams/messages/records?view=nope",
      "/v1/streams/messages/records?expand=thread",
    ]) {
      expect(codeOf(await read(path))).not.toBe("unsupported_by_source");
    }
    expect(rig.source().describe().profile).toBe("full");
    expect(codeOf(await read("/v1/streams/messages/records?filter[sender]=ann"))).toBe("ok");
  });
});
