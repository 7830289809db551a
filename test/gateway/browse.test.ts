import { memberOf } from "../../src/json.ts";
import { fail, ok } from "../../src/result.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BROWSE_EMPTY_MAX_TOKENS } from "../../src/limits.ts";
import { committedCounter } from "../../scripts/committed-ranks.ts";
import { fakeCatalog, fakeCatalogs, fakeId, type FakeTool, UNAVAILABLE } from "../support/fake-catalog.ts";
import { hostileName } from "../support/hostile-names.ts";
import {
  envelopeOf,
  fakeCaller,
  fakeGateway,
  jsonOf,
  listOf,
  recordOf,
  textOf,
} from "../support/fake-gateway.ts";

const TOOLS: readonly FakeTool[] = [
  {
    namespace: "github",
    name: "create_issue",
    description: "Create an issue.",
    inputSchema: { type: "object" },
  },
  {
    namespace: "github",
    name: "list_issues",
    description: "List issues.",
    annotations: { readOnlyHint: true },
  },
  { namespace: "github", name: "close_issue", description: "Close an issue." },
  { namespace: "files", name: "read_file", description: "Read a file.", annotations: { readOnlyHint: true } },
];
const idOf = (name: string) => fakeId(TOOLS.find((tool) => tool.name === name) ?? { namespace: "x", name });
const counter = committedCounter();

/** A name without meaning, the same one each time. */
function scrambled(seed: number, length: number, letters: string): string {
  let state = seed * 7919 + 13;
  let name = "n";
  while (name.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    name += letters.charAt(Math.floor(state / 65_536) % letters.length);
  }
  return name;
}

