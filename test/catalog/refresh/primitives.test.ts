import { describe, expect, it } from "vitest";
import { SEES_EVERYTHING } from "../../../src/access/visibility.ts";
import type { Catalog } from "../../../src/catalog/catalog.ts";
import { parsePath } from "../../../src/catalog/tree/path.ts";
import { DEFINITIONS_JUDGED_AT_ONCE_COUNT } from "../../../src/limits.ts";
import {
  catalogOf,
  definitionsOf,
  itemsOf,
  PRIMITIVE_SETTINGS as SETTINGS,
  prompt,
  resource,
  template,
} from "../../support/catalog/primitives.ts";
import { RefreshRig, settingsOf, tool } from "../../support/catalog/rig.ts";
import { readCatalog } from "../../support/catalog/served.ts";

const KINDS = ["resource", "prompt"] as const;

const ALPHA = {
  tools: [tool("a1")],
  resources: [
    resource("docs://a/readme.md", { description: "Read me first." }),
    resource("docs://a/notes.md"),
  ],
  templates: [template("docs://a/pages/{id}{?lang}", { description: "A page." })],
  prompts: [
    prompt("summarize", [{ name: "text", required: true }, { name: "style" }], { description: "Sums up." }),
  ],
};

describe("a refresh of resources and prompts", () => {
  it("makes a catalog of each kind under one generation, with cards that have no safety word", async () => {
    const catalog = await catalogOf({ alpha: ALPHA, beta: [tool("b1")] });
    expect(catalog.page(undefined, 9, SEES_EVERYTHING).tools.map(({ id }) => id.split("#")[0])).toEqual([
      "alpha:a1",
      "beta:b1",
    ]);
    const resources = itemsOf(catalog, "resource");
    expect(resources.map(({ line }) => line.replaceAll(/#[0-9a-f]{8}/g, ""))).toEqual([
      "resource::alpha:by_id — A page. (args: id, lang?)",
      "resource::alpha:notes.md — notes.md",
      "resource::alpha:readme.md — Read me first.",
    ]);
    expect(resources.map(({ upstreamName }) => upstreamName)).toEqual([
      "docs://a/pages/{id}{?lang}",
      "docs://a/notes.md",
      "docs://a/readme.md",
    ]);
    expect(
      itemsOf(catalog, "prompt").map(({ line, card, server }) => [
        line.replace(/#\w+/, ""),
        card.kind,
        server,
      ]),
    ).toEqual([["prompt::alpha:summarize — Sums up. (args: text, style?)", "prompt", "alpha"]]);
    for (const kind of KINDS) expect(catalog.of(kind)?.version).toEqual(catalog.version);
  });

  it("gives back each definition as its server gave it, and the hash of the schema of its call", async () => {
    const catalog = await catalogOf({ alpha: ALPHA, beta: [] });
    const [page, notes] = await definitionsOf(catalog, "resource");
    expect(page?.definition).toEqual(ALPHA.templates[0]);
    expect(notes?.definition).toEqual(ALPHA.resources[1]);
    expect(page?.schemaHash).not.toBe(notes?.schemaHash);
    const [sums] = await definitionsOf(catalog, "prompt");
    expect(sums?.definition).toEqual(ALPHA.prompts[0]);
  });

  it("finds, ranks and shows by path each kind apart", async () => {
    const catalog = await catalogOf({ alpha: ALPHA, beta: [] });
    const resources = catalog.of("resource");
    const [readme] = resources?.search("read me", 5, SEES_EVERYTHING).hits ?? [];
    expect(readme?.id).toMatch(/^resource::alpha:readme\.md#/);
    expect(resources?.search("docs pages", 5, SEES_EVERYTHING).hits[0]?.id).toMatch(/by_id/);
    expect(resources?.search("docs://a/notes.md", 5, SEES_EVERYTHING).hits[0]?.id).toMatch(/:notes\.md#/);
    expect(resources?.search("alpha:notes.md", 5, SEES_EVERYTHING).hits[0]?.score).toBeGreaterThan(1);
    expect(resources?.similar("resource::alpha:nots.md", 1, SEES_EVERYTHING)[0]).toMatch(/:notes\.md#/);
    const found = resources?.find(readme?.id ?? "");
    expect(resources?.find(found?.listedName ?? "")?.id).toBe(readme?.id);
    expect(catalog.find(readme?.id ?? "")).toBeUndefined();
    const path = parsePath("/alpha");
    if (!path.ok) throw new Error("no path");
    const listing = resources?.resolve(path.value, SEES_EVERYTHING);
    expect(listing?.ok === true && listing.value.entries.length).toBe(3);
    expect(resources?.namespaces(SEES_EVERYTHING)).toEqual([{ namespace: "alpha", tools: 3 }]);
    const onlyNotes = Object.assign((id: string) => id.includes("notes"), { key: "notes" });
    const seen = resources?.resolve(path.value, onlyNotes);
    expect(seen?.ok === true && seen.value.entries.map(({ segment }) => segment)).toEqual(["notes-md"]);
  });

  it("gives tools the same bytes whether a server lacks a capability, lists nothing or lists everything", async () => {
    const [hashes, kinds]: [unknown[], string[][]] = [[], []];
    for (const more of [{}, { resources: [], templates: [], prompts: [] }, ALPHA]) {
      const outcome = await new RefreshRig().refresh(SETTINGS, {
        alpha: { ...more, tools: [tool("a1")] },
        beta: [],
      });
      hashes.push(outcome.pointer?.hash);
      kinds.push(Object.keys(outcome.pointer?.kinds ?? {}));
    }
    expect(new Set(hashes).size).toBe(1);
    expect(kinds).toEqual([[], [], [...KINDS]]);
  });

  it("keeps the generation of equal content, and the content of the kinds that did not change", async () => {
    const rig = new RefreshRig();
    const first = await rig.refresh(SETTINGS, { alpha: ALPHA, beta: [] });
    const lists = { ...ALPHA, resources: ALPHA.resources };
    const again = await rig.refresh(SETTINGS, {
      alpha: { ...lists, prompts: ALPHA.prompts },
      beta: [],
    });
    expect(again).toMatchObject({ changed: false, pointer: first.pointer });
    const writes = rig.kv.count("put");
    const next = await rig.refresh(SETTINGS, {
      alpha: { ...ALPHA, prompts: [prompt("summarize")] },
      beta: [],
    });
    expect(next.changed).toBe(true);
    expect(next.pointer?.generation).toBe((first.pointer?.generation ?? 0) + 1);
    expect(next.pointer?.hash).toBe(first.pointer?.hash);
    expect(next.pointer?.kinds?.resource).toBe(first.pointer?.kinds?.resource);
    expect(next.pointer?.kinds?.prompt).not.toBe(first.pointer?.kinds?.prompt);
    // A shard, a snapshot, the generation and the pointer.
    expect(rig.kv.count("put") - writes).toBe(4);
    expect(next.facts).toMatchObject({ tools: 1, kinds: { resource: 3, prompt: 1 } });
    expect(next.facts?.fingerprint).toBe(first.facts?.fingerprint);
    const without = await rig.refresh(SETTINGS, { alpha: [tool("a1")], beta: [] });
    expect(without.pointer).not.toHaveProperty("kinds");
    expect((await readCatalog(rig.kv, SETTINGS)).of("resource")).toBeUndefined();
  });

  it("keeps the last good entries of a kind that fails, marked stale, and the others fresh", async () => {
    const rig = new RefreshRig();
    await rig.refresh(SETTINGS, { alpha: ALPHA, beta: [] });
    const next = await rig.refresh(SETTINGS, {
      alpha: { ...ALPHA, tools: [tool("a2")], resources: "it broke", templates: "it broke", prompts: [] },
      beta: [],
    });
    expect(next.servers[0]).toMatchObject({ status: "ok", tools: 1, resources: 3 });
    expect(next.servers[0]?.findings).toEqual([
      { tool: "resources/list", code: "not_listed" },
      { tool: "resources/templates/list", code: "not_listed" },
    ]);
    expect(next.servers[0]).not.toHaveProperty("prompts");
    expect(next.pointer).toMatchObject({ stale: [], staleKinds: { resource: ["alpha"] } });
    const catalog = await readCatalog(rig.kv, SETTINGS);
    expect(catalog.page(undefined, 9, SEES_EVERYTHING).tools.map(({ stale }) => stale)).toEqual([false]);
    expect(itemsOf(catalog, "resource").map(({ stale }) => stale)).toEqual([true, true, true]);
    expect(catalog.of("prompt")).toBeUndefined();
    const fresh = await rig.refresh(SETTINGS, {
      alpha: { ...ALPHA, tools: [tool("a2")], prompts: [] },
      beta: [],
    });
    expect(fresh.pointer).not.toHaveProperty("staleKinds");
    expect(fresh.pointer?.generation).toBe(next.pointer?.generation);
  });

  it("keeps templates beside fresh resources where their list alone fails, and tools failing costs tools alone", async () => {
    const rig = new RefreshRig();
    await rig.refresh(SETTINGS, { alpha: ALPHA, beta: [] });
    await rig.refresh(SETTINGS, {
      alpha: {
        tools: "down",
        resources: [resource("docs://a/new.md")],
        templates: "down",
        prompts: ALPHA.prompts,
      },
      beta: [],
    });
    const catalog = await readCatalog(rig.kv, SETTINGS);
    expect(itemsOf(catalog, "resource").map(({ upstreamName }) => upstreamName)).toEqual([
      "docs://a/pages/{id}{?lang}",
      "docs://a/new.md",
    ]);
    expect(catalog.page(undefined, 9, SEES_EVERYTHING).tools.map(({ stale }) => stale)).toEqual([true]);
    const healed = await catalogOf({ alpha: ALPHA, beta: [] }, rig);
    expect(itemsOf(healed, "resource")).toHaveLength(3);
  });

  it("judges nothing anew that came as it was, and only what is new", async () => {
    const rig = new RefreshRig();
    await rig.refresh(SETTINGS, { alpha: ALPHA, beta: [] });
    await rig.refresh(SETTINGS, {
      alpha: { ...ALPHA, resources: ALPHA.resources.toReversed() },
      beta: [],
    });
    expect(rig.usages).toHaveLength(1);
    await rig.refresh(SETTINGS, {
      alpha: { ...ALPHA, resources: [...ALPHA.resources, resource("docs://a/more.md")] },
      beta: [],
    });
    expect(rig.usages).toHaveLength(2);
    expect(rig.usages.at(-1)?.counts).toBeLessThan(8);
  });

  it("tries globs on names of prompts, and on names and addresses of resources", async () => {
    const settings = settingsOf({ alpha: { include: ["docs://*", "sum*"], exclude: ["*.md", "by id"] } });
    const catalog = await catalogOf(
      { alpha: { ...ALPHA, resources: [resource("docs://a/x"), ...ALPHA.resources] } },
      new RefreshRig(),
      settings,
    );
    expect(itemsOf(catalog, "resource").map(({ upstreamName }) => upstreamName)).toEqual(["docs://a/x"]);
    expect(itemsOf(catalog, "prompt")).toHaveLength(1);
  });

  it("leaves a namespace to the server that has its tools", async () => {
    const settings = settingsOf({ alpha: { namespace: "infer" }, beta: { namespace: "infer" } });
    const rig = new RefreshRig();
    const outcome = await rig.refresh(settings, {
      alpha: { tools: [], resources: [resource("github://x/readme"), resource("gitlab://x/readme")] },
      beta: { tools: [tool("github.create_issue")], resources: [resource("gitlab://x/other")] },
    });
    expect(outcome.servers.map(({ skipped }) => skipped)).toEqual([
      [{ name: "github://x/readme", reason: "namespace_taken" }],
      [{ name: "gitlab://x/other", reason: "namespace_taken" }],
    ]);
    const catalog = await readCatalog(rig.kv, settings);
    expect(itemsOf(catalog, "resource").map(({ server, card }) => [server, card.namespace])).toEqual([
      ["alpha", "gitlab"],
    ]);
  });
});

describe("a move of a server's calls", () => {
  const moving = settingsOf({ alpha: { candidate: { url: "https://next.example.com/mcp" } } });

  it("takes the resources and prompts of the target with it, in one generation", async () => {
    const rig = new RefreshRig();
    const next = { ...ALPHA, resources: [resource("docs://a/next.md")], templates: [], prompts: [] };
    const lists = { alpha: ALPHA, "alpha:candidate": next };
    const first = await rig.refresh(moving, lists);
    expect(first.servers[0]).toMatchObject({
      resources: 3,
      prompts: 1,
      candidate: { comparison: "identical" },
    });
    const { answer } = await rig.move(moving, lists, "promote");
    expect(answer).toMatchObject({ moved: true });
    const catalog = await readCatalog(rig.kv, moving);
    expect(itemsOf(catalog, "resource").map(({ upstreamName, target }) => [upstreamName, target])).toEqual([
      ["docs://a/next.md", "candidate"],
    ]);
    expect(catalog.of("prompt")).toBeUndefined();
    await rig.move(moving, lists, "rollback");
    expect(itemsOf(await readCatalog(rig.kv, moving), "resource")).toHaveLength(3);
  });
});

describe("a move of one server's calls", () => {
  it("leaves another's stale resources stale", async () => {
    const moving = settingsOf({ alpha: { candidate: { url: "https://next.example.com/mcp" } }, beta: {} });
    const rig = new RefreshRig();
    const lists = {
      alpha: [tool("a1")],
      "alpha:candidate": [tool("a1")],
      beta: { resources: ALPHA.resources },
    };
    await rig.refresh(moving, lists);
    const stale = await rig.refresh(moving, { ...lists, beta: { resources: "down" } });
    const { staleKinds } = stale.pointer ?? {};
    expect(staleKinds).toEqual({ resource: ["beta"] });
    const { outcomes } = await rig.move(moving, lists, "promote");
    expect(outcomes.at(-1)?.pointer?.staleKinds).toEqual(staleKinds);
  });
});

describe("a long list of resources", () => {
  const MANY = 1_500;

  it("is judged in stretches, ends in one snapshot, and costs a hash an entry the next time", async () => {
    const rig = new RefreshRig();
    const many = Array.from({ length: MANY }, (_, at) =>
      resource(`docs://a/${at}.md`, { description: `Page ${at}.` }),
    );
    const lists = { alpha: { tools: [], resources: many }, beta: [] };
    await rig.refresh(SETTINGS, lists);
    const { pauses } = rig;
    expect(pauses).toBeGreaterThan(MANY / DEFINITIONS_JUDGED_AT_ONCE_COUNT);
    expect(itemsOf(await readCatalog(rig.kv, SETTINGS), "resource")).toHaveLength(MANY);
    const again = await rig.refresh(SETTINGS, lists);
    expect(again.changed).toBe(false);
    expect(rig.usages).toHaveLength(1);
    expect(rig.pauses - pauses).toBeLessThan(MANY / DEFINITIONS_JUDGED_AT_ONCE_COUNT);
  });
});

describe("what is one resource in two lists", () => {
  it("has one place: that of the resource, where a template without variables is the same", async () => {
    const fixed = template("git://here", { name: "Here, as a template" });
    const other = template("git://there", { name: "There" });
    const alpha = { tools: [], resources: [resource("git://here")], templates: [fixed, other] };
    const catalog = await catalogOf({ alpha, beta: [] });
    expect(itemsOf(catalog, "resource").map(({ upstreamName }) => upstreamName)).toEqual([
      "git://there",
      "git://here",
    ]);
  });
});

describe("what a block's exclude leaves out by a name, where templates are open", () => {
  const settings = settingsOf({ alpha: { exclude: ["secret*"] } });
  const open = template("docs://{+any}", { name: "any" });
  const lists = {
    tools: [],
    resources: [resource("docs://b", { name: "secret b" }), resource("docs://a", { name: "secret a" })],
    templates: [open],
  };
  const leftOut = (catalog: Catalog) => catalog.of("resource")?.leftOut?.("alpha");

  it("is told with the resources, whatever order it came in, and nothing of other servers", async () => {
    const catalog = await catalogOf({ alpha: lists }, new RefreshRig(), settings);
    expect(leftOut(catalog)).toEqual(["docs://a", "docs://b"]);
    expect(catalog.of("resource")?.leftOut?.("beta")).toEqual([]);
    const turned = { ...lists, resources: lists.resources.toReversed() };
    const hashes = await Promise.all(
      [lists, turned].map(
        async (alpha) => (await new RefreshRig().refresh(settings, { alpha })).pointer?.kinds,
      ),
    );
    expect(hashes[1]).toEqual(hashes[0]);
  });

  it("makes a new generation where it alone changed, and stays while its list cannot be read", async () => {
    const rig = new RefreshRig();
    const first = await rig.refresh(settings, { alpha: lists });
    const [kept] = lists.resources;
    const fewer = { ...lists, resources: [kept] };
    const second = await rig.refresh(settings, { alpha: fewer });
    expect(second.pointer?.generation).toBeGreaterThan(first.pointer?.generation ?? Infinity);
    expect(leftOut(await readCatalog(rig.kv, settings))).toEqual(["docs://b"]);
    await rig.refresh(settings, { alpha: { ...fewer, resources: "it broke" } });
    expect(leftOut(await readCatalog(rig.kv, settings))).toEqual(["docs://b"]);
  });

  it.each([
    ["none was listed", { templates: [] }],
    [
      "none had room beside it",
      {
        resources: Array.from({ length: 40 }, (_, at) =>
          resource(`docs://${at}/${"x".repeat(4_000)}`, { name: `secret ${at}` }),
        ),
      },
    ],
    ["nothing was", null],
  ])(
    "is given by no template that comes while its list cannot be read, where before %s",
    async (_, before) => {
      const rig = new RefreshRig();
      if (before !== null) await rig.refresh(settings, { alpha: { ...lists, ...before } });
      await rig.refresh(settings, { alpha: { ...lists, resources: "it broke" } });
      const catalog = await readCatalog(rig.kv, settings);
      expect(itemsOf(catalog, "resource").map(({ upstreamName }) => upstreamName)).not.toContain(
        "docs://{+any}",
      );
      await rig.refresh(settings, { alpha: lists });
      expect(leftOut(await readCatalog(rig.kv, settings))).not.toEqual([]);
    },
  );

  it("is not told where no template could give it", async () => {
    const closed = { ...lists, resources: [...lists.resources, resource("docs://c")], templates: [] };
    expect(leftOut(await catalogOf({ alpha: closed }, new RefreshRig(), settings))).toEqual([]);
  });

  it("costs the templates their places where it is more than can be kept", async () => {
    const many = Array.from({ length: 40 }, (_, at) =>
      resource(`docs://${at}/${"x".repeat(4_000)}`, { name: `secret ${at}` }),
    );
    const alpha = { ...lists, resources: [...many, resource("docs://c")] };
    const rig = new RefreshRig();
    const outcome = await rig.refresh(settings, { alpha });
    expect(outcome.servers[0]?.skipped).toEqual([{ name: "docs://{+any}", reason: "excludes_too_much" }]);
    const catalog = await readCatalog(rig.kv, settings);
    expect(itemsOf(catalog, "resource").map(({ upstreamName }) => upstreamName)).toEqual(["docs://c"]);
  });
});
