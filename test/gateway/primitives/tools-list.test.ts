import { describe, expect, it } from "vitest";
import { INSTRUCTIONS, instructionsFor } from "../../../src/gateway/instructions.ts";
import { metaTools } from "../../../src/gateway/meta-tools.ts";
import { sha256Hex } from "../../../src/identity/digest.ts";
import { TOOLS_LIST_ALL_KINDS_MAX_TOKENS } from "../../../src/limits.ts";
import { committedCounter } from "../../../scripts/committed-ranks.ts";
import { fakeCatalog } from "../../support/fake-catalog.ts";
import { fakeCaller, PARTS, run } from "./kit.ts";

const S = { type: "string" };
const R = { type: "string", enum: ["porcelain", "json"] };
const BROWSE = {
  type: "object",
  properties: { query: S, path: S, top_k: { type: "integer", minimum: 1, maximum: 50 }, render: R },
  additionalProperties: false,
};
const ALL = { resource: true, prompt: true };

const listOf = async (options: Parameters<typeof run>[0]) => {
  const { surface, caller } = run(options);
  const listed = await surface.tools(caller.context);
  if (!listed.ok) throw new Error(listed.reason.message);
  return listed.value.tools;
};

describe("tools/list", () => {
  it("without resources and prompts has the bytes that it had before there were any", async () => {
    const tools = await listOf({ catalog: fakeCatalog([{ namespace: "github", name: "a" }]) });
    // sha256 of the three tools' list: who changes it on purpose changes it here.
    expect(sha256Hex(JSON.stringify(tools))).toBe(
      "bf2d7566a3f9d6d5058d93a2d6ecae9a8a1accba9fd5d04ca8391bc6a6b27eec",
    );
  });

  it("has a kind's pair where any server has some of it, behind the three and in this order", async () => {
    const { tools = [], resources = [], templates = [], prompts = [] } = PARTS;
    const of = async (parts: Parameters<typeof fakeCatalog>[0]) =>
      (await listOf({ catalog: fakeCatalog(parts) })).slice(3).map(({ name }) => name);
    expect(await of({ tools })).toEqual([]);
    expect(await of({ tools, resources })).toEqual(["resource_browse", "resource_read"]);
    expect(await of({ templates })).toEqual(["resource_browse", "resource_read"]);
    expect(await of({ tools, prompts })).toEqual(["prompt_browse", "prompt_get"]);
    expect(await of(PARTS)).toEqual(["resource_browse", "resource_read", "prompt_browse", "prompt_get"]);
  });

  it("is the same for every bearer, whatever its scopes hide", async () => {
    const blind = await listOf({ caller: fakeCaller({ sees: () => false }) });
    expect(JSON.stringify(blind)).toBe(JSON.stringify(await listOf({})));
    expect(blind.length).toBe(7);
  });

  it("has the contract's schemas, and says of all four that they only read", () => {
    const tools = metaTools([], ALL).slice(3);
    const id = (name: string) => ({
      type: "object",
      properties: { [name]: S, args: { type: "object" }, render: R },
      required: [name],
      additionalProperties: false,
    });
    expect(tools.map(({ inputSchema }) => JSON.stringify(inputSchema))).toEqual(
      [BROWSE, id("resource_id"), BROWSE, id("prompt_id")].map((schema) => JSON.stringify(schema)),
    );
    for (const tool of tools) {
      expect(Object.keys(tool)).toEqual(["name", "description", "inputSchema", "annotations"]);
      expect(tool.annotations).toEqual({ readOnlyHint: true });
    }
  });

  it("stays within its budget with all seven, whatever the number of namespaces", () => {
    const counter = committedCounter();
    const many = Array.from({ length: 5_000 }, (_, index) => `x${index}_`.padEnd(64, "q7-_z"));
    for (const namespaces of [[], ["github"], many]) {
      const count = counter.count(JSON.stringify(metaTools(namespaces, ALL)));
      expect(count).toBeLessThanOrEqual(TOOLS_LIST_ALL_KINDS_MAX_TOKENS);
    }
  });
});

describe("the instructions", () => {
  it("speak of a kind only where there is any, within what clients show", async () => {
    const { surface, caller } = run({ catalog: fakeCatalog([{ namespace: "github", name: "a" }]) });
    expect(await surface.instructionsFor?.(caller.context)).toBe(INSTRUCTIONS);
    const all = run();
    const shown = (await all.surface.instructionsFor?.(all.caller.context)) ?? "";
    expect(shown.startsWith(`${INSTRUCTIONS}\n`)).toBe(true);
    expect(shown).toMatch(/resource_browse.*prompt_browse/);
    expect(instructionsFor({ resource: true, prompt: false })).not.toContain("prompt");
    for (const kinds of [ALL, { resource: true, prompt: false }, { resource: false, prompt: true }]) {
      expect(instructionsFor(kinds).length).toBeLessThanOrEqual(512);
    }
  });
});