describe("tool_browse by query", () => {
  it("gives one line a tool, best first, and nothing else", async () => {
    const { surface } = fakeGateway({ catalog: fakeCatalog(TOOLS) });
    const answer = await surface.call("tool_browse", { query: "read_file" }, fakeCaller().context);
    expect(answer?.content.length).toBe(1);
    expect(answer?.structuredContent).toBeUndefined();
    expect(answer?.isError).toBeUndefined();
    expect(textOf(answer).split("\n")[0]).toBe(`${idOf("read_file")} — Read a file. read-only`);
  });

  it("gives the object in the JSON render, its keys in the contract's order, and the same one in _meta", async () => {
    const { surface } = fakeGateway({ catalog: fakeCatalog(TOOLS, 7) });
    const ask = { query: "create issue", render: "json" };
    const answer = await surface.call("tool_browse", ask, fakeCaller().context);
    const object = jsonOf(answer);
    expect(object).toEqual(answer?.structuredContent);
    expect(object).toEqual(envelopeOf(answer));
    expect(Object.keys(object).slice(0, 3)).toEqual(["cards", "total", "generation"]);
    expect(object).toMatchObject({ total: 3, generation: 7 });
    const [first] = listOf(object, "cards");
    expect(first).toMatchObject({ id: idOf("create_issue"), name: "create_issue", kind: "tool" });
    expect(Object.keys(recordOf(first))).toEqual([
      "id",
      "name",
      "description",
      "tags",
      "kind",
      "namespace",
      "has_schema",
      "score",
      "cost_hint",
      "side_effects",
      "safety",
    ]);
    const porcelain = await surface.call("tool_browse", { query: "create issue" }, fakeCaller().context);
    expect(envelopeOf(porcelain)).toEqual(object);
  });

  it("orders by score, then by id, and counts matches before the limit", async () => {
    const twins = Array.from({ length: 30 }, (_, index) => ({
      namespace: "zoo",
      name: `feed_${String.fromCharCode(97 + index)}`.replace(/[^a-z_]/g, "z"),
      description: "Feed the animals.",
    })).filter((tool, index, all) => all.findIndex(({ name }) => name === tool.name) === index);
    const { surface } = fakeGateway({ catalog: fakeCatalog(twins) });
    const ask = { query: "animals", top_k: 3, render: "json" };
    const object = jsonOf(await surface.call("tool_browse", ask, fakeCaller().context));
    const ids = listOf(object, "cards").map((card) => memberOf(card, "id"));
    expect(ids).toEqual(
      twins
        .map((tool) => fakeId(tool))
        .sort()
        .slice(0, 3),
    );
    expect(object).toMatchObject({ total: twins.length, ambiguous: true });
    const text = textOf(
      await surface.call("tool_browse", { query: "animals", top_k: 3 }, fakeCaller().context),
    );
    expect(text.split("\n").slice(3)).toEqual(["ambiguous: near tie at the top"]);
  });

  it("says that nothing matched, and which namespaces there are", async () => {
    const { surface } = fakeGateway({ catalog: fakeCatalog(TOOLS) });
    const caller = fakeCaller();
    const answer = await surface.call("tool_browse", { query: "weather" }, caller.context);
    expect(textOf(answer)).toBe("no match; try other words or a path: /files /github");
    expect(envelopeOf(answer)).toEqual({
      cards: [],
      total: 0,
      generation: 1,
      namespaces: ["files", "github"],
    });
    expect(textOf(await surface.call("tool_browse", { query: "" }, caller.context))).toContain("no match");
  });

  it("says so within 200 tokens whatever the namespaces are called", async () => {
    const names = fc.uniqueArray(hostileName, { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(names, async (namespaces) => {
        const tools = namespaces.map((namespace) => ({ namespace, name: "a" }));
        const { surface } = fakeGateway({ catalog: fakeCatalog(tools, 123_456_789) });
        for (const render of ["porcelain", "json"]) {
          const ask = { query: "weather", render };
          const text = textOf(await surface.call("tool_browse", ask, fakeCaller().context));
          expect(counter.count(text)).toBeLessThanOrEqual(BROWSE_EMPTY_MAX_TOKENS);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("names the first 20 namespaces and counts the rest, within 200 tokens in either render", async () => {
    const catalogs = [
      (index: number) => `service-${String.fromCharCode(97 + (index % 26))}${index}`,
      (index: number) => `x${index}_`.padEnd(64, "q7-_z"),
      (index: number) => scrambled(index, 8, "bcdfghjklmnpqrstvwxz"),
      (index: number) => scrambled(index, 20, "bcdfghjklmnpqrstvwxz"),
      (index: number) => scrambled(index, 7, "bcdfghjkaeiou"),
      (index: number) => scrambled(index, 15, "zxqvwjkaeiouy"),
      (index: number) => scrambled(index, 64, "zxqvwjkbbaeio"),
      (index: number) => scrambled(index, 12, "a1b2c3d4-_x"),
      (index: number) => `${scrambled(index, 9, "yqyqyqa")}${index}`,
      (index: number) => `${scrambled(index, 16, "yqjxe")}${index}`,
      (index: number) => `qz${"qz".repeat(index % 20)}${index}`,
    ].map((name) =>
      fakeCatalog(
        Array.from({ length: 60 }, (_, index) => ({ namespace: name(index), name: "a" })),
        123_456,
      ),
    );
    const texts: string[] = [];
    for (const catalog of catalogs) {
      const { surface } = fakeGateway({ catalog });
      for (const render of ["porcelain", "json"]) {
        const ask = { query: "weather", render };
        const text = textOf(await surface.call("tool_browse", ask, fakeCaller().context));
        expect(counter.count(text)).toBeLessThanOrEqual(BROWSE_EMPTY_MAX_TOKENS);
        texts.push(text);
        const noted = textOf(await surface.call("tool_browse", ask, fakeCaller({ changedFrom: 1 }).context));
        expect(noted).toContain("the catalog has changed");
        expect(counter.count(noted)).toBeLessThanOrEqual(BROWSE_EMPTY_MAX_TOKENS);
      }
    }
    expect(texts[0]).toMatch(/^no match; try other words or a path:( \/service-[a-z]\d+){20} \+40 more$/);
    expect(texts[2]).toMatch(/ \+\d\d more$/);
  });
});

describe("tool_browse by path", () => {
  it("lists the namespaces, then what is in one, then a tool", async () => {
    const { surface } = fakeGateway({ catalog: fakeCatalog(TOOLS) });
    const browse = async (path: string) =>
      textOf(await surface.call("tool_browse", { path }, fakeCaller().context));
    expect(await browse("/")).toBe("/files — 1 tool\n/github — 3 tools");
    expect((await browse("/github")).split("\n").map((line) => line.split(" ")[0])).toEqual(
      [idOf("close_issue"), idOf("create_issue"), idOf("list_issues")].sort(),
    );
    expect(await browse("/files/*")).toBe(await browse("/files"));
    expect(await browse("/files/read_file")).toBe(`${idOf("read_file")} — Read a file. read-only`);
  });

  it("ignores top_k and has no scores", async () => {
    const { surface } = fakeGateway({ catalog: fakeCatalog(TOOLS) });
    const ask = { path: "/github", top_k: 1, render: "json" };
    const object = jsonOf(await surface.call("tool_browse", ask, fakeCaller().context));
    expect(object).toMatchObject({ total: 3 });
    expect(JSON.stringify(object)).not.toContain("score");
  });

  it.each([
    ["github", "PATH_INVALID", { problem: "no_leading_slash", try: "/github" }],
    ["/github/", "PATH_INVALID", { problem: "trailing_slash", try: "/github" }],
    ["", "PATH_INVALID", { problem: "no_leading_slash", try: "/" }],
    ["/githab", "PATH_NOT_FOUND", { nearest: "/", try: ["/github"] }],
    ["/github/nothing", "PATH_NOT_FOUND", { nearest: "/github" }],
  ])("%j is %s, with what would work", async (path, error, details) => {
    const { surface } = fakeGateway({ catalog: fakeCatalog(TOOLS) });
    const answer = await surface.call("tool_browse", { path }, fakeCaller().context);
    expect(answer?.isError).toBe(true);
    expect(answer?.["_meta"]).toBeUndefined();
    expect(jsonOf(answer)).toMatchObject({ error, path, retryable: false, details });
  });

  it("names an endless path by a bounded line of it", async () => {
    const { surface } = fakeGateway({ catalog: fakeCatalog(TOOLS) });
    const path = `/a\u0000\n${"x".repeat(10_000)}\ud800`;
    const text = textOf(await surface.call("tool_browse", { path }, fakeCaller().context));
    expect(text.length).toBeLessThan(600);
    expect(text).not.toContain("\n");
    expect(text).not.toContain("\\u0000");
  });

  it("says so where there is nothing at all", async () => {
    const { surface } = fakeGateway({ catalog: fakeCatalog([]) });
    const answer = await surface.call("tool_browse", { path: "/" }, fakeCaller().context);
    expect(textOf(answer)).toBe("note: the catalog has no tools");
    expect(envelopeOf(answer)).toEqual({
      cards: [],
      total: 0,
      generation: 1,
      note: "the catalog has no tools",
    });
  });
});

describe("what scopes hide", () => {
  it("is neither found, counted, listed nor offered", async () => {
    const { surface } = fakeGateway({ catalog: fakeCatalog(TOOLS) });
    const sees = (id: string) => id.startsWith("files:");
    const asks: [object, string][] = [
      [{ query: "issue" }, "no match; try other words or a path: /files"],
      [{ path: "/" }, "/files — 1 tool"],
    ];
    for (const [ask, text] of asks) {
      expect(textOf(await surface.call("tool_browse", ask, fakeCaller({ sees }).context))).toBe(text);
    }
    const hidden = await surface.call("tool_browse", { path: "/github" }, fakeCaller({ sees }).context);
    expect(jsonOf(hidden)).toMatchObject({ error: "PATH_NOT_FOUND", details: { try: ["/files"] } });
  });
});

describe("what a browse costs", () => {
  it("one admit that arranges nothing, and no look at any newer catalog, where order is not cache-stable", async () => {
    const catalogs = fakeCatalogs(ok(fakeCatalog(TOOLS)));
    const { surface, artifacts } = fakeGateway({ catalogs });
    const caller = fakeCaller();
    await surface.call("tool_browse", { query: "issue" }, caller.context);
    const look = { browses: true, attempt: "id-1" };
    expect(caller.asks).toEqual([{ catalogVersion: { catalog: "fake", generation: 1 }, ...look }]);
    expect([catalogs.asked, caller.reports, artifacts.calls]).toEqual([["current"], [], []]);
  });

  it("loads a newer catalog where the principal has met it, and asks again", async () => {
    const newer = fakeCatalog([{ namespace: "github", name: "create_issue_v2" }], 5);
    const catalogs = fakeCatalogs(ok(fakeCatalog(TOOLS, 4)), ok(newer));
    const { surface } = fakeGateway({ catalogs });
    const caller = fakeCaller({ newestGeneration: 5 });
    const answer = await surface.call("tool_browse", { query: "create issue" }, caller.context);
    expect(envelopeOf(answer)).toMatchObject({ generation: 5, total: 1 });
    expect(catalogs.asked).toEqual(["current", "atLeast 5"]);
    expect(caller.asks.length).toBe(2);
  });

  it("never answers from an older catalog than was met", async () => {
    const { surface } = fakeGateway({ catalogs: fakeCatalogs(ok(fakeCatalog(TOOLS, 4))) });
    const caller = fakeCaller({ newestGeneration: 5 });
    const answer = await surface.call("tool_browse", { query: "issue" }, caller.context);
    expect(jsonOf(answer)).toMatchObject({ error: "UPSTREAM_UNAVAILABLE", retryable: true });
    expect(caller.asks.length).toBe(2);
    const unavailable = fakeCatalogs(ok(fakeCatalog(TOOLS, 4)), UNAVAILABLE);
    const second = fakeGateway({ catalogs: unavailable });
    const text = textOf(await second.surface.call("tool_browse", { query: "issue" }, caller.context));
    expect(JSON.parse(text)).toMatchObject({
      error: "UPSTREAM_UNAVAILABLE",
      details: { outcome: "not_dispatched" },
    });
    expect(text).not.toContain("secret-detail");
  });

  it("is a typed error where something of ours throws, with the detail in the log alone", async () => {
    const catalog = {
      ...fakeCatalog(TOOLS),
      search: () => {
        throw new Error("index corrupt at 0xdead");
      },
    };
    const { surface, log } = fakeGateway({ catalog });
    const answer = await surface.call("tool_browse", { query: "issue" }, fakeCaller().context);
    expect(jsonOf(answer)).toMatchObject({ error: "UPSTREAM_ERROR", retryable: false });
    expect(textOf(answer)).not.toContain("0xdead");
    expect(log.join("")).toContain("0xdead");
  });
});

describe("cache-stable browsing", () => {
  it("repeats what was seen first and byte for byte, then a breakpoint, then what is new", async () => {
    const { surface } = fakeGateway({ catalog: fakeCatalog(TOOLS), cacheStable: true });
    const caller = fakeCaller();
    const browse = async (ask: object) => surface.call("tool_browse", ask, caller.context);
    const first = jsonOf(await browse({ query: "read_file", render: "json" }));
    expect(first["total"]).toBe(1);
    const second = await browse({ query: "file issue" });
    const lines = textOf(second).split("\n");
    expect(lines[0]).toContain(idOf("read_file"));
    expect(lines[1]).toBe("__cache_breakpoint__");
    expect(lines.slice(2, 5).map((line) => line.split(" ")[0])).toEqual(
      [idOf("close_issue"), idOf("create_issue"), idOf("list_issues")].sort(),
    );
    const object = envelopeOf(second);
    const cards = listOf(object, "cards");
    expect(JSON.stringify(cards[0])).toBe(JSON.stringify(listOf(first, "cards")[0]));
    expect(cards[1]).toEqual({
      id: "__cache_breakpoint__",
      name: "cache_breakpoint",
      description: "",
      tags: [],
      kind: "internal",
      namespace: "",
      has_schema: false,
      cost_hint: 0,
      side_effects: false,
      safety: "",
    });
    expect(object["total"]).toBe(4);
    const third = textOf(await browse({ query: "file issue" }));
    expect(third).not.toContain("__cache_breakpoint__");
    expect(caller.asks.length).toBe(3);
  });

  it("counts a tool that was executed as seen", async () => {
    const { surface } = fakeGateway({ catalog: fakeCatalog(TOOLS), cacheStable: true });
    const caller = fakeCaller();
    await surface.call("tool_execute", { tool_id: idOf("close_issue") }, caller.context);
    const text = textOf(await surface.call("tool_browse", { query: "issue" }, caller.context));
    expect(text.split("\n").slice(0, 2)).toEqual([
      `${idOf("close_issue")} — Close an issue. side effects`,
      "__cache_breakpoint__",
    ]);
  });
});

describe("an unready catalog", () => {
  it("is a retryable error that says nothing ran", async () => {
    const { surface } = fakeGateway({
      catalogs: fakeCatalogs(fail({ reason: "catalog_unavailable", detail: "x" })),
    });
    const caller = fakeCaller();
    expect(jsonOf(await surface.call("tool_browse", { path: "/" }, caller.context))).toEqual({
      error: "UPSTREAM_UNAVAILABLE",
      message: "the catalog is not ready yet",
      path: "",
      retryable: true,
      details: { outcome: "not_dispatched" },
    });
    expect(caller.asks.length).toBe(1);
  });
});
