import { fail, ok } from "../../src/result.ts";
import { describe, expect, it } from "vitest";
import { INSTRUCTIONS } from "../../src/gateway/instructions.ts";
import { metaTools } from "../../src/gateway/meta-tools.ts";
import { TOOLS_LIST_MAX_TOKENS, TOOLS_LIST_PAIR_MAX_TOKENS } from "../../src/limits.ts";
import { committedCounter } from "../../scripts/committed-ranks.ts";
import { fakeCatalog, fakeCatalogs } from "../support/fake-catalog.ts";
import { fakeCaller, fakeGateway } from "../support/fake-gateway.ts";

const counter = committedCounter();
const R = { type: "string", enum: ["porcelain", "json"] };
const S = { type: "string" };
const I = { type: "integer" };

const SCHEMAS = [
  {
    type: "object",
    properties: { query: S, path: S, top_k: { type: "integer", minimum: 1, maximum: 50 }, render: R },
    additionalProperties: false,
  },
  {
    type: "object",
    properties: { tool_id: S, args: { type: "object" }, dry_run: { type: "boolean" }, render: R },
    required: ["tool_id"],
    additionalProperties: false,
  },
  {
    type: "object",
    properties: {
      handle: S,
      selector: {
        type: "object",
        properties: {
          type: {
            type: "string",
            enum: ["head", "lines", "rows", "json_keys", "json_path", "grep", "bytes", "content"],
          },
          chars: I,
          start: I,
          end: I,
          offset: I,
          length: I,
          columns: { type: "array", items: S },
          keys: { type: "array", items: S },
          path: S,
          pattern: S,
          context: I,
          ignore_case: { type: "boolean" },
          resume: S,
        },
        required: ["type"],
      },
      render: R,
    },
    required: ["handle", "selector"],
    additionalProperties: false,
  },
];

const toolsOf = async (
  { surface }: Pick<ReturnType<typeof fakeGateway>, "surface">,
  caller = fakeCaller(),
) => {
  const listed = await surface.tools(caller.context);
  if (!listed.ok) throw new Error(listed.reason.message);
  expect(listed.value.nextCursor).toBeUndefined();
  return listed.value.tools;
};

const manyNamespaces = (count: number, name: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => name(index)).sort();

describe("tools/list", () => {
  it("has the three tools with the contract's schemas, members in the contract's order", () => {
    const tools = metaTools(["github"]);
    expect(tools.map(({ name }) => name)).toEqual(["tool_browse", "tool_execute", "tool_view"]);
    expect(tools.map(({ inputSchema }) => JSON.stringify(inputSchema))).toEqual(
      SCHEMAS.map((schema) => JSON.stringify(schema)),
    );
    expect(tools.map((tool) => Object.keys(tool))).toEqual([
      ["name", "description", "inputSchema", "annotations"],
      ["name", "description", "inputSchema"],
      ["name", "description", "inputSchema", "annotations"],
    ]);
    expect(tools[0]?.annotations).toEqual({ readOnlyHint: true });
    expect(tools[2]?.annotations).toEqual({ readOnlyHint: true });
  });

  it.each([
    ["none", []],
    ["one", ["github"]],
    ["70", manyNamespaces(70, (index) => `service-${index}`)],
    ["5,000", manyNamespaces(5000, (index) => `ns${index}`)],
    ["5,000 of 64 characters", manyNamespaces(5000, (index) => `x${index}_`.padEnd(64, "q7-_z"))],
    ["5,000 of 64 letters", manyNamespaces(5000, (index) => `a${index}`.padEnd(64, "xzkqj"))],
    ["40 of one letter", manyNamespaces(40, (index) => `${String.fromCharCode(97 + (index % 26))}${index}`)],
  ])("stays within its budget for %s namespaces", (_, namespaces) => {
    const text = JSON.stringify(metaTools(namespaces));
    expect(counter.count(text)).toBeLessThanOrEqual(TOOLS_LIST_MAX_TOKENS);
    const all = JSON.stringify(metaTools(namespaces, { resource: true, prompt: true }));
    expect(counter.count(all)).toBeLessThanOrEqual(TOOLS_LIST_MAX_TOKENS + 2 * TOOLS_LIST_PAIR_MAX_TOKENS);
  });

  it("names the namespaces in order, and how many more there are", () => {
    expect(metaTools(["files", "github"])[0]?.description).toMatch(/ Namespaces: files, github\.$/);
    const many = metaTools(manyNamespaces(5000, (index) => `ns${index}`))[0]?.description ?? "";
    const named = /Namespaces: (?<names>.*) \+(?<rest>\d+) more\.$/.exec(many)?.groups;
    const names = (named?.["names"] ?? "").split(", ");
    expect(names.length).toBeGreaterThanOrEqual(20);
    expect(names.length + Number(named?.["rest"])).toBe(5000);
  });

  it("does not change with what scopes hide", async () => {
    const gateway = fakeGateway({ catalog: fakeCatalog([{ namespace: "github", name: "a" }]) });
    const everything = await toolsOf(gateway);
    const nothing = await toolsOf(gateway, fakeCaller({ sees: () => false }));
    expect(JSON.stringify(nothing)).toBe(JSON.stringify(everything));
    expect(everything[0]?.description).toContain("github");
  });

  it("answers without namespaces where the catalog is not ready, even where its port throws", async () => {
    const plain = JSON.stringify(metaTools([]));
    const notReady = fakeGateway({});
    expect(JSON.stringify(await toolsOf(notReady))).toBe(plain);
    const broken = fakeGateway({
      catalogs: {
        ...fakeCatalogs(fail({ reason: "catalog_unavailable", detail: "" })),
        current: () => Promise.reject(new Error("kv")),
      },
    });
    expect(JSON.stringify(await toolsOf(broken))).toBe(plain);
  });

  it("names no secret", async () => {
    const catalogs = fakeCatalogs(ok(fakeCatalog([{ namespace: "hunter22", name: "a" }])));
    const gateway = fakeGateway({ catalogs, secrets: ["hunter22"] });
    expect(JSON.stringify(await toolsOf(gateway))).not.toContain("hunter22");
  });
});

describe("the instructions", () => {
  it("say how to browse, execute and view within their first 512 characters", () => {
    const shown = INSTRUCTIONS.slice(0, 512);
    for (const word of ["tool_browse", "tool_execute", "tool_view", "query", "path", "args"]) {
      expect(shown).toContain(word);
    }
    expect(INSTRUCTIONS.length).toBeLessThanOrEqual(512);
  });
});
