import { describe, expect, it } from "vitest";
import { RECORDS_INSTRUCTIONS } from "../../../src/records/adapter/instructions.ts";
import { recordsSurface } from "../../../src/records/adapter/surface.ts";
import type { ToolDefinition } from "../../../src/surface.ts";
import { recordedSource } from "../../support/records/fake-source.ts";
import { packageOf } from "../../support/records/package-rig.ts";
import type { SourceDescription } from "../../../src/records/source/read-source.ts";
import { at, BASE_URL, bytes, membersOf } from "../../support/records/tool-call.ts";

const surface = recordsSurface();
const context = { source: recordedSource(), baseUrl: BASE_URL };

async function listed(description: Partial<SourceDescription> = {}): Promise<readonly ToolDefinition[]> {
  const page = await surface.tools({ ...context, source: recordedSource(description) });
  return page.ok ? page.value.tools : [];
}

function argumentsOf(tool: ToolDefinition): readonly string[] {
  return Object.keys(tool.inputSchema["properties"] ?? {});
}

describe("normal MCP read surface contains exact read tools (seed 002)", () => {
  it("lists exactly schema, query_records, aggregate, search and fetch, in this order", async () => {
    const names = (await listed()).map(({ name }) => name);
    expect(names).toEqual(["schema", "query_records", "aggregate", "search", "fetch"]);
  });

  it.each(["list_streams", "fetch_blob", "read_record_field", "create_event_subscription", "", "__proto__"])(
    "has no tool %s",
    async (name) => {
      expect(await surface.call(name, {}, context)).toBeUndefined();
    },
  );

  it("offers connection_id in every tool, and in none connector_instance_id", async () => {
    for (const tool of await listed()) {
      expect(argumentsOf(tool)).toContain("connection_id");
      expect(tool.inputSchema["required"] ?? []).not.toContain("connection_id");
    }
    expect(JSON.stringify(await listed())).not.toContain("connector_instance_id");
  });

  it("takes no argument that is not listed", async () => {
    for (const tool of await listed()) expect(tool.inputSchema["additionalProperties"]).toBe(false);
  });

  it("names no profile, owner bearer, event or developer tool", async () => {
    const text = JSON.stringify(await listed());
    expect(text).not.toMatch(/profile|owner|control.plane|bearer|event|webhook|developer|toolset/i);
  });

  it("has one page, so that no cursor of a list was ever given", async () => {
    expect(await surface.tools(context, "2")).toMatchObject({ ok: false, reason: { code: -32_602 } });
  });

  it("says of every tool that it only reads, and has no schema of outputs", async () => {
    for (const tool of await listed()) {
      expect(tool.annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      expect(tool).not.toHaveProperty("outputSchema");
    }
  });
});

describe("MCP discovery footprint is measured (seeds 002, 003)", () => {
  it("takes at most 18 KiB for tools/list, and 8 KiB as it is now", async () => {
    const size = bytes({ tools: await listed() });
    expect(size).toBeLessThan(18 * 1024);
    expect(size).toBeLessThan(8 * 1024);
  });

  it("is the same bytes for every caller of the embedded server", async () => {
    expect(JSON.stringify(await listed({ kind: "package" }))).toBe(JSON.stringify(await listed()));
  });

  it("has a mode of search only where there may be one: with an external server", async () => {
    const searchOf = (tools: readonly ToolDefinition[]) => tools.find(({ name }) => name === "search");
    for (const embedded of [{}, { kind: "package" }] as const) {
      expect(JSON.stringify(await listed(embedded))).not.toMatch(/mode|semantic|hybrid/);
    }
    for (const external of [{ kind: "http" }, { kind: "package", external: true }] as const) {
      const tools = await listed(external);
      const properties = membersOf(searchOf(tools)?.inputSchema["properties"]);
      expect(at(properties, "mode", "enum")).toEqual(["lexical", "semantic", "hybrid"]);
      expect(bytes({ tools })).toBeLessThan(8 * 1024);
      // Nothing else is another.
      const { mode: _mode, ...rest } = properties;
      expect(rest).toEqual(searchOf(await listed())?.inputSchema["properties"]);
    }
  });

  it("asks a package for that without reading anything", () => {
    const external = (...kinds: readonly ("d1" | "http")[]) =>
      packageOf(kinds.map((kind) => recordedSource({ kind }))).describe().external;
    expect([external("d1", "d1"), external("d1", "http"), external("http", "http")]).toEqual([
      undefined,
      true,
      true,
    ]);
  });

  it("repeats no sentence of eight words in two tools", async () => {
    const seen = new Map<string, string>();
    for (const tool of await listed()) {
      const words = JSON.stringify([tool.description, tool.inputSchema]).match(/[A-Za-z_]{2,}/g) ?? [];
      const prose = JSON.stringify(tool.description).match(/[A-Za-z_]{2,}/g) ?? [];
      expect(words.length).toBeGreaterThan(0);
      for (let index = 0; index + 8 <= prose.length; index += 1) {
        const run = prose.slice(index, index + 8).join(" ");
        expect(seen.get(run) ?? tool.name).toBe(tool.name);
        seen.set(run, tool.name);
      }
    }
  });

  it("explains connection_id in the instructions alone", async () => {
    for (const tool of await listed()) {
      expect(at(tool.inputSchema, "properties", "connection_id", "description")).toBeUndefined();
    }
    expect(RECORDS_INSTRUCTIONS).toContain("connection_id");
  });
});

describe("tool descriptions stay routable (seed 003)", () => {
  const endpoints = {
    schema: "GET /v1/schema",
    query_records: "GET /v1/streams/{stream}/records",
    aggregate: "GET /v1/streams/{stream}/aggregate",
    search: "GET /v1/search",
    fetch: "GET /v1/streams/{stream}/records/{id}",
  } as const;

  it.each(Object.entries(endpoints))(
    "%s names its endpoint and that it only reads",
    async (name, endpoint) => {
      const tool = (await listed()).find((each) => each.name === name);
      expect(tool?.description).toContain(endpoint);
      expect(tool?.description).toContain("Read-only");
    },
  );

  it.each(Object.keys(endpoints))(
    "%s points elsewhere for connections, and to less than full records",
    async (name) => {
      const description = (await listed()).find((each) => each.name === name)?.description ?? "";
      expect(description).toMatch(/server instructions|schema tells|in schema/);
      expect(description).toContain("connection_id");
      expect(description).toMatch(/narrow|aggregate|not needed/i);
    },
  );

  it("calls structured output that, and never hidden", async () => {
    const all = (await listed()).map(({ description }) => description).join(" ");
    expect(all).toContain("structured output");
    expect(`${all} ${RECORDS_INSTRUCTIONS}`).not.toMatch(
      /hidden|invisible|not shown to the model|out of context/i,
    );
  });

  it("steers from wide reads to paging, narrowing, aggregates and search", async () => {
    const query = (await listed()).find(({ name }) => name === "query_records")?.description ?? "";
    for (const word of ["page", "fields", "limit", "aggregate", "search"]) expect(query).toContain(word);
  });
});

describe("server instructions carry shared tool-use guidance (seed 003)", () => {
  const beginning = RECORDS_INSTRUCTIONS.slice(0, 512);

  it.each([
    ["what a grant covers", /grant/],
    ["schema first", /1\. schema \{\}/],
    ["connection_id", /connection_id/],
    ["where connections come from", /available_connections/],
    ["typed object filters", /typed object/],
    ["paging", /next_cursor/],
    ["narrowing", /fields and limit/],
    ["aggregate and search before wide reads", /Prefer aggregate or search/],
  ])("tells %s in the first 512 characters", (_what, pattern) => {
    expect(beginning).toMatch(pattern);
  });

  it("ends a line where the 512 characters end, so that nothing is cut in two", () => {
    expect(RECORDS_INSTRUCTIONS.slice(0, 512).trimEnd()).toBe(RECORDS_INSTRUCTIONS.split("\n\n")[0]);
  });

  it("asks for no owner or control-plane bearer, and tells what the change feed and errors are", () => {
    expect(RECORDS_INSTRUCTIONS).not.toMatch(/owner|control.plane|bearer|token/i);
    expect(RECORDS_INSTRUCTIONS).toContain("next_changes_since");
    expect(RECORDS_INSTRUCTIONS).toContain("retry_with");
  });

  it("says that structuredContent may reach the model", () => {
    expect(RECORDS_INSTRUCTIONS).toContain("both may reach the model");
  });
});
