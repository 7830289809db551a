import { describe, expect, it } from "vitest";
import type { ReadAnswer } from "../../../src/records/source/read-source.ts";
import { bad, fakeSource, good } from "../../support/records/fake-source.ts";
import { flatDocument, nestedDocument, type TestConnector } from "../../support/records/schema-documents.ts";
import { at, callTool } from "../../support/records/tool-call.ts";

const connectors: readonly TestConnector[] = [
  {
    key: "mail",
    streams: [
      { name: "threads", relations: ["messages"], connections: ["cin_a"] },
      { name: "messages", relations: [], connections: ["cin_a"] },
    ],
  },
  { key: "chat", streams: [{ name: "messages", relations: ["reactions"], connections: ["cin_b"] }] },
];
const list = { object: "list", data: [], has_more: false };
const source = (schema: () => ReadAnswer, answer: ReadAnswer = good(list)) =>
  fakeSource(({ path }) => (path[0] === "schema" ? schema() : answer));

describe.each([
  ["nested", nestedDocument],
  ["flat", flatDocument],
])("the expand gate over a %s schema (seed 003)", (_form, documentFor) => {
  const document = () => good(documentFor(connectors));

  it("lets a relation through that the stream declares, after one schema read", async () => {
    const from = source(document);
    const args = {
      stream: "threads",
      connection_id: "cin_a",
      expand: ["messages"],
      expand_limit: { messages: 3 },
    };
    const answer = await callTool("query_records", args, from);
    expect(answer.isError).toBe(false);
    expect(answer.structured["data"]).toEqual(list);
    expect(from.paths()).toEqual([
      "/v1/schema?stream=threads&connection_id=cin_a",
      "/v1/streams/threads/records?connection_id=cin_a&expand=messages&expand_limit%5Bmessages%5D=3",
    ]);
  });

  it.each([
    ["query_records", { stream: "messages", connection_id: "cin_a", expand: ["thread"] }],
    ["query_records", { stream: "messages", connection_id: "cin_a", expand_limit: { thread: 1 } }],
    ["fetch", { id: "cin_a/messages:m1", expand: ["thread"] }],
  ])("refuses %s %j by the name of the stream, without reading a record", async (name, args) => {
    const from = source(document);
    const answer = await callTool(name, args, from);
    expect([answer.isError, answer.code]).toEqual([true, "invalid_expand"]);
    expect(at(answer.error, "message")).toContain('"messages"');
    expect(at(answer.error, "message")).toContain("GET /v1/schema, expand_capabilities");
    expect(from.paths()).toEqual(["/v1/schema?stream=messages&connection_id=cin_a"]);
  });

  it("judges by the connection's own stream", async () => {
    const from = source(document);
    const args = { stream: "messages", connection_id: "cin_b", expand: ["reactions"] };
    expect((await callTool("query_records", args, from)).isError).toBe(false);
    expect(from.requests).toHaveLength(2);
  });

  it("leaves a wrong relation to the source, whose refusal stays as it is", async () => {
    const from = source(document, bad(400, "invalid_expand", { message: "no relation nope" }));
    const answer = await callTool("query_records", { stream: "threads", expand: ["nope"] }, from);
    expect(answer.error).toMatchObject({ code: "invalid_expand", message: "no relation nope" });
    expect(from.requests).toHaveLength(2);
  });

  it("leaves a stream that the schema does not name to the source", async () => {
    const from = source(document, bad(404, "stream_not_declared"));
    expect((await callTool("query_records", { stream: "nope", expand: ["x"] }, from)).code).toBe(
      "stream_not_declared",
    );
  });

  it("reads no schema where nothing is expanded", async () => {
    const from = source(document);
    await callTool("query_records", { stream: "messages" }, from);
    expect(from.paths()).toEqual(["/v1/streams/messages/records"]);
  });

  it("goes by the schema of the moment", async () => {
    let relations: readonly string[] = [];
    const from = source(() =>
      good(documentFor([{ key: "mail", streams: [{ name: "messages", relations }] }])),
    );
    const call = () => callTool("query_records", { stream: "messages", expand: ["thread"] }, from);
    expect((await call()).code).toBe("invalid_expand");
    relations = ["thread"];
    expect((await call()).isError).toBe(false);
    relations = [];
    expect((await call()).code).toBe("invalid_expand");
  });
});

describe("a bearer that is none", () => {
  it.each([
    ["query_records", { stream: "messages", connection_id: "cin_a", expand: ["thread"] }],
    ["fetch", { id: "cin_a/messages:m1", expand: ["thread"] }],
  ])("is told so by %s after the one read of the gate", async (name, args) => {
    const from = fakeSource(() => bad(401, "authentication_error"));
    const answer = await callTool(name, args, from);
    expect(answer.code).toBe("authentication_error");
    expect(answer.structured).toMatchObject({ http_status: 401, request_id: "req_2" });
    expect(from.requests).toHaveLength(1);
  });
});

describe("the expand gate fails open", () => {
  it.each<[string, ReadAnswer]>([
    [
      "a schema that is away",
      {
        ok: false,
        status: 0,
        error: { type: "api_error", code: "source_unavailable", message: "x" },
        requestId: null,
      },
    ],
    ["a schema that is refused", bad(403, "permission_error")],
    ["a schema in another shape", good("<html>")],
  ])("with %s", async (_what, schema) => {
    const from = source(() => schema);
    expect((await callTool("query_records", { stream: "messages", expand: ["thread"] }, from)).isError).toBe(
      false,
    );
    expect(from.requests).toHaveLength(2);
  });

  it("with a source that takes no relations from clients, which says so itself", async () => {
    const document = {
      connectors: [
        { source_profile: "core-v0.1-client", streams: [{ name: "messages", expand_capabilities: [] }] },
      ],
    };
    const from = source(
      () => good(document),
      bad(400, "unsupported_by_source", { alternative: "read the related stream" }),
    );
    const answer = await callTool("query_records", { stream: "messages", expand: ["thread"] }, from);
    expect(answer.error).toMatchObject({
      code: "unsupported_by_source",
      alternative: "read the related stream",
    });
  });
});
