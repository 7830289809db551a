import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Catalog, CatalogTool } from "../../../src/catalog/catalog.ts";
import { compareCodePoints } from "../../../src/code-points.ts";
import { listCursor, readListCursor } from "../../../src/gateway/proxy/list-cursor.ts";
import { LISTED_FORMS, listedAs } from "../../../src/identity/listed-form.ts";
import { fail, ok } from "../../../src/result.ts";
import { committedCounter } from "../../../scripts/committed-ranks.ts";
import { fakeCatalog, fakeCatalogs, fakeId, type FakeTool, UNAVAILABLE } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { anyString } from "../../identity/arbitraries.ts";
import { allPages, proxied } from "./proxied.ts";

const TOOLS: readonly FakeTool[] = [
  { namespace: "zoo", name: "feed", description: "Feed the animals." },
  { namespace: "github", name: "create_issue", description: "Create an issue." },
  { namespace: "github", name: "issues.list", description: "List issues." },
];
const META_TOOLS = ["tool_hydrate", "tool_execute"];

function many(count: number, first = 0): readonly FakeTool[] {
  return Array.from({ length: count }, (_, index) => ({
    namespace: `server-${index % 7}`,
    name: `tool_${first + index}`,
    description: `Does thing ${index}.`,
  }));
}

/** A catalog of bare ids, in as many pages as are asked for. */
function bareCatalog(ids: readonly string[], pageSize: number): Catalog {
  const base = fakeCatalog(TOOLS);
  const [template] = base.page(undefined, 1, () => true).tools;
  if (template === undefined) throw new Error("no tool");
  return {
    ...base,
    page: (after, count, sees) => {
      const behind = ids
        .filter((id) => sees(id) && (after === undefined || compareCodePoints(id, after) > 0))
        .sort(compareCodePoints);
      const size = Math.min(count, pageSize);
      return {
        tools: behind.slice(0, size).map((id) => named(template, id)),
        more: behind.length > size,
      };
    },
  };
}

function named(tool: CatalogTool, id: string): CatalogTool {
  return { ...tool, id };
}

const ids = fc.uniqueArray(
  fc.string({
    unit: fc.constantFrom("a", "b", "z", "_", "-", ".", ":", "#", "@", "~", "9"),
    minLength: 1,
    maxLength: 12,
  }),
  { maxLength: 40 },
);

