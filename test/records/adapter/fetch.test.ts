import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/exact-json/exact-number.ts";
import { parseExactJson } from "../../../src/exact-json/parse.ts";
import { connection, fakeSource, good, recordedSource } from "../../support/records/fake-source.ts";
import { hostileValue } from "../../support/records/hostile-records.ts";
import { sameJson } from "../../support/same-json.ts";
import { at, bytes, callTool, membersOf } from "../../support/records/tool-call.ts";

const record = (data: unknown, more: object = {}): object => ({
  object: "record",
  id: "m1",
  stream: "messages",
  data,
  emitted_at: "2026-02-01T00:00:00Z",
  connection_id: "cin_a",
  connector_key: "testmail",
  ...more,
});
const fetched = (body: unknown, args: object = {}) =>
  callTool(
    "fetch",
    { id: "cin_a/messages:m1", ...args },
    fakeSource(() => good(body)),
  );

describe("fetch answers a document (seed 002)", () => {
  it("of a search's id has id, title, text, url and metadata, and nothing else", async () => {
    const source = recordedSource();
    const answer = await callTool("fetch", { id: "messages:testmail-m3" }, source);
    expect(answer.structured).toEqual({
      id: "cin_a/messages:testmail-m3",
      title: "testmail / messages / 2026-01-03T10:00:00Z",
      text: "Message 3 from testmail: the quarterly invoice number 1003 is due. ",
      url: "https://gate.example/v1/streams/messages/records/testmail-m3?connection_id=cin_a",
      metadata: {
        object: "record",
        id: "testmail-m3",
        stream: "messages",
        connection_id: "cin_a",
        connector_key: "testmail",
        emitted_at: "2026-02-03T00:00:00Z",
        sent_at: "2026-01-03T10:00:00Z",
      },
    });
    expect(source.requests).toHaveLength(1);
  });

  it("mirrors the very document as JSON text, whatever is in it", async () => {
    await fc.assert(
      fc.asyncProperty(hostileValue, hostileValue, async (data, stray) => {
        const { text, structured, isError } = await fetched(
          record(data, { display_name: stray, expanded: stray }),
        );
        if (isError) return;
        expect(Object.keys(structured)).toEqual(["id", "title", "text", "url", "metadata"]);
        const mirrored = parseExactJson(text, { duplicates: "refuse" });
        expect(sameJson(mirrored.ok ? mirrored.value : undefined, structured)).toBe(true);
        expect(text).not.toContain("\n");
      }),
    );
  });

  it("has no data, provider_url or request_id anywhere", async () => {
    const { text } = await fetched(record({ body: "x" }));
    expect(text).not.toMatch(/"data"|provider_url|request_id/);
  });

  it.each([
    [{ text: "a", content: "b", body: "c", summary: "d" }, "a"],
    [{ content: "b", body: "c" }, "b"],
    [{ body: "c\n  as it is\u0000", summary: "d" }, "c\n  as it is\u0000"],
    [{ summary: "d" }, "d"],
    [{ body: "", n: 1 }, '{"body":"","n":1}'],
    [{ n: new ExactNumber("12345678901234567890") }, '{"n":12345678901234567890}'],
  ])("%j has the text %j", async (data, text) => {
    expect((await fetched(record(data))).structured["text"]).toBe(text);
  });

  it("of 256 KiB is exact", async () => {
    const body = "x".repeat(262_144);
    const { structured } = await fetched(record({ id: "m1", body }));
    expect(structured["text"]).toBe(body);
    expect(at(structured, "metadata", "truncated")).toBeUndefined();
  });

  it("of more is cut at a character, and says so, how long it is, and what reads all of it", async () => {
    const body = `a${"é".repeat(131_072)}`;
    const { structured } = await fetched(record({ id: "m1", body }));
    expect(structured["text"]).toBe(body.slice(0, -1));
    expect(at(structured, "metadata")).toMatchObject({
      truncated: true,
      total_bytes: 262_145,
      read_with: {
        tool: "query_records",
        arguments: {
          stream: "messages",
          connection_id: "cin_a",
          fields: ["body"],
          filter: { id: "m1" },
          limit: 1,
        },
      },
    });
  });

  it("that reads on with what read_with says gets the whole text", async () => {
    const body = "word ".repeat(100_000);
    const whole = record({ id: "m1", body });
    const first = await fetched(whole);
    const readWith = at(first.structured, "metadata", "read_with");
    const source = fakeSource(() => good({ data: [whole], has_more: false }));
    const next = await callTool(String(at(readWith, "tool")), at(readWith, "arguments"), source);
    expect(at(next.structured, "data", "data", 0, "data", "body")).toBe(body);
  });

  it("has children in its text where they were asked for", async () => {
    const schema = {
      connectors: [{ streams: [{ name: "threads", expand_capabilities: [{ name: "messages" }] }] }],
    };
    const child = record({ body: "hello" }, { id: "m9" });
    const thread = record(
      { subject: "S" },
      { id: "t1", stream: "threads", expanded: { messages: { data: [child], has_more: true } } },
    );
    const source = fakeSource(({ path }) => good(path[0] === "schema" ? schema : thread));
    const { structured } = await callTool("fetch", { id: "cin_a/threads:t1", expand: ["messages"] }, source);
    expect(structured["text"]).toBe(
      '{"subject":"S","expanded":{"messages":{"records":[{"id":"cin_a/messages:m9","data":{"body":"hello"}}],"has_more":true}}}',
    );
  });

  it("has the scalars of the record's own metadata, which can pass for nobody else's", async () => {
    const metadata = {
      mime: "text/plain",
      size: 5,
      deep: {},
      connection_id: "cin_forged",
      truncated: true,
      read_with: "x",
      ["__proto__"]: "p",
    };
    const { structured } = await fetched(record({ body: "x", metadata }));
    expect(at(structured, "metadata")).toMatchObject({ mime: "text/plain", size: 5, connection_id: "cin_a" });
    expect(Object.keys(membersOf(structured["metadata"]))).not.toContain("truncated");
    expect(Object.keys(membersOf(structured["metadata"]))).not.toContain("deep");
  });

  it("has an allow-list of an envelope's members", async () => {
    const { text } = await fetched(
      record({ body: "x" }, { secret: "LEAK", links: { self: "LEAK" }, record_json_bytes: 5 }),
    );
    expect(text).not.toMatch(/LEAK|record_json_bytes/);
  });

  it("bounds metadata", async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 500 }, (_item, index) => [`k${index}`, "v".repeat(2_000)]),
    );
    const { structured } = await fetched(record({ body: "x", metadata }));
    expect(bytes(structured)).toBeLessThan(20_000);
  });

  it.each([
    ["https://mail.example/1?a=b", "https://mail.example/1?a=b"],
    ["http://mail.example/1", "http://mail.example/1"],
    ["javascript:alert(1)", "https://gate.example/v1/streams/messages/records/m1?connection_id=cin_a"],
    ["ftp://mail.example/1", "https://gate.example/v1/streams/messages/records/m1?connection_id=cin_a"],
  ])("links to %s as %s", async (url, expected) => {
    expect((await fetched(record({ url, body: "x" }))).structured["url"]).toBe(expected);
  });

  it("names the connection in the address that a server gives a record", async () => {
    const record_url = "https://rs.example/v1/streams/messages/records/m1";
    expect((await fetched(record({ record_url, body: "x" }))).structured["url"]).toBe(
      `${record_url}?connection_id=cin_a`,
    );
  });

  it("has a label and a connector that only the source knows", async () => {
    const source = fakeSource(() => good(record({ body: "x" }, { connector_key: undefined })), {
      connections: [connection("cin_a", { displayName: "Work mail" })],
    });
    const { structured } = await callTool("fetch", { id: "cin_a/messages:m1" }, source);
    expect(structured["title"]).toBe("Work mail / messages / 2026-02-01T00:00:00Z");
    expect(at(structured, "metadata")).toMatchObject({
      display_name: "Work mail",
      connector_key: "testmail",
    });
  });

  it.each([null, "x", [], {}, { data: "x" }, { data: [] }])("a body of %j is api_error", async (body) => {
    const answer = await fetched(body);
    expect([answer.isError, answer.code]).toEqual([true, "api_error"]);
  });
});

