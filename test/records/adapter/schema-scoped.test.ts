import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeSource, good, recordedSource } from "../../support/records/fake-source.ts";
import { anySchema, nestedDocument, type TestConnector } from "../../support/records/schema-documents.ts";
import { at, bytes, callTool, membersOf } from "../../support/records/tool-call.ts";

const source = (connectors: readonly TestConnector[], more: object = {}) =>
  fakeSource(() => good({ ...nestedDocument(connectors), ...more }));

function line(text: string, name: string): string | undefined {
  return text
    .split("\n")
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

describe("stream-scoped schema discovery (seed 002)", () => {
  it("tells in text all that the next read needs", async () => {
    const recorded = recordedSource();
    const { text } = await callTool("schema", { stream: "messages", connection_id: "cin_a" }, recorded);
    expect(recorded.paths()).toEqual(["/v1/schema?stream=messages&connection_id=cin_a"]);
    expect(text).toContain("stream=messages connector_key=testmail connection_id=cin_a");
    expect(line(text, "projection")).toContain("view:headers(id,sender,sent_at)");
    expect(line(text, "filter")).toContain('{"field":value}');
    expect(line(text, "sort")).toBe("-sent_at (default)|sent_at");
    expect(line(text, "count")).toBe("none|estimated|exact");
    expect(line(text, "expand")).toBe("none");
    expect(line(text, "search")).toBe("lexical(sender|body); semantic(body); hybrid");
    expect(line(text, "paging")).toContain("limit 1-100");
    expect(line(text, "aggregation")).toBe(
      "count; sum:size; min:size|sent_at; max:size|sent_at; group_by:sender; group_by_time:sent_at; count_distinct:sender",
    );
    expect(text.split("\n")).toContain(
      " sent_at t=string:date-time,eq,r=gte|gt|lte|lt,a=min|max|group_by_time",
    );
  });

  it("tells relations with what they take", async () => {
    const { text } = await callTool("schema", { stream: "threads" }, recordedSource());
    expect(line(text, "expand")).toBe("messages(has_many, of messages, default 2, max 5)");
  });

  it("explains its flags in text and in structured output", async () => {
    const { text, structured } = await callTool("schema", { stream: "messages" }, recordedSource());
    const legend = at(structured, "data", "field_capability_legend");
    expect(Object.keys(legend ?? {})).toEqual(["t", "eq", "r", "lex", "sem", "a"]);
    const flags = text.split("\n").find((each) => each.startsWith("flags: "));
    for (const [flag, meaning] of Object.entries(legend ?? {}))
      expect(flags).toContain(`${flag}=${String(meaning)}`);
  });

  it("has a label where there is one", async () => {
    const connectors = [{ key: "mail", streams: [{ name: "messages", connections: ["cin_a"] }] }];
    const { text } = await callTool("schema", { stream: "messages" }, source(connectors));
    expect(text).toContain('connection_id=cin_a display_name="Label of cin_a"');
  });

  it("of a stream that several connectors have tells the fields and aggregations of each", async () => {
    const connectors = [
      {
        key: "mail",
        streams: [
          { name: "messages", fields: ["id", "at", "sender"], groupBy: ["sender"], connections: ["cin_a"] },
        ],
      },
      {
        key: "chat",
        streams: [
          { name: "messages", fields: ["id", "ts", "channel"], groupBy: ["channel"], connections: ["cin_b"] },
        ],
      },
      { key: "other", streams: [{ name: "files", connections: ["cin_c"] }] },
    ];
    const { text, structured } = await callTool("schema", { stream: "messages" }, source(connectors));
    expect(text).toContain("connector_key=mail connection_id=cin_a");
    expect(text).toContain("connector_key=chat connection_id=cin_b");
    expect(text).toContain("group_by:sender");
    expect(text).toContain("group_by:channel");
    expect(text).toContain(" sender t=string,eq,r=gte|lt,a=group_by");
    expect(text).not.toContain("files");
    expect(at(structured, "data", "streams")).toBeUndefined();
    expect(at(structured, "data", "connectors")).toHaveLength(2);
  });

  it("says the same of many connections once", async () => {
    const connections = ["cin_a", "cin_b", "cin_c"];
    const connectors = connections.map((id) => ({
      key: "mail",
      streams: [{ name: "messages", fields: ["id", "at"], connections: [id] }],
    }));
    const { text } = await callTool("schema", { stream: "messages" }, source(connectors));
    expect(text.match(/^stream=messages/gm)).toHaveLength(1);
    for (const id of connections) expect(text).toContain(id);
    expect(text).toContain("Reads need one connection_id");
  });

  it("with a connection tells of that one alone, whatever the server sends", async () => {
    const connectors = [
      {
        key: "mail",
        streams: [{ name: "messages", fields: ["id", "sender"], connections: ["cin_a", "cin_b"] }],
      },
      { key: "chat", streams: [{ name: "messages", fields: ["id", "channel"], connections: ["cin_c"] }] },
    ];
    const { text, structured } = await callTool(
      "schema",
      { stream: "messages", connection_id: "cin_b" },
      source(connectors),
    );
    expect(text + JSON.stringify(structured)).not.toMatch(/cin_a|cin_c|channel/);
    expect(text).toContain("connection_id=cin_b");
  });

  it("tells nothing of a field that is not granted", async () => {
    const connectors = [
      {
        key: "mail",
        streams: [
          {
            name: "messages",
            // The second field is the one that the stream is ordered by.
            fields: ["id", "secret_at", "secret_body"],
            denied: ["secret_at", "secret_body"],
            connections: ["cin_a"],
          },
        ],
      },
    ];
    for (const detail of ["compact", "full"]) {
      const { text, structured } = await callTool(
        "schema",
        { stream: "messages", detail },
        source(connectors),
      );
      expect(text + JSON.stringify(structured)).not.toContain("secret_");
      expect(line(text, "sort")).toBe("the default order only");
    }
  });

  it("shows what a stricter source does not take", async () => {
    const document = {
      connectors: [
        {
          connector_key: "mail",
          source_profile: "core-v0.1-client",
          streams: [
            {
              name: "messages",
              primary_key: [],
              field_capabilities: { id: {}, body: { exact_filter: { declared: true } } },
              expand_capabilities: [],
            },
          ],
        },
      ],
    };
    const { text, structured } = await callTool(
      "schema",
      { stream: "messages" },
      fakeSource(() => good(document)),
    );
    expect(line(text, "filter")).toContain("unsupported");
    expect(line(text, "expand")).toContain("unsupported");
    expect(line(text, "search")).toContain("lexical");
    expect(line(text, "aggregation")).toContain("does not tell");
    expect(text.split("\n").slice(-2)).toEqual([" id", " body"]);
    expect(at(structured, "data", "connectors", 0, "streams", 0, "unsupported")).toEqual([
      "filter",
      "expand",
      "view",
    ]);
  });

  it("reads the flags of a compact row like those of a full one", async () => {
    const document = {
      connectors: [
        {
          connector_key: "mail",
          granted_connections: [{ connection_id: "cin_a" }],
          streams: [
            {
              name: "messages",
              cursor_field: "at",
              field_capabilities: {
                id: "t=string,eq",
                at: "t=string,eq,r=gte|lt,a=group_by_time",
                hidden: "t=string,g=false",
              },
            },
          ],
        },
      ],
    };
    const { text } = await callTool(
      "schema",
      { stream: "messages" },
      fakeSource(() => good(document)),
    );
    expect(text).toContain(" at t=string,eq,r=gte|lt,a=group_by_time");
    expect(line(text, "aggregation")).toBe("count; group_by_time:at");
    expect(text).not.toContain("hidden");
  });

  it("of a stream that there is not is stream_not_declared", async () => {
    const answer = await callTool("schema", { stream: "nope" }, recordedSource());
    expect([answer.isError, answer.code]).toEqual([true, "stream_not_declared"]);
    expect(at(answer.error, "message")).toContain("schema {}");
  });

  it("holds its bounds for any schema, and names every field of a single row", async () => {
    await fc.assert(
      fc.asyncProperty(anySchema, async (connectors) => {
        const [stream] = connectors[0]?.streams ?? [];
        const { text, structured } = await callTool(
          "schema",
          { stream: stream?.name ?? "" },
          source(connectors),
        );
        expect(bytes(text)).toBeLessThanOrEqual(18_000);
        expect(bytes(structured)).toBeLessThanOrEqual(6_000);
        for (const name of stream?.fields ?? []) expect(text).toContain(` ${name} t=string,eq`);
      }),
      { numRuns: 60 },
    );
  });

  it("gains less than 200 bytes with a field", async () => {
    const sized = async (count: number): Promise<number> => {
      const fields = Array.from({ length: count }, (_item, index) => `field_${index}`);
      const connectors = [{ key: "mail", streams: [{ name: "messages", fields, connections: ["cin_a"] }] }];
      return bytes((await callTool("schema", { stream: "messages" }, source(connectors))).structured);
    };
    const [few, more] = [await sized(10), await sized(20)];
    expect((more - few) / 10).toBeLessThan(200);
  });

  it("shares its text among twenty connectors with fields of their own", async () => {
    const connectors = Array.from({ length: 20 }, (_item, index) => ({
      key: `connector_${index}`,
      streams: [
        {
          name: "messages",
          fields: Array.from({ length: 60 }, (_field, at) => `field_${at}_of_${index}`),
          groupBy: [`field_1_of_${index}`],
          connections: [`cin_${index}`],
        },
      ],
    }));
    const { text, structured } = await callTool("schema", { stream: "messages" }, source(connectors));
    expect(bytes(text)).toBeLessThanOrEqual(18_000);
    expect(bytes(structured)).toBeLessThanOrEqual(6_000);
    for (const index of connectors.keys()) {
      expect(text).toContain(`connector_key=connector_${index} connection_id=cin_${index}`);
      expect(text).toContain(`field_0_of_${index} t=string`);
      expect(text).toContain(`group_by:field_1_of_${index}`);
    }
  });
});

describe("scoped exhaustive schema (seed 002)", () => {
  it("without a stream is refused before anything is read, with the call that works", async () => {
    const recorded = recordedSource();
    const answer = await callTool("schema", { detail: "full" }, recorded);
    expect([answer.code, at(answer.error, "param")]).toEqual(["invalid_request", "detail"]);
    expect(at(answer.error, "message")).toContain('"stream"');
    expect(at(answer.error, "message")).toContain('"detail":"full"');
    expect(recorded.requests).toEqual([]);
    expect((await callTool("schema", { detail: "full", connection_id: "cin_a" }, recorded)).code).toBe(
      "invalid_request",
    );
    expect(recorded.requests).toEqual([]);
  });

  it("has the JSON Schema of the one row, directly under data, without repeating it", async () => {
    const recorded = recordedSource();
    const { text, structured } = await callTool("schema", { stream: "messages", detail: "full" }, recorded);
    expect(recorded.paths()).toEqual(["/v1/schema?detail=full&stream=messages"]);
    const [connector] = [at(structured, "data", "connectors", 0)];
    expect(at(connector, "streams")).toHaveLength(1);
    expect(at(connector, "streams", 0, "schema", "properties", "size", "type")).toBe("integer");
    expect(at(structured, "data", "streams")).toBeUndefined();
    expect(at(structured, "data", "data")).toBeUndefined();
    expect(JSON.stringify(structured).match(/"name":"messages"/g)).toHaveLength(1);
    expect(text).toContain(' size {"type":"integer"}');
  });

  it("of a shared stream without a connection is ambiguous_schema_detail with whom to ask", async () => {
    const connectors = [
      { key: "mail", streams: [{ name: "messages", connections: ["cin_a"] }] },
      { key: "chat", streams: [{ name: "messages", connections: ["cin_b"] }] },
    ];
    const answer = await callTool("schema", { stream: "messages", detail: "full" }, source(connectors));
    expect([answer.isError, answer.code]).toEqual([true, "ambiguous_schema_detail"]);
    expect(at(answer.structured, "http_status")).toBe(409);
    expect(at(answer.error, "retry_with")).toBe("connection_id");
    expect(JSON.stringify(at(answer.error, "available_connections"))).toMatch(/cin_a.*cin_b/);
    expect(answer.text).not.toContain("properties");
    const one = await callTool(
      "schema",
      { stream: "messages", detail: "full", connection_id: "cin_b" },
      source(connectors),
    );
    expect(one.isError).toBe(false);
    expect(one.text + JSON.stringify(one.structured)).not.toContain("cin_a");
  });

  it("stays bounded at any size of schema", async () => {
    const fields = Array.from({ length: 300 }, (_item, index) => `field_number_${index}`);
    const long = { type: "string", description: "x".repeat(2_000) };
    const document = nestedDocument([
      { key: "mail", streams: [{ name: "messages", fields, connections: ["cin_a"] }] },
    ]);
    const row = at(document, "connectors", 0, "streams", 0);
    const heavy = {
      connectors: [
        {
          connector_key: "mail",
          streams: [
            {
              ...membersOf(row),
              schema: { properties: Object.fromEntries(fields.map((name) => [name, long])) },
            },
          ],
        },
      ],
    };
    const { text, structured } = await callTool(
      "schema",
      { stream: "messages", detail: "full" },
      fakeSource(() => good(heavy)),
    );
    expect(bytes(structured)).toBeLessThanOrEqual(48_000);
    expect(bytes(text)).toBeLessThanOrEqual(18_000);
    expect(at(structured, "data", "truncated")).toBe(true);
  });
});

describe("a schema that says little", () => {
  const only = (row: object) =>
    fakeSource(() =>
      good({ connectors: [{ connector_key: "mail", streams: [{ name: "messages", ...row }] }] }),
    );

  it.each([{ detail: "compact" }, { detail: "full" }])(
    "has no line of flags where there are none, with %j",
    async (args) => {
      const source = only({ source_profile: "core-v0.1-client", field_capabilities: { id: {} } });
      const { text } = await callTool("schema", { stream: "messages", ...args }, source);
      expect(text).not.toMatch(/^flags:/m);
      expect(text).toContain("fields=1:\n id");
    },
  );

  it.each([
    [{ usable: false, reason: "stream_not_granted" }, "stream_not_granted"],
    [{ granted: false }, "unknown"],
    [{ usable: false, reason: "no\n room" }, '"no room"'],
  ])("tells why a relation cannot be used: %j", async (standing, reason) => {
    const source = only({ expand_capabilities: [{ name: "thread", ...standing }] });
    const { text, structured } = await callTool("schema", { stream: "messages" }, source);
    expect(text).toContain(`expand=thread(unusable:${reason})`);
    expect(at(structured, "data", "connectors", 0, "streams", 0, "expand_capabilities", 0)).toEqual({
      name: "thread",
      usable: false,
      reason: reason.replaceAll('"', ""),
    });
  });
});
