import { expect } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { TOOLS, TOOLS_MAX_BYTES, structured, codeOf, withoutCalls, type Scenario } from "./context.ts";

/** What a client sees before it reads, and what it is told where it asks wrongly. */
export const SURFACE_SCENARIOS: readonly Scenario[] = [
  {
    name: "five tools, read-only, in 18 KiB, without the old name of a connection",
    async run({ client }) {
      const { tools } = await client.client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(TOOLS);
      const text = JSON.stringify(tools);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(TOOLS_MAX_BYTES);
      expect(text).not.toMatch(/connector_instance_id|hidden/);
      for (const { annotations, inputSchema } of tools) {
        expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
        expect(inputSchema["additionalProperties"]).toBe(false);
        expect(Object.keys(inputSchema.properties ?? {})).toContain("connection_id");
      }
    },
  },
  {
    name: "instructions whose first 512 characters are enough to begin with",
    async run({ client }) {
      const start = (client.client.getInstructions() ?? "").slice(0, 512);
      for (const word of [
        "grant",
        "schema",
        "connection_id",
        "filter",
        "cursor",
        "fields",
        "aggregate",
        "search",
      ]) {
        expect(start).toContain(word);
      }
    },
  },
  {
    name: "the schema: every granted stream and connection in text, bounded, and never data in data",
    async run({ client, connection, takesFilters }) {
      const answer = await client.call("schema", {});
      for (const name of ["threads", "messages", "cin_a", "testmail"]) expect(answer.text).toContain(name);
      if (connection["connection_id"] !== undefined) expect(answer.text).toContain("cin_b");
      expect(Buffer.byteLength(answer.text)).toBeLessThan(8_000);
      expect(Buffer.byteLength(JSON.stringify(structured(answer)))).toBeLessThan(60_000);
      expect(memberOf(structured(answer)["data"], "data")).toBeUndefined();
      expect(
        takesFilters ||
          answer.text.includes("unsupported") ||
          (await client.call("schema", { stream: "messages" })).text.includes("filter=unsupported"),
      ).toBe(true);
    },
  },
  {
    name: "the schema of a stream: all that a query needs, in text",
    async run({ client, connection, takesFilters }) {
      const answer = await client.call("schema", { stream: "messages", ...connection });
      expect(codeOf(answer)).toBe("ok");
      for (const word of [
        "cin_a",
        "testmail",
        "messages",
        "sender",
        "size",
        "projection=",
        "sort=",
        "count=",
        "expand=",
        "search=",
        "paging=",
      ]) {
        expect(answer.text).toContain(word);
      }
      expect(answer.text.includes("filter=unsupported")).toBe(!takesFilters);
      expect(Buffer.byteLength(JSON.stringify(structured(answer)))).toBeLessThan(6_000);
      const full = await client.call("schema", { stream: "messages", detail: "full", ...connection });
      expect(codeOf(full)).toBe("ok");
    },
  },
  {
    name: "full detail of everything refused before anything is read",
    async run(context) {
      await withoutCalls(context, async () => {
        const answer = await context.client.call("schema", { detail: "full" });
        expect(codeOf(answer)).toBe("invalid_request");
        expect(answer.text).toContain("stream");
      });
    },
  },
  {
    name: "six kinds of wrong filters refused before anything is read, as errors of the tool",
    async run(context) {
      await withoutCalls(context, async () => {
        const wrong = [
          {},
          { "size[gte]": 5 },
          { size: {} },
          { size: { near: 5 } },
          "sender=ann",
          { size: { gte: { x: 1 } } },
        ];
        for (const filter of wrong) {
          const answer = await context.client.call("query_records", {
            stream: "messages",
            filter,
            ...context.connection,
          });
          expect(["invalid_filter", "invalid_request"]).toContain(codeOf(answer));
        }
        const unknown = await context.client.call("query_records", {
          stream: "messages",
          connector_instance_id: "cin_a",
        });
        expect(codeOf(unknown)).toBe("invalid_request");
      });
    },
  },
  {
    name: "ids that lead elsewhere, or nowhere, as errors that say so",
    async run({ client, connection }) {
      for (const id of [
        "../../etc/passwd",
        "messages:..",
        "cin_a/..:x",
        "cin_a/messages:../../schema",
        "",
        "%",
        ":",
        "pdpp://record/x",
      ]) {
        expect((await client.call("fetch", { id, ...connection })).isError).toBe(true);
      }
      expect(codeOf(await client.call("fetch", { id: "cin_a/messages:missing" }))).toBe("not_found");
      expect(
        codeOf(await client.call("fetch", { id: "cin_a/messages:testmail-m1", connection_id: "cin_z" })),
      ).toBe("conflicting_connection_id");
    },
  },
  {
    name: "a connection or a stream that is not granted told as such",
    async run({ client, connection }) {
      const other = await client.call("query_records", { stream: "messages", connection_id: "cin_zzz" });
      expect(["connection_not_found", "context.instance_mismatch"]).toContain(codeOf(other));
      const stream = await client.call("query_records", { stream: "nope", ...connection });
      expect(["stream_not_declared", "context.stream_not_allowed"]).toContain(codeOf(stream));
    },
  },
];