describe("a record that says it is another one is no answer (api_error)", () => {
  it.each([
    { id: "m2" },
    { record_key: "m2" },
    { stream: "threads" },
    { connection_id: "cin_b" },
    { connector_instance_id: "cin_b" },
  ])("with %j", async (more) => {
    const answer = await fetched(record({ body: "FOREIGN" }, more));
    expect([answer.isError, answer.code, answer.structured["http_status"]]).toEqual([true, "api_error", 502]);
    expect(answer.text).not.toContain("FOREIGN");
  });

  it("but one that says nothing of it is", async () => {
    const answer = await fetched({ object: "record", data: { body: "x" } });
    expect(answer.structured).toMatchObject({
      id: "cin_a/messages:m1",
      metadata: { id: "m1", stream: "messages" },
    });
  });

  it("and where no connection was asked for, the record says whose it is", async () => {
    const answer = await fetched(record({ body: "x" }, { connection_id: "cin_b" }), { id: "messages:m1" });
    expect(answer.structured["id"]).toBe("cin_b/messages:m1");
  });
});

describe("what tells which record it is", () => {
  it.each(["new\nline", " lead", "\u202ex", "k".repeat(512)])("has the key %j exactly", async (key) => {
    const answer = await fetched(record({ body: "x" }, { id: key }), {
      id: `cin_a/messages:${encodeURIComponent(key)}`,
    });
    expect(at(answer.structured, "metadata", "id")).toBe(key);
  });

  it("has no children that nobody asked for", async () => {
    const expanded = { thread: { id: "t1", data: { subject: "VOLUNTEERED" } } };
    const { text } = await fetched(record({ body: "x" }, { expanded }));
    expect(text).not.toContain("VOLUNTEERED");
  });
});

