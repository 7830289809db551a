import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bad, connection, fakeSource, good, recordedSource } from "../../support/records/fake-source.ts";
import {
  anySchema,
  flatDocument,
  nestedDocument,
  type TestConnector,
} from "../../support/records/schema-documents.ts";
import { at, bytes, callTool } from "../../support/records/tool-call.ts";

const numbered = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_item, index) => `${name}_${String(index).padStart(3, "0")}`);

/** Eighty streams that each of twenty connections has. */
const large: readonly TestConnector[] = [
  {
    key: "workspace_suite",
    streams: numbered(80, "workspace_stream").map((name) => ({
      name,
      fields: numbered(60, "field_of_some_length"),
      connections: numbered(20, "cin_0123456789abcdef"),
    })),
  },
];

describe("global schema discovery (seed 002)", () => {
  it("names every stream, connector and connection of a small grant, and how to go on", async () => {
    const source = recordedSource();
    const { text, structured } = await callTool("schema", {}, source);
    expect(source.paths()).toEqual(["/v1/schema?view=compact"]);
    expect(text).toContain("connector_key=testmail connections=1: cin_a");
    expect(text).toContain("streams=2: threads|messages");
    expect(text).toContain('schema {"stream":');
    expect(structured["data"]).toEqual({
      object: "schema",
      detail: "compact",
      connector_count: 1,
      stream_count: 2,
      connection_count: 1,
      connectors: [
        {
          connector_key: "testmail",
          granted_connections: [{ connection_id: "cin_a" }],
          streams: [{ name: "threads" }, { name: "messages" }],
        },
      ],
    });
  });

  it("is an index: it tells nothing of fields", async () => {
    const { text, structured } = await callTool("schema", {}, recordedSource());
    expect(text + JSON.stringify(structured)).not.toMatch(/sender|thread_id|t=string|field_capabilities/);
  });

  it("of eighty streams and twenty connections has every name, within 18,000 bytes of text and 60,000 in all", async () => {
    const { text, structured } = await callTool(
      "schema",
      {},
      fakeSource(() => good(nestedDocument(large))),
    );
    for (const name of numbered(80, "workspace_stream")) expect(text).toContain(name);
    expect(bytes(text)).toBeLessThanOrEqual(18_000);
    expect(bytes(structured)).toBeLessThanOrEqual(60_000);
    expect(bytes(structured)).toBeLessThan(bytes(nestedDocument(large)) / 5);
  });

  it("holds its bounds and has every name for any schema", async () => {
    await fc.assert(
      fc.asyncProperty(anySchema, fc.boolean(), async (connectors, flat) => {
        const document = flat ? flatDocument(connectors) : nestedDocument(connectors);
        const { text, structured, isError } = await callTool(
          "schema",
          {},
          fakeSource(() => good(document)),
        );
        expect(isError).toBe(false);
        for (const { key, streams } of connectors.filter((each) => each.streams.length > 0)) {
          expect(text).toContain(`connector_key=${key} `);
          for (const { name } of streams) expect(text.split(/[|:\s]+/)).toContain(name);
        }
        expect(bytes(text)).toBeLessThanOrEqual(18_000);
        expect(bytes(structured)).toBeLessThanOrEqual(60_000);
      }),
      { numRuns: 60 },
    );
  });

  it("stays within 8,000 bytes where the names leave room for that", async () => {
    const connectors = numbered(20, "connector").map((key) => ({
      key,
      streams: numbered(4, `stream_of_${key}`).map((name) => ({
        name,
        connections: numbered(20, `cin_of_${key}`),
      })),
    }));
    const { text } = await callTool(
      "schema",
      {},
      fakeSource(() => good(nestedDocument(connectors))),
    );
    expect(bytes(text)).toBeLessThanOrEqual(8_000);
    expect(bytes(text)).toBeGreaterThan(6_000);
  });

  it("counts the connections that it does not name", async () => {
    const connectors = numbered(70, "connector").map((key) => ({
      key,
      streams: [{ name: `stream_of_${key}`, connections: numbered(20, `cin_of_${key}`) }],
    }));
    const { text } = await callTool(
      "schema",
      {},
      fakeSource(() => good(nestedDocument(connectors))),
    );
    expect(text.match(/connections=20/g)).toHaveLength(70);
    expect(bytes(text)).toBeLessThanOrEqual(18_000);
  });

  it("groups a connector's streams by who has them", async () => {
    const connectors = [
      {
        key: "mail",
        streams: [
          { name: "messages", connections: ["cin_a", "cin_b"] },
          { name: "threads", connections: ["cin_b", "cin_a"] },
          { name: "labels", connections: ["cin_a"] },
        ],
      },
    ];
    const { text } = await callTool(
      "schema",
      {},
      fakeSource(() => good(nestedDocument(connectors))),
    );
    expect(text.split("\n").slice(2)).toEqual([
      'connector_key=mail connections=2: cin_a "Label of cin_a"|cin_b "Label of cin_b"',
      " streams=2: messages|threads",
      'connector_key=mail connections=1: cin_a "Label of cin_a"',
      " streams=1: labels",
    ]);
  });

  it("takes top-level streams for nothing where connectors have theirs, and never nests data in data", async () => {
    const nested = nestedDocument([{ key: "mail", streams: [{ name: "messages", connections: ["cin_a"] }] }]);
    const both = {
      ...nested,
      ...flatDocument([{ key: "mail", streams: [{ name: "messages" }, { name: "ghost" }] }]),
    };
    for (const body of [both, { data: both }]) {
      const { text, structured } = await callTool(
        "schema",
        {},
        fakeSource(() => good(body)),
      );
      expect(text).not.toContain("ghost");
      expect(at(structured, "data", "data")).toBeUndefined();
      expect(at(structured, "data", "streams")).toBeUndefined();
      expect(at(structured, "data", "stream_count")).toBe(1);
    }
  });

  it("of one connection has its streams alone", async () => {
    const connectors = [
      { key: "mail", streams: [{ name: "messages", connections: ["cin_a"] }] },
      { key: "chat", streams: [{ name: "rooms", connections: ["cin_b"] }] },
    ];
    const source = fakeSource(() => good(nestedDocument(connectors)));
    const { text } = await callTool("schema", { connection_id: "cin_b" }, source);
    expect(source.paths()).toEqual(["/v1/schema?view=compact&connection_id=cin_b"]);
    expect(text).toContain("rooms");
    expect(text).not.toContain("messages");
  });

  it("adds labels that only the source knows", async () => {
    const source = recordedSource({ connections: [connection("cin_a", { displayName: "Work mail" })] });
    expect((await callTool("schema", {}, source)).text).toContain('cin_a "Work mail"');
  });

  it("is read plainly where a server has no compact form, and compacted here", async () => {
    const document = nestedDocument(large);
    const source = fakeSource(({ query }) =>
      query.some(([name]) => name === "view")
        ? bad(400, "invalid_request", { param: "view" })
        : good(document),
    );
    const { text, structured } = await callTool("schema", {}, source);
    expect(source.paths()).toEqual(["/v1/schema?view=compact", "/v1/schema"]);
    expect(text).toContain("workspace_stream_079");
    expect(bytes(structured)).toBeLessThanOrEqual(60_000);
  });

  it("is not read again where the server refuses something else", async () => {
    const source = fakeSource(() => bad(400, "invalid_request", { param: "connection_id" }));
    expect((await callTool("schema", { connection_id: "x" }, source)).code).toBe("invalid_request");
    expect(source.requests).toHaveLength(1);
  });

  it("tells that a part of a package could not be read", async () => {
    const warnings = [{ code: "source_unavailable", message: 'The source "personal" is away.\nreally' }];
    const document = { ...nestedDocument(large), meta: { warnings } };
    const { text, structured } = await callTool(
      "schema",
      {},
      fakeSource(() => good(document)),
    );
    expect(text).toContain('warning source_unavailable: The source "personal" is away. really\n');
    expect(at(structured, "data", "meta", "warnings", 0, "code")).toBe("source_unavailable");
  });

  it("keeps hostile names whole, on one line, as JSON strings", async () => {
    const name = 'a|b\n"c"\u202e';
    const document = nestedDocument([{ key: "mail", streams: [{ name, connections: ["cin_a"] }] }]);
    const { text } = await callTool(
      "schema",
      {},
      fakeSource(() => good(document)),
    );
    const line = text.split("\n").find((each) => each.startsWith(" streams=1: "));
    expect(JSON.parse(line?.slice(" streams=1: ".length) ?? "")).toBe(name);
    expect(text).not.toContain("\u202e");
  });

  it.each([null, 5, "<html>", [], {}, { data: {} }, { connectors: "x" }, { data: { data: [] } }])(
    "answers %j, which is no schema, with an error",
    async (body) => {
      const answer = await callTool(
        "schema",
        {},
        fakeSource(() => good(body)),
      );
      expect([answer.isError, answer.code]).toEqual([true, "api_error"]);
    },
  );

  it("never throws at any document", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (row, connector) => {
        const documents = [{ connectors: [connector, { streams: [row] }] }, { streams: [row] }];
        for (const document of documents) {
          for (const args of [{}, { stream: "s" }, { stream: "s", detail: "full" }]) {
            const { text } = await callTool(
              "schema",
              args,
              fakeSource(() => good(document)),
            );
            expect(bytes(text)).toBeLessThanOrEqual(18_000);
          }
        }
      }),
    );
  });
});
