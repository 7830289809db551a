import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIST_PAGE_MAX_COUNT, NATIVE_PAGE_MAX_CHARS } from "../../../src/limits.ts";
import { LISTED_FORMS, listedAs } from "../../../src/identity/listed-form.ts";
import { readNativeUri } from "../../../src/native-uri/native-uri.ts";
import { ok } from "../../../src/result.ts";
import { fakeCatalog, fakeCatalogs, fakePromptId, type FakeResource } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { sameJson } from "../../support/same-json.ts";
import { natively } from "./natively.ts";

const README = {
  namespace: "docs",
  uri: "file:///readme.md",
  name: "readme",
  title: "Readme",
  mimeType: "text/markdown",
  size: 12,
  annotations: { priority: 1 },
  icons: [{ src: "x" }],
  _meta: { a: "file:///readme.md" },
};
const OTHERS = { namespace: "files", uri: "file:///other.md", name: "other" };
const TEMPLATE = {
  namespace: "files",
  uriTemplate: "note:///{id}{?q}",
  name: "note",
  description: "A note.",
};
const PROMPT = {
  namespace: "docs",
  name: "Sum up",
  description: "Sums up.",
  arguments: [{ name: "text", required: true }],
};

const without = ({ namespace: _namespace, ...definition }: FakeResource) => definition;

