import { describe, expect, it } from "vitest";
import { isJsonArray } from "../../../src/json.ts";
import type { SourceConnection } from "../../../src/records/source/read-source.ts";
import { bodyOf, calls, packageOf, plain, schemaOf } from "../../support/records/package-rig.ts";
import {
  connection,
  fakeSource,
  refusal,
  requestOf,
  type FakeSource,
} from "../../support/records/read-sources.ts";

const NEEDING_A_CONNECTION = [
  "/v1/streams/messages/records?limit=3",
  "/v1/streams/messages/records/a%2Fb",
  "/v1/streams/messages/aggregate?metric=count",
  "/v1/streams/messages",
];

/** An external source: its connections are known once its schema was read. */
function external(connections: readonly SourceConnection[]): FakeSource {
  let known: readonly SourceConnection[] = [];
  const inner = fakeSource({ connections, kind: "http" });
  return {
    asked: inner.asked,
    describe: () => ({ kind: "http", profile: "full", connections: known }),
    get: (request) => {
      known = connections;
      return inner.get(request);
    },
  };
}

describe("a read of one connection in a package", () => {
  it.each(NEEDING_A_CONNECTION)("goes unchanged to the member that has the connection: %s", async (path) => {
    const sources = plain(3);
    const request = requestOf(path);
    const named = { path: request.path, query: [...request.query, ["connection_id", "c1"] as const] };
    expect(bodyOf(await packageOf(sources).get(named))).toEqual({ from: ["c1"] });
    expect(calls(sources)).toEqual([0, 1, 0]);
    expect(sources[1]?.asked).toEqual([named]);
  });

  it.each(["schema", "streams", "search", "connectors"])(
    "is all that is read of %s where it names one",
    async (head) => {
      const sources = plain(2);
      await packageOf(sources).get({ path: [head], query: [["connection_id", "c0"]] });
      expect(calls(sources)).toEqual([1, 0]);
    },
  );

  it.each(NEEDING_A_CONNECTION)("asks nobody where two could be meant, and says which: %s", async (path) => {
    const sources = plain(2);
    expect(await packageOf(sources).get(requestOf(path))).toMatchObject({
      ok: false,
      status: 409,
      error: {
        type: "invalid_request_error",
        code: "ambiguous_connection",
        retry_with: "connection_id",
        available_connections: [
          { connection_id: "c0", connector_key: "mail", grant_id: "grant-c0" },
          { connection_id: "c1", connector_key: "mail", grant_id: "grant-c1" },
        ],
        available_connection_count: 2,
      },
    });
    expect(calls(sources)).toEqual([0, 0]);
  });

  it("names those that have the stream, where it is known who has", async () => {
    const sources = [fakeSource({ connections: [connection("c0", ["threads"])] }), ...plain(2).slice(1)];
    expect(await packageOf(sources).get(requestOf("/v1/streams/messages/records"))).toMatchObject({
      error: { code: "ambiguous_connection", available_connections: [{ connection_id: "c1" }] },
    });
    expect(calls(sources)).toEqual([0, 0]);
  });

  it("lists twelve of twenty candidates, with their total and where the rest is found, without a call", async () => {
    const sources = plain(20);
    const read = await packageOf(sources).get(requestOf(NEEDING_A_CONNECTION[0] ?? ""));
    if (read.ok) throw new Error("answered");
    const { error } = read;
    expect(isJsonArray(error["available_connections"]) && error["available_connections"].length).toBe(12);
    expect(error).toMatchObject({
      available_connection_count: 20,
      available_connections_truncated: true,
      available_connections_omitted: 8,
    });
    expect(error["discovery_hint"]).toContain("schema");
    expect(calls(sources).every((count) => count === 0)).toBe(true);
  });

  it("needs no connection where all grants are over one", async () => {
    const sources = [
      fakeSource({ connections: [connection("c0", ["threads"])] }),
      fakeSource({ connections: [connection("c0")] }),
    ];
    expect(bodyOf(await packageOf(sources).get(requestOf("/v1/streams/messages/records")))).toEqual({
      from: ["c0"],
    });
    expect(calls(sources)).toEqual([0, 1]);
  });

  it("asks the next grant over the same connection only where one has it not", async () => {
    const first = fakeSource({ connections: [connection("c0")], behave: () => refusal(404, "not_found") });
    const second = fakeSource({ connections: [connection("c0")] });
    const broken = fakeSource({
      connections: [connection("c0")],
      behave: () => refusal(400, "unknown_field"),
    });
    const path = "/v1/streams/messages/records/a?connection_id=c0";
    expect(bodyOf(await packageOf([first, second]).get(requestOf(path)))).toEqual({ from: ["c0"] });
    expect(await packageOf([broken, second]).get(requestOf(path))).toMatchObject({
      error: { code: "unknown_field" },
    });
    expect(await packageOf([first, first]).get(requestOf(path))).toMatchObject({
      error: { code: "not_found" },
    });
    expect(second.asked).toHaveLength(1);
  });

  it("never goes to a server that claims another's connection, not even for what is not there", async () => {
    const [embedded, liar] = [
      fakeSource({ connections: [connection("c0")], behave: () => refusal(404, "not_found") }),
      fakeSource({
        connections: [connection("x1"), connection("c0", ["secrets"])],
        kind: "http",
        behave: () => schemaOf("mail", "c0", ["secrets"]),
      }),
    ];
    const source = packageOf([embedded, liar]);
    for (const stream of ["messages", "secrets"]) {
      const read = await source.get(requestOf(`/v1/streams/${stream}/records/a?connection_id=c0`));
      expect(read).toMatchObject({ ok: false, error: { code: "not_found" } });
    }
    expect(calls([embedded, liar])).toEqual([2, 0]);
    const body = bodyOf(
      await packageOf([
        fakeSource({ connections: [connection("c0")], behave: () => schemaOf("mail", "c0", ["messages"]) }),
        liar,
      ]).get(requestOf("/v1/schema")),
    );
    expect(JSON.stringify(body)).not.toContain("secrets");
    expect(source.describe().connections.map(({ connectionId }) => connectionId)).toEqual(["c0", "x1"]);
  });

  it("is refused without a call where nobody has it", async () => {
    const sources = plain(2);
    expect(await packageOf(sources).get(requestOf("/v1/schema?connection_id=nope"))).toMatchObject({
      ok: false,
      status: 404,
      error: { type: "not_found_error", code: "connection_not_found", param: "connection_id" },
    });
    expect(calls(sources)).toEqual([0, 0]);
  });

  it("is looked for once in a source whose connections are not known yet", async () => {
    const [embedded, outside] = [
      fakeSource({ connections: [connection("c0")] }),
      external([connection("x1")]),
    ];
    const source = packageOf([embedded, outside]);
    expect(bodyOf(await source.get(requestOf("/v1/streams/messages/records?connection_id=x1")))).toEqual({
      from: ["x1"],
    });
    expect(outside.asked.map(({ path }) => path[0])).toEqual(["schema", "streams"]);
    expect(await source.get(requestOf("/v1/streams/messages/records?connection_id=x2"))).toMatchObject({
      status: 404,
    });
    expect(calls([embedded, outside])).toEqual([0, 2]);
    expect(source.describe().connections.map(({ connectionId }) => connectionId)).toEqual(["c0", "x1"]);
  });

  it("is not said to be missing while the source that may have it is down", async () => {
    const down = fakeSource({
      connections: [],
      kind: "http",
      behave: () => refusal(0, "source_unavailable"),
    });
    const source = packageOf([...plain(1), down]);
    expect(await source.get(requestOf("/v1/streams/messages/records?connection_id=x1"))).toMatchObject({
      error: { code: "source_unavailable" },
    });
  });

  it("names two connections at once in vain", async () => {
    const sources = plain(2);
    const path = "/v1/streams/messages/records?connection_id=c0&connector_instance_id=c1";
    expect(await packageOf(sources).get(requestOf(path))).toMatchObject({
      status: 400,
      error: { code: "invalid_argument" },
    });
    expect(
      bodyOf(await packageOf(sources).get(requestOf("/v1/streams/m/records?connector_instance_id=c1"))),
    ).toEqual({ from: ["c1"] });
  });

  it("is nothing at other paths", async () => {
    const sources = plain(2);
    for (const path of ["/v1/search/semantic?q=x", "/v1/blobs/b", "/v1/"]) {
      expect(await packageOf(sources).get(requestOf(path))).toMatchObject({
        status: 404,
        error: { code: "not_found" },
      });
    }
    expect(calls(sources)).toEqual([0, 0]);
  });
});
