import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { ok } from "../../../src/result.ts";
import { fakeCatalog, fakeCatalogs, type FakeParts } from "../../support/fake-catalog.ts";
import { listOf, recordOf } from "../../support/fake-gateway.ts";
import {
  CATALOG,
  envelopeOf,
  fakeCaller,
  jsonOf,
  PARTS,
  README_ID,
  run,
  SUMMARY_ID,
  textOf,
  TOOL,
} from "./kit.ts";

const KINDS = ["tool", "resource", "prompt"] as const;
const mark = { tool: /^[a-z][a-z0-9_-]*:[^:]/, resource: /^resource::/, prompt: /^prompt::/ };

const idsOf = (answer: Parameters<typeof envelopeOf>[0]): string[] =>
  listOf(envelopeOf(answer), "cards")
    .filter((card) => memberOf(card, "kind") !== "internal")
    .map((card) => String(memberOf(card, "id")));

describe("browsing one kind", () => {
  it("finds it by words, in lines that are the card and nothing before them", async () => {
    const { call } = run();
    expect(textOf(await call("resource_browse", { query: "readme" }))).toBe(`${README_ID} — readme`);
    expect(textOf(await call("prompt_browse", { query: "summarize a pull request" }))).toBe(
      `${SUMMARY_ID} — Summarises a pull request (args: repo, style?)`,
    );
  });

  it("lists its own namespaces and what is in them, counted in its own words", async () => {
    const { call } = run();
    expect(textOf(await call("tool_browse", { path: "/" }))).toBe("/fs — 1 tool");
    expect(textOf(await call("resource_browse", { path: "/" }))).toBe("/fs — 3 resources\n/web — 1 resource");
    expect(textOf(await call("prompt_browse", { path: "/" }))).toBe("/fs — 1 prompt");
    expect(idsOf(await call("prompt_browse", { path: "/fs" }))).toEqual([SUMMARY_ID]);
    expect(jsonOf(await call("prompt_browse", { path: "/web" }))).toMatchObject({ error: "PATH_NOT_FOUND" });
  });

  it("offers its own namespaces where nothing matched, and says where there is nothing to see", async () => {
    const { call } = run();
    expect(textOf(await call("prompt_browse", { query: "zzzz" }))).toBe(
      "no match; try other words or a path: /fs",
    );
    const blind = run({ caller: fakeCaller({ sees: () => false }) });
    expect(textOf(await blind.call("resource_browse", { path: "/" }))).toBe(
      "note: the catalog has no resources",
    );
    expect(textOf(await blind.call("prompt_browse", { path: "/*" }))).toBe(
      "note: the catalog has no prompts",
    );
  });

  it("takes its arguments as tool_browse does, and names itself where they are wrong", async () => {
    const { call } = run();
    for (const name of ["resource_browse", "prompt_browse"]) {
      const error = jsonOf(await call(name, { query: "a", path: "/" }));
      expect(error).toMatchObject({
        error: "ARGS_INVALID",
        message: `${name} takes exactly one of query and path`,
      });
      expect(jsonOf(await call(name, { query: "a", top_k: 51 }))).toMatchObject({ error: "ARGS_INVALID" });
    }
    const one = await call("resource_browse", { query: "readme logo item", top_k: 1 });
    expect(idsOf(one).length).toBe(1);
  });

  it("is told with its kind, and with numbers alone", async () => {
    const { call, caller } = run();
    for (const kind of KINDS) await call(`${kind}_browse`, { query: "hunter22" });
    await call("resource_browse", {});
    await call("prompt_browse", { path: "/nowhere/hunter22" });
    expect(caller.told.map(({ event }) => [event.event, memberOf(event.attributes, "primitive")])).toEqual([
      ["browse.completed", "tool"],
      ["browse.completed", "resource"],
      ["browse.completed", "prompt"],
      ["browse.failed", "resource"],
      ["browse.failed", "prompt"],
    ]);
    expect(JSON.stringify(caller.told)).not.toContain("hunter22");
  });

  it("never shows a card of another kind, whatever is in the catalog and whoever asks", async () => {
    const name = fc.stringMatching(/^[a-z]{1,6}( [a-z]{1,6})?$/);
    const namespace = fc.constantFrom("a", "b", "c");
    const of = <Item>(item: fc.Arbitrary<Item>) =>
      fc.uniqueArray(item, { maxLength: 5, selector: (x) => JSON.stringify(x) });
    const parts: fc.Arbitrary<FakeParts> = fc.record({
      tools: of(fc.record({ namespace, name: fc.stringMatching(/^[a-z]{1,6}$/) })),
      resources: of(fc.record({ namespace, name, uri: name.map((each) => `x:${each}`) })),
      prompts: of(fc.record({ namespace, name })),
    });
    await fc.assert(
      fc.asyncProperty(parts, name, fc.constantFrom(...KINDS), async (given, query, kind) => {
        const catalog = fakeCatalog(given);
        const { call } = run({ catalog });
        for (const ask of [{ query }, { path: "/" }, { path: "/a" }]) {
          const answer = await call(`${kind}_browse`, ask);
          if (answer?.["_meta"] === undefined) continue;
          for (const id of idsOf(answer)) expect(id).toMatch(mark[kind]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("puts what was seen first where order is cache-stable, each kind for itself", async () => {
    const { call, read } = run({
      cacheStable: true,
      result: { contents: [{ uri: "a:b", text: "x" }] },
    });
    await read();
    await call("tool_browse", { query: TOOL.name });
    const answer = await call("resource_browse", { query: "readme logo item" });
    const lines = textOf(answer).split("\n");
    expect(lines.slice(0, 2)).toEqual([`${README_ID} — readme`, "__cache_breakpoint__"]);
    expect(lines.length).toBeGreaterThan(2);
  });
});

describe("a kind that no server has", () => {
  const toolsOnly = fakeCatalog({ tools: [TOOL] });

  it.each(["resource_browse", "resource_read", "prompt_browse", "prompt_get"])(
    "has no %s: it is a tool that nobody knows, and the call is admitted all the same",
    async (name) => {
      const { call, caller } = run({ catalog: toolsOnly });
      const args = { query: "a", resource_id: "a", prompt_id: "a" };
      expect(await call(name, args)).toBeUndefined();
      expect(caller.asks).toEqual([{}]);
      expect(caller.told).toEqual([]);
    },
  );

  it("is there as soon as the newest catalog has it", async () => {
    const catalogs = fakeCatalogs(ok(toolsOnly), ok(CATALOG));
    const { call } = run({ catalogs, caller: fakeCaller({ newestGeneration: 1 }) });
    const answer = await call("prompt_browse", { path: "/" });
    expect(answer).toBeDefined();
    expect(catalogs.asked).toContain("newest");
  });

  it("does not hide the other", async () => {
    const { prompts = [] } = PARTS;
    const { call } = run({ catalog: fakeCatalog({ prompts }) });
    expect(idsOf(await call("prompt_browse", { path: "/fs" }))).toEqual([SUMMARY_ID]);
    expect(await call("resource_browse", { path: "/" })).toBeUndefined();
    expect(recordOf(envelopeOf(await call("tool_browse", { path: "/" })))).toMatchObject({ total: 0 });
  });

  it("is not ready, rather than unknown, where there is no catalog at all", async () => {
    const none = run({
      catalogs: fakeCatalogs({ ok: false, reason: { reason: "catalog_unavailable", detail: "" } }),
    });
    for (const [name, args] of [
      ["resource_browse", { path: "/" }],
      ["prompt_get", { prompt_id: "a" }],
    ] as const) {
      expect(jsonOf(await none.call(name, args))).toMatchObject({
        error: "UPSTREAM_UNAVAILABLE",
        retryable: true,
      });
    }
  });
});