describe("titles of documents", () => {
  it("are the record's own, on one line", async () => {
    expect((await fetched(record({ subject: "Re:\n  due", body: "x" }))).structured["title"]).toBe("Re: due");
  });

  it("have the time it was written before the time it came", async () => {
    expect((await fetched(record({ sent_at: "2026-01-01T00:00:00Z" }))).structured["title"]).toBe(
      "testmail / messages / 2026-01-01T00:00:00Z",
    );
  });

  it.each([
    [{ ends_on: 5, last_message_at: "2026-01-05T00:00:00Z" }, "2026-01-05T00:00:00Z"],
    [{ id: "m1", date: "2026-01-05" }, "2026-01-05"],
    [{ startedAt: "2026-01-05T00:00:00Z", sent_at: "2026-01-01T00:00:00Z" }, "2026-01-01T00:00:00Z"],
    [{ at: "no time", format: "2026-01-05" }, "2026-02-01T00:00:00Z"],
    [{ due_at: "2027-01-01T00:00:00Z", fetched_at: "2026-01-05T00:00:00Z" }, "2026-02-01T00:00:00Z"],
  ])("of %j have the time %s", async (data, time) => {
    expect((await fetched(record(data))).structured["title"]).toBe(`testmail / messages / ${time}`);
  });

  it("of a projected record take no time of ingestion for its own (defect 8)", async () => {
    const { structured } = await fetched(record({ id: "m1", sender: "ann" }), { fields: ["sender"] });
    expect(structured["title"]).toBe("testmail / messages / m1");
    const asked = await fetched(record({ sent_at: "2026-01-01T00:00:00Z" }), { fields: ["sent_at"] });
    expect(asked.structured["title"]).toBe("testmail / messages / 2026-01-01T00:00:00Z");
  });
});

describe("a projected document leaks nothing (seed 002)", () => {
  it("forwards the projection, so that the source projects first", async () => {
    const source = fakeSource(() => good(record({ sender: "ann" })));
    await callTool("fetch", { id: "cin_a/messages:m1", fields: ["sender", "id"] }, source);
    expect(source.paths()).toEqual([
      "/v1/streams/messages/records/m1?fields=sender%2Cid&connection_id=cin_a",
    ]);
  });

  it("has no field that was not asked for in text, title, url or metadata, even where a source sends it", async () => {
    const leaky = {
      sender: "ann",
      body: "LEAK",
      title: "LEAK",
      subject: "LEAK",
      url: "https://leak.example/LEAK",
      sent_at: "2026-01-01LEAK",
      created_at: "2026-01-01LEAK",
      metadata: { mime: "LEAK" },
    };
    const { text, structured } = await fetched(record(leaky), { fields: ["sender"] });
    expect(text).not.toContain("LEAK");
    expect(structured["text"]).toBe('{"sender":"ann"}');
    expect(at(structured, "metadata", "connection_id")).toBe("cin_a");
  });

  it("has none for any record", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.constantFrom("title", "body", "text", "url", "sent_at", "metadata", "x"),
          hostileValue,
        ),
        async (data) => {
          const marked = Object.fromEntries(Object.keys(data).map((name) => [name, "2026-01LEAK"]));
          const { text } = await fetched(record({ ...marked, metadata: { a: "LEAK" }, kept: "k" }), {
            fields: ["kept"],
          });
          expect(text).not.toContain("LEAK");
        },
      ),
    );
  });
});
