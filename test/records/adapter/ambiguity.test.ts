import { describe, expect, it } from "vitest";
import type { SourceDescription } from "../../../src/records/source/read-source.ts";
import { connection, fakeSource, good } from "../../support/records/fake-source.ts";
import { at, bytes, callTool, type ToolResult } from "../../support/records/tool-call.ts";

const list = { object: "list", data: [], has_more: false, value: 1 };
const connections = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_item, index) =>
    connection(`cin_${String(index).padStart(2, "0")}`, {
      displayName: `Mail ${index}`,
      grantId: `grt_${index}`,
      ...more,
    }),
  );
const packageOf = (count: number, more: Partial<SourceDescription> = {}) =>
  fakeSource(() => good(list), { kind: "package", connections: connections(count), ...more });

const sourceRequired = [
  ["query_records", { stream: "messages" }],
  ["query_records", { stream: "messages", expand: ["x"] }],
  ["aggregate", { stream: "messages", metric: "count" }],
  ["fetch", { id: "messages:m1" }],
  ["fetch", { id: "messages:m1", expand: ["x"] }],
] as const;

function candidates(answer: ToolResult): readonly unknown[] {
  const found = at(answer.error, "available_connections");
  return Array.isArray(found) ? found : [];
}

describe.each(sourceRequired)("%s %j over several connections (seed 002)", (name, args) => {
  it("is ambiguous_connection without any read", async () => {
    const source = packageOf(2);
    const answer = await callTool(name, args, source);
    expect([answer.isError, answer.code]).toEqual([true, "ambiguous_connection"]);
    expect(answer.structured["http_status"]).toBe(409);
    expect(at(answer.error, "type")).toBe("invalid_request_error");
    expect(at(answer.error, "retry_with")).toBe("connection_id");
    expect(candidates(answer)).toEqual([
      { connection_id: "cin_00", connector_key: "testmail", grant_id: "grt_0", display_name: "Mail 0" },
      { connection_id: "cin_01", connector_key: "testmail", grant_id: "grt_1", display_name: "Mail 1" },
    ]);
    expect(source.requests).toEqual([]);
  });

  it("lists twelve of twenty, tells how many there are and points at schema in text", async () => {
    const source = packageOf(20);
    const answer = await callTool(name, args, source);
    expect(candidates(answer)).toHaveLength(12);
    expect(answer.error).toMatchObject({ available_connection_count: 20, available_connections_omitted: 8 });
    expect(at(answer.error, "discovery_hint")).toContain("schema");
    expect(answer.text).toContain("schema lists every connection");
    expect(JSON.parse(answer.text)).toEqual(answer.structured);
    expect(bytes(answer.text)).toBeLessThan(4_000);
    expect(source.requests).toEqual([]);
  });

  it("with a connection_id is read", async () => {
    const source = packageOf(2);
    await callTool(name, { ...args, connection_id: "cin_01" }, source);
    expect(source.requests.length).toBeGreaterThan(0);
    for (const { query } of source.requests) expect(query).toContainEqual(["connection_id", "cin_01"]);
  });

  const [first, second] = connections(2);
  const apart = [
    { ...connection("cin_x"), ...first, streams: ["messages"] },
    { ...connection("cin_y"), ...second, streams: ["files"] },
  ];

  it("is ambiguous over a package of several connections also where one has the stream, and names that one", async () => {
    const source = packageOf(0, { connections: apart });
    const answer = await callTool(name, args, source);
    expect(answer.code).toBe("ambiguous_connection");
    expect(candidates(answer)).toMatchObject([{ connection_id: "cin_00" }]);
    expect(source.requests).toEqual([]);
  });

  it("names all of a package where none is known to have the stream", async () => {
    const source = packageOf(0, { connections: apart.map((each) => ({ ...each, streams: ["files"] })) });
    expect(candidates(await callTool(name, args, source))).toHaveLength(2);
    expect(source.requests).toEqual([]);
  });

  it("is asked of one external server of which one connection has the stream", async () => {
    const source = packageOf(0, { kind: "http", connections: apart });
    expect((await callTool(name, args, source)).code).not.toBe("ambiguous_connection");
    expect(source.requests.length).toBeGreaterThan(0);
  });

  it("is asked of the source where nothing is known of connections", async () => {
    const source = packageOf(0);
    await callTool(name, args, source);
    expect(source.requests.length).toBeGreaterThan(0);
  });

  it("is asked of the embedded server, which reads its own connections together", async () => {
    const source = packageOf(3, { kind: "d1" });
    await callTool(name, args, source);
    expect(source.requests.length).toBeGreaterThan(0);
  });
});

describe("candidates", () => {
  it("with long labels still all stand in the error", async () => {
    const source = packageOf(20, { connections: connections(20, { displayName: "L".repeat(100_000) }) });
    const answer = await callTool("query_records", { stream: "messages" }, source);
    expect(candidates(answer)).toHaveLength(12);
    expect(bytes(answer.text)).toBeLessThan(8_000);
  });

  it("are not needed by search and schema", async () => {
    const source = packageOf(20);
    expect((await callTool("search", { q: "x" }, source)).isError).toBe(false);
    expect((await callTool("schema", {}, source)).code).not.toBe("ambiguous_connection");
    expect(source.requests).toHaveLength(2);
  });

  it("are those of the id where fetch has one", async () => {
    const source = packageOf(20);
    await callTool("fetch", { id: "cin_03/messages:m1" }, source);
    expect(source.paths()).toEqual(["/v1/streams/messages/records/m1?connection_id=cin_03"]);
  });
});