describe("the proxy's tools/list", () => {
  it("has the two meta-tools and then every tool by its id, each stripped to four members", async () => {
    const { surface, caller } = proxied({ catalog: fakeCatalog(TOOLS) });
    const [page = []] = await allPages(surface, caller.context);
    expect(page.slice(0, 2).map(({ name }) => name)).toEqual(META_TOOLS);
    const wanted = TOOLS.map(fakeId).sort(compareCodePoints);
    expect(page.slice(2).map(({ title }) => title)).toEqual(wanted);
    expect(JSON.stringify(page[2])).toBe(
      JSON.stringify({
        name: listedAs("safe", wanted[0] ?? ""),
        title: wanted[0],
        description: "Create an issue.",
        inputSchema: { type: "object" },
      }),
    );
  });

  it("shows the meta-tools' schemas, without render", async () => {
    const { surface, caller } = proxied({ catalog: fakeCatalog([]) });
    const [page = []] = await allPages(surface, caller.context);
    expect(page.map(({ inputSchema }) => JSON.stringify(inputSchema))).toEqual([
      '{"type":"object","properties":{"tool_id":{"type":"string"}},"required":["tool_id"],"additionalProperties":false}',
      '{"type":"object","properties":{"tool_id":{"type":"string"},"args":{"type":"object"},"dry_run":{"type":"boolean"}},"required":["tool_id"],"additionalProperties":false}',
    ]);
    expect(page.map(({ annotations }) => annotations)).toEqual([{ readOnlyHint: true }, undefined]);
    expect(committedCounter().count(JSON.stringify(page))).toBeLessThanOrEqual(250);
  });

  it.each(LISTED_FORMS)("names tools in the %s form", async (names) => {
    const { surface, caller } = proxied({ catalog: fakeCatalog(TOOLS), names });
    const [page = []] = await allPages(surface, caller.context);
    const listed = page.slice(2);
    expect(listed.length).toBe(TOOLS.length);
    for (const { name, title } of listed) expect(name).toBe(listedAs(names, title ?? ""));
  });

  it("has 500 entries on a page, the meta-tools counted", async () => {
    const { surface, caller } = proxied({ catalog: fakeCatalog(many(1_200)) });
    const pages = await allPages(surface, caller.context);
    expect(pages.map((page) => page.length)).toEqual([500, 500, 202]);
    const titles = pages.flat().flatMap(({ title }) => title ?? []);
    expect(titles).toEqual(many(1_200).map(fakeId).sort(compareCodePoints));
    expect(caller.asks.length).toBe(3);
  });

  it.each([
    [498, [500]],
    [499, [500, 1]],
    [998, [500, 500]],
  ])("ends without an empty page at %i tools", async (count, lengths) => {
    const { surface, caller } = proxied({ catalog: fakeCatalog(many(count)) });
    expect((await allPages(surface, caller.context)).map((page) => page.length)).toEqual(lengths);
  });

  it("has the same bytes whatever the order the tools come in", async () => {
    const one = proxied({ catalog: fakeCatalog(many(600)) });
    const other = proxied({ catalog: fakeCatalog(many(600).toReversed()) });
    expect(JSON.stringify(await allPages(one.surface, one.caller.context))).toBe(
      JSON.stringify(await allPages(other.surface, other.caller.context)),
    );
  });

  it("covers every visible tool once and in order, under any page size", async () => {
    await fc.assert(
      fc.asyncProperty(
        ids,
        fc.integer({ min: 1, max: 9 }),
        fc.func(fc.boolean()),
        async (all, size, sees) => {
          const caller = fakeCaller({ sees });
          const { surface } = proxied({ catalog: bareCatalog(all, size), names: "canonical" }, caller);
          const pages = await allPages(surface, caller.context);
          const titles = pages.flat().flatMap(({ title }) => title ?? []);
          expect(titles).toEqual(all.filter((id) => sees(id)).sort(compareCodePoints));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("lists nothing twice and loses nothing of what stays, when tools come and go between pages", async () => {
    await fc.assert(
      fc.asyncProperty(ids, ids, ids, fc.integer({ min: 1, max: 5 }), async (stay, go, come, size) => {
        const kept = new Set(stay);
        const before = [...new Set([...stay, ...go])];
        const after = [...new Set([...stay, ...come])];
        const catalogs = { ...fakeCatalogs(ok(bareCatalog(before, size))) };
        const { surface, caller } = proxied({ catalogs });
        const pages = await allPages(surface, caller.context, () => {
          catalogs.current = async () => ok(bareCatalog(after, size));
        });
        const titles = pages.flat().flatMap(({ title }) => title ?? []);
        expect(titles).toEqual([...titles].sort(compareCodePoints));
        expect(new Set(titles).size).toBe(titles.length);
        expect(new Set(titles.filter((id) => kept.has(id)))).toEqual(kept);
      }),
      { numRuns: 300 },
    );
  });

  it("shows only what the scopes let through", async () => {
    const caller = fakeCaller({ sees: (id) => id.startsWith("zoo:") });
    const { surface } = proxied({ catalog: fakeCatalog(TOOLS) }, caller);
    const [page = []] = await allPages(surface, caller.context);
    expect(page.slice(2).map(({ title }) => title)).toEqual([
      fakeId(TOOLS[0] ?? { namespace: "", name: "" }),
    ]);
    expect(JSON.stringify(page)).not.toContain("github");
  });

  it("is admitted once a page, with the catalog's version", async () => {
    const { surface, caller } = proxied({ catalog: fakeCatalog(TOOLS, 7) });
    await surface.tools(caller.context);
    expect(caller.asks).toEqual([{ catalogVersion: { catalog: "fake", generation: 7 } }]);
    expect(caller.settles()).toBe(0);
  });

  it("never goes back behind a catalog that the principal has met", async () => {
    const catalogs = fakeCatalogs(ok(fakeCatalog([], 1)), ok(fakeCatalog(TOOLS, 2)));
    const { surface, caller } = proxied({ catalogs }, fakeCaller({ newestGeneration: 2 }));
    const [page = []] = await allPages(surface, caller.context);
    expect(page.length).toBe(5);
    expect(catalogs.asked).toEqual(["current", "atLeast 2"]);
    expect(caller.asks.map(({ catalogVersion }) => catalogVersion?.generation)).toEqual([1, 2]);
  });

  it("fails, and is admitted, where the catalog is not there, throws, or stays too old", async () => {
    const throwing = { ...fakeCatalogs(UNAVAILABLE), current: () => Promise.reject(new Error("kv")) };
    const old = fakeCatalogs(ok(fakeCatalog(TOOLS, 1)));
    for (const [catalogs, newest, error] of [
      [fakeCatalogs(UNAVAILABLE), undefined, "UPSTREAM_UNAVAILABLE"],
      [throwing, undefined, "UPSTREAM_ERROR"],
      [old, 2, "UPSTREAM_UNAVAILABLE"],
    ] as const) {
      const caller = fakeCaller(newest === undefined ? {} : { newestGeneration: newest });
      const { surface, log } = proxied({ catalogs }, caller);
      const page = await surface.tools(caller.context);
      expect(page).toMatchObject(fail({ code: -32603, data: { error } }));
      expect(caller.asks.length).toBeGreaterThanOrEqual(1);
      expect(log.length).toBe(1);
      expect(JSON.stringify(page)).not.toContain("secret-detail-of-ours");
    }
  });

  it("tells nothing to who is not let in", async () => {
    const caller = fakeCaller({ answer: () => ({ admitted: false, reason: "unreachable" }) });
    const { surface } = proxied({ catalog: fakeCatalog(TOOLS) }, caller);
    const page = await surface.tools(caller.context);
    expect(page).toMatchObject(fail({ code: -32603, data: { error: "UPSTREAM_UNAVAILABLE" } }));
    expect(JSON.stringify(page)).not.toContain("github");
  });

  it("names no secret", async () => {
    const catalog = fakeCatalog([{ namespace: "github", name: "hunter22", description: "with hunter22" }]);
    const { surface, caller } = proxied({ catalog, secrets: ["hunter22"] });
    expect(JSON.stringify(await allPages(surface, caller.context))).not.toContain("hunter22");
  });
});

describe("a cursor of the proxy's list", () => {
  it("is read back to its id, by its own list alone", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyString,
          ids.map((some) => some[0] ?? ""),
        ),
        (id) => {
          expect(readListCursor("tools", listCursor("tools", id))).toBe(id);
          expect(readListCursor("prompts", listCursor("tools", id))).toBeUndefined();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is only what was given: any other text is refused, and nothing throws", () => {
    fc.assert(
      fc.property(fc.oneof(anyString, fc.base64String(), fc.json().map(btoaUrl)), (text) => {
        const id = readListCursor("tools", text);
        expect(id === undefined || listCursor("tools", id) === text).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ["nothing", ""],
    ["a word", "next"],
    ["an id", "github:create_issue#aea9ce2a"],
    ["another list's", listCursor("prompts", "a:b#00000000")],
    ["JSON of another shape", btoaUrl('{"after":"a"}')],
    ["an array of more", btoaUrl('["tools","a","b"]')],
    ["the same with a space", btoaUrl('["tools", "a"]')],
    ["something endless", "A".repeat(100_000)],
  ])("that is %s is -32602, admitted like everything", async (_, cursor) => {
    const { surface, caller } = proxied({ catalog: fakeCatalog(TOOLS) });
    expect(await surface.tools(caller.context, cursor)).toEqual(
      fail({ code: -32602, message: "Invalid cursor" }),
    );
    expect(caller.asks).toEqual([{}]);
  });

  it("goes on behind an id that is gone", async () => {
    const { surface, caller } = proxied({ catalog: fakeCatalog(TOOLS) });
    const page = await surface.tools(caller.context, listCursor("tools", "h:gone#00000000"));
    expect(page.ok && page.value.tools.map(({ title }) => title)).toEqual([
      fakeId(TOOLS[0] ?? { namespace: "", name: "" }),
    ]);
  });
});

function btoaUrl(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return Buffer.from(bytes).toString("base64url");
}
