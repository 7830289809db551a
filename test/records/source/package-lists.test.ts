import { describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import type { ReadAnswer } from "../../../src/records/source/read-source.ts";
import { bodyOf, calls, packageOf, schemaOf } from "../../support/records/package-rig.ts";
import { answer, connection, fakeSource, refusal, requestOf } from "../../support/records/read-sources.ts";

describe("a schema over several sources", () => {
  const mail = () =>
    fakeSource({
      connections: [connection("c0", ["messages", "threads"])],
      behave: () => schemaOf("mail", "c0", ["messages", "threads"]),
    });
  const chat = () =>
    fakeSource({
      connections: [connection("x1", ["messages"])],
      kind: "http",
      behave: () => schemaOf("chat", "x1", ["messages"]),
    });

  it("has every connector with its own connections, and counts", async () => {
    const body = bodyOf(await packageOf([mail(), chat()]).get(requestOf("/v1/schema?view=compact")));
    expect(body).toMatchObject({
      object: "schema",
      detail: "compact",
      bearer: { scope: "grant", token_kind: "mcp_package", grant_package_id: "p1", client_id: "t1" },
      connector_count: 2,
      stream_count: 3,
      connectors: [
        { connector_key: "mail", granted_connections: [{ connection_id: "c0" }] },
        { connector_key: "chat", granted_connections: [{ connection_id: "x1" }] },
      ],
      package: {
        grant_package: "p1",
        member_count: 2,
        sources: [{ connection_id: "c0" }, { connection_id: "x1" }],
      },
      meta: { warnings: [], package: { partial: false } },
    });
  });

  it("takes flat documents too", async () => {
    const flat = fakeSource({
      connections: [],
      kind: "http",
      behave: () =>
        answer({
          bearer: { token_kind: "client" },
          streams: [
            { name: "notes", connector_key: "paper", granted_connections: [{ connection_id: "x9" }] },
          ],
        }),
    });
    const body = bodyOf(await packageOf([mail(), flat]).get(requestOf("/v1/schema")));
    expect(memberOf(body, "connectors")).toMatchObject([
      { connector_key: "mail" },
      {
        connector_key: "paper",
        streams: [{ name: "notes", granted_connections: [{ connection_id: "x9" }] }],
      },
    ]);
  });

  it.each<[string, () => Promise<ReadAnswer> | ReadAnswer]>([
    ["is down", () => refusal(503, "source_unavailable")],
    ["hangs", () => new Promise(() => undefined)],
    ["has an owner's bearer", () => refusal(403, "owner_token_refused")],
    ["throws", () => Promise.reject(new Error("secret words"))],
  ])("is partial, and says so, where one %s", async (_how, behave) => {
    const body = bodyOf(
      await packageOf([mail(), fakeSource({ connections: [], kind: "http", behave })]).get(
        requestOf("/v1/schema"),
      ),
    );
    expect(memberOf(body, "meta")).toMatchObject({
      warnings: [{ code: "source_unavailable", detail: { source: "source 1" } }],
      package: { partial: true, member_count: 2 },
    });
    expect(JSON.stringify(body)).not.toContain("secret words");
  });

  it("is of one stream only where it is asked for one, and of one connection in full", async () => {
    const [left, right] = [mail(), chat()];
    const source = packageOf([left, right]);
    expect(await source.get(requestOf("/v1/schema?detail=full"))).toMatchObject({
      status: 400,
      error: { code: "invalid_request", param: "detail" },
    });
    expect(calls([left, right])).toEqual([0, 0]);
    expect(await source.get(requestOf("/v1/schema?detail=full&stream=messages"))).toMatchObject({
      status: 409,
      error: {
        code: "ambiguous_schema_detail",
        retry_with: "connection_id",
        available_connections: [{ connection_id: "c0" }, { connection_id: "x1" }],
      },
    });
    const one = [
      mail(),
      fakeSource({ connections: [], kind: "http", behave: () => refusal(401, "context.stream_not_allowed") }),
    ];
    const body = bodyOf(await packageOf(one).get(requestOf("/v1/schema?detail=full&stream=threads")));
    expect(memberOf(body, "meta")).toMatchObject({ warnings: [], package: { partial: false } });
  });

  it("names our own grants where one has to be chosen in full and the sources name none", async () => {
    const packaged = packageOf(
      ["c0", "c1"].map((id) =>
        fakeSource({ connections: [connection(id)], behave: () => schemaOf("mail", id, ["messages"]) }),
      ),
    );
    expect(await packaged.get(requestOf("/v1/schema?detail=full&stream=messages"))).toMatchObject({
      error: {
        code: "ambiguous_schema_detail",
        available_connections: [
          { connection_id: "c0", grant_id: "grant-c0" },
          { connection_id: "c1", grant_id: "grant-c1" },
        ],
      },
    });
  });

  it("passes a no on where all say it", async () => {
    const no = () =>
      fakeSource({ connections: [], kind: "http", behave: () => refusal(404, "stream_not_declared") });
    expect(await packageOf([no(), no()]).get(requestOf("/v1/schema?stream=x"))).toMatchObject({
      status: 404,
      error: { code: "stream_not_declared" },
    });
  });

  it.each([
    null,
    7,
    "x",
    [],
    { connectors: 3 },
    { connectors: [1, {}, { streams: "x" }], streams: [null] },
    { data: { connectors: [null] } },
  ])("is made of what can be read of it, whatever a member says: %j", async (body) => {
    const odd = fakeSource({ connections: [], kind: "http", behave: () => answer(body) });
    expect(
      memberOf(bodyOf(await packageOf([odd, mail()]).get(requestOf("/v1/schema"))), "connectors"),
    ).toMatchObject([{ connector_key: "mail" }]);
    expect(memberOf(bodyOf(await packageOf([odd, mail()]).get(requestOf("/v1/streams"))), "data")).toEqual(
      [],
    );
  });
});

describe("a list over several sources", () => {
  it("is all of theirs, and says where one has more", async () => {
    const row = (id: string) => ({ object: "stream", name: "messages", connection_id: id });
    const listed = (id: string, more: boolean) =>
      fakeSource({
        connections: [connection(id)],
        behave: () => answer({ object: "list", data: [row(id)], has_more: more }),
      });
    const body = bodyOf(
      await packageOf([listed("c0", false), listed("c1", true)]).get(requestOf("/v1/streams")),
    );
    expect(body).toMatchObject({ object: "list", has_more: false, data: [row("c0"), row("c1")] });
    expect(memberOf(body, "meta")).toMatchObject({
      warnings: [{ code: "partial_results" }],
      package: { partial: true },
    });
  });
});