describe("the native lists", () => {
  it("show what the servers list, each entry as its server gave it", async () => {
    const catalog = fakeCatalog({ resources: [README, OTHERS], templates: [TEMPLATE], prompts: [PROMPT] });
    const { list, caller } = natively({ catalog });
    const resources = await list("resources/list", "resources");
    expect(resources).toHaveLength(2);
    expect(resources).toContainEqual(without(README));
    expect(resources).toContainEqual(without(OTHERS));
    expect(await list("resources/templates/list", "resourceTemplates")).toStrictEqual([without(TEMPLATE)]);
    const { namespace: _, ...prompt } = PROMPT;
    const name = listedAs("safe", fakePromptId(PROMPT).replace("prompt::", ""));
    expect(await list("prompts/list", "prompts")).toStrictEqual([{ ...prompt, name }]);
    expect(name).toMatch(/^docs--Sum_up---/);
    expect([caller.asks.length, caller.told.length]).toEqual([3, 0]);
  });

  it("name a URI's server where another visible server has the URI too, and only there", async () => {
    const resources = [README, { ...README, namespace: "files" }, OTHERS];
    const { list } = natively({ catalog: fakeCatalog({ resources }) });
    const uris = (await list("resources/list", "resources")).map(({ uri }) => uri);
    expect(new Set(uris)).toEqual(
      new Set([
        "file:///other.md",
        "loomgate://docs/file:///readme.md",
        "loomgate://files/file:///readme.md",
      ]),
    );
    const scoped = natively(
      { catalog: fakeCatalog({ resources }) },
      fakeCaller({ sees: (id) => id.startsWith("resource::docs:") }),
    );
    expect((await scoped.list("resources/list", "resources")).map(({ uri }) => uri)).toEqual([README.uri]);
  });

  it("name a server where another's template gives its URI, and that template too", async () => {
    const wide = { namespace: "notes", uriTemplate: "file:///{+path}", name: "any" };
    const catalog = fakeCatalog({ resources: [README], templates: [wide, TEMPLATE] });
    const { list } = natively({ catalog });
    expect((await list("resources/list", "resources")).map(({ uri }) => uri)).toEqual([
      "loomgate://docs/file:///readme.md",
    ]);
    const templates = await list("resources/templates/list", "resourceTemplates");
    expect(new Set(templates.map(({ uriTemplate }) => uriTemplate))).toEqual(
      new Set(["loomgate://notes/file:///{+path}", "note:///{id}{?q}"]),
    );
  });

  it("show a template without variables as the resource that it is, and a broken one as a template", async () => {
    const templates = [
      { namespace: "docs", uriTemplate: "docs://all", name: "all" },
      { namespace: "docs", uriTemplate: "docs://{", name: "broken" },
    ];
    const { list } = natively({ catalog: fakeCatalog({ templates }) });
    expect(await list("resources/list", "resources")).toStrictEqual([{ uri: "docs://all", name: "all" }]);
    expect(await list("resources/templates/list", "resourceTemplates")).toStrictEqual([
      { uriTemplate: "docs://{", name: "broken" },
    ]);
  });

  it("name prompts in the asked form", async () => {
    const id = fakePromptId(PROMPT).replace("prompt::", "");
    for (const names of LISTED_FORMS) {
      const { list } = natively({ catalog: fakeCatalog({ prompts: [PROMPT] }), names });
      expect((await list("prompts/list", "prompts")).map(({ name }) => name)).toEqual([listedAs(names, id)]);
    }
  });

  it("are empty where there is nothing", async () => {
    const { ask, native, caller } = natively({ catalog: fakeCatalog([]) });
    expect(await ask("resources/list")).toStrictEqual({ resources: [] });
    expect(await ask("resources/templates/list")).toStrictEqual({ resourceTemplates: [] });
    expect(await ask("prompts/list")).toStrictEqual({ prompts: [] });
    expect(await native.capabilities(caller.context)).toEqual({
      resources: false,
      prompts: false,
      completions: false,
    });
  });

  it("come in pages, nothing twice and nothing lost", async () => {
    const resources = Array.from({ length: 2 * LIST_PAGE_MAX_COUNT + 7 }, (_, at) => ({
      namespace: "docs",
      uri: `x://${at}`,
      name: `r${at}`,
    }));
    const templates = Array.from({ length: 40 }, (_, at) => ({
      namespace: "docs",
      uriTemplate: `t${at}://{a}`,
    }));
    const { ask, list, caller } = natively({ catalog: fakeCatalog({ resources, templates }) });
    const first = await ask("resources/list");
    expect(first["resources"]).toHaveLength(LIST_PAGE_MAX_COUNT);
    const all = (await list("resources/list", "resources")).map(({ uri }) => uri);
    expect(new Set(all).size).toBe(resources.length);
    expect(all).toHaveLength(resources.length);
    expect(await list("resources/templates/list", "resourceTemplates")).toHaveLength(templates.length);
    expect(caller.asks).toHaveLength(5);
  });

  it("look at who has which URIs once for all pages of one content", async () => {
    const catalog = fakeCatalog({
      resources: Array.from({ length: 1_200 }, (_, at) => ({
        namespace: "docs",
        uri: `x://${at}`,
        name: `r${at}`,
      })),
    });
    const resources = catalog.of("resource");
    let whole = 0;
    const content = {};
    // A catalog of each request, as the reader makes them.
    const fresh = () => ({
      ...catalog,
      of: () =>
        resources && {
          ...resources,
          content,
          page: (...asked: Parameters<typeof resources.page>) => {
            if (asked[1] === Infinity) whole += 1;
            return resources.page(...asked);
          },
        },
    });
    const catalogs = fakeCatalogs(ok(catalog));
    const { list, caller } = natively({ catalogs: { ...catalogs, current: async () => ok(fresh()) } });
    expect(await list("resources/list", "resources")).toHaveLength(1_200);
    expect([caller.asks.length, whole]).toEqual([3, 1]);
  });

  it("end a page before it grows too large for a message", async () => {
    const resources = Array.from({ length: 10 }, (_, at) => ({
      namespace: "docs",
      uri: `x://${at}`,
      description: "d".repeat(NATIVE_PAGE_MAX_CHARS / 4),
    }));
    const { ask, list } = natively({ catalog: fakeCatalog({ resources }) });
    expect((await ask("resources/list"))["resources"]).toHaveLength(3);
    expect(await list("resources/list", "resources")).toHaveLength(10);
  });

  it("refuse a cursor that this list never gave", async () => {
    const { problemOf } = natively({ catalog: fakeCatalog({ resources: [README] }) });
    for (const cursor of ["", "x", 5, null, "WyJ0b29scyIsIngiXQ"]) {
      expect(await problemOf("resources/list", { cursor })).toEqual({
        code: -32_602,
        message: "Invalid cursor",
      });
    }
  });

  it("have no configured secret in them", async () => {
    const resources = [{ ...README, description: "the-secret-of-ours is here" }];
    const { list } = natively({ catalog: fakeCatalog({ resources }), secrets: ["the-secret-of-ours"] });
    expect(JSON.stringify(await list("resources/list", "resources"))).not.toContain("the-secret-of-ours");
  });

  it("give every resource a URI of its own, which says whose it is", async () => {
    const resource = fc.record({
      namespace: fc.constantFrom("docs", "files", "notes"),
      uri: fc.constantFrom("x://1", "x://2", "loomgate://docs/x://1", "LOOMGATE:y", "x://1/2", "__proto__"),
      description: fc.string(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(resource, { selector: ({ namespace, uri }) => `${namespace} ${uri}`, maxLength: 9 }),
        async (resources) => {
          const listed = await natively({ catalog: fakeCatalog({ resources }) }).list(
            "resources/list",
            "resources",
          );
          const uris = listed.map(({ uri }) => String(uri));
          expect(new Set(uris).size).toBe(resources.length);
          for (const entry of listed) {
            const { namespace, uri } = readNativeUri(String(entry["uri"])) ?? { uri: "nobody's" };
            const own = resources.filter(
              (one) => one.uri === uri && (namespace ?? one.namespace) === one.namespace,
            );
            expect(own).toHaveLength(1);
            expect(sameJson({ ...entry, uri }, { uri, description: own[0]?.description })).toBe(true);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
