import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibilityOf } from "../../../src/access/visibility.ts";
import { linkNames } from "../../../src/gateway/native/uri-names.ts";
import { ok } from "../../../src/result.ts";
import { fakeCatalog, type FakeParts, type FakeResource } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { bothSurfaces } from "./both-surfaces.ts";
import { SERVERS } from "./natively.ts";

const NOTE: FakeResource = { namespace: "docs", uri: "note://1", name: "one" };
const ITEM: FakeResource = { namespace: "files", uriTemplate: "item://{id}", name: "item" };
const FETCH: FakeResource = { namespace: "files", uriTemplate: "https://{+rest}", name: "fetch" };
const PAGE: FakeResource = { namespace: "docs", uri: "https://docs.example/page", name: "page" };

/** What links of a server are called, by a gateway over these. */
function linksOf(parts: FakeParts, scopes: readonly string[] | null = null, config: object = SERVERS) {
  const catalog = fakeCatalog(parts);
  const caller = fakeCaller();
  const sees = visibilityOf(scopes);
  const made = bothSurfaces(
    { catalog, config, answer: ({ name: uri }) => ok({ contents: [{ uri, text: "hello" }] }) },
    { ...caller, context: { ...caller.context, sees } },
  );
  const link = (server: string, uri: string): string =>
    linkNames(server, catalog, sees, made.ports.servers).link(uri);
  return { ...made, link };
}

describe("a link", () => {
  it("of a server without any resource stays, where no other's template would take it", () => {
    const { link } = linksOf({ resources: [NOTE], templates: [ITEM] });
    for (const uri of ["note://1", "other://x", "https://a.example/"]) expect(link("notes", uri)).toBe(uri);
  });

  it("in our own scheme leads to no other server, whichever it names", async () => {
    const { link, read, calls } = linksOf({
      resources: [NOTE],
      tools: [{ namespace: "docs", name: "write" }],
    });
    for (const own of ["loomgate://notes/note://1", "LoomGate://notes/note://1"]) {
      const named = link("docs", own);
      expect(named).toBe(`loomgate://docs/${own}`);
      expect(await read(named)).toEqual(["RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND"]);
    }
    expect(calls).toEqual([]);
  });

  it("of such a server is nobody's, and not what another server would give for it", async () => {
    const tools = [{ namespace: "notes", name: "write" }];
    const alone = linksOf({ tools, resources: [NOTE] });
    expect(alone.link("notes", "other://x")).toBe("other://x");
    expect(alone.link("docs", "other://x")).toBe("loomgate://docs/other://x");
    expect(await alone.read("other://x")).toEqual(["RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND"]);
    const problem = await alone.problemOf("resources/read", { uri: "other://x" });
    expect(problem.data).toMatchObject({ details: { did_you_mean: ["loomgate://docs/other://x"] } });
    const any = linksOf({ tools, templates: [{ ...ITEM, uriTemplate: "{+any}" }] });
    for (const text of ["note://1", "item://7"]) {
      expect(any.link("notes", text)).toBe(`loomgate://notes/${text}`);
      expect(await any.read(`loomgate://notes/${text}`)).toEqual([
        "RESOURCE_NOT_FOUND",
        "RESOURCE_NOT_FOUND",
      ]);
    }
    expect([alone.calls, any.calls]).toEqual([[], []]);
  });

  it("by its URI alone is asked of a server only where the caller sees no other, of any kind", async () => {
    const tools = [{ namespace: "notes", name: "write" }];
    const prompts = [{ namespace: "notes", name: "write" }];
    for (const more of [{}, { tools }, { prompts }]) {
      const { read, link } = linksOf({ resources: [NOTE], ...more });
      const isAlone = Object.keys(more).length === 0;
      const end = isAlone ? "read" : "RESOURCE_NOT_FOUND";
      expect(await read("other://x")).toEqual([end, end]);
      expect(link("docs", "other://x")).toBe(isAlone ? "other://x" : "loomgate://docs/other://x");
      // What a caller does not see does not count.
      expect(await linksOf({ resources: [NOTE], ...more }, ["docs:*"]).read("other://x")).toEqual([
        "read",
        "read",
      ]);
    }
  });

  it("is never asked of a static server, which is not counted either", async () => {
    const config = {
      mcpServers: {
        ...SERVERS.mcpServers,
        notes: { type: "static", resources: [{ uri: "note://2", name: "two", text: "2" }] },
      },
    };
    const two: FakeResource = { namespace: "notes", uri: "note://2", name: "two" };
    const { read, link, reached } = linksOf({ resources: [NOTE, two] }, null, config);
    expect(await read("other://x")).toEqual(["read", "read"]);
    expect(await read("loomgate://notes/other://x")).toEqual(["RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND"]);
    expect(link("notes", "other://x")).toBe("other://x");
    expect(new Set(reached().map(([server]) => server))).toEqual(new Set(["docs"]));
    const three = linksOf({ resources: [NOTE, two], templates: [ITEM] }, null, config);
    const { data } = await three.problemOf("resources/read", { uri: "other://x" });
    expect(data).toMatchObject({
      details: { did_you_mean: ["loomgate://docs/other://x", "loomgate://files/other://x"] },
    });
  });

  it("to the web stays, unless its own server has it", () => {
    const { link } = linksOf({ resources: [NOTE, PAGE], templates: [FETCH] });
    for (const uri of ["https://a.example/x", "http://a.example/x", "HTTPS://a.example/x"]) {
      expect(link("docs", uri)).toBe(uri);
      expect(link("notes", uri)).toBe(uri);
    }
    expect(link("files", "https://a.example/x")).toBe("https://a.example/x");
    // What two could be asked for says which of them.
    expect(link("docs", String(PAGE.uri))).toBe(`loomgate://docs/${PAGE.uri}`);
    expect(link("files", String(PAGE.uri))).toBe(`loomgate://files/${PAGE.uri}`);
  });

  it("of two servers with resources to what neither lists is two different ones, each read of its own", async () => {
    const { link, read, reached } = linksOf({ resources: [NOTE], templates: [ITEM] });
    const texts = ["docs", "files"].map((server) => link(server, "other://x"));
    expect(texts).toEqual(["loomgate://docs/other://x", "loomgate://files/other://x"]);
    for (const text of texts) expect(await read(text)).toEqual(["read", "read"]);
    expect(new Set(reached().map(([server]) => server))).toEqual(new Set(["docs", "files"]));
  });

  it("to what another server has is its own server's, where that could be asked", async () => {
    const { link } = linksOf({ resources: [NOTE], templates: [ITEM] });
    expect(link("files", "note://1")).toBe("loomgate://files/note://1");
    expect(link("docs", "item://7")).toBe("loomgate://docs/item://7");
    expect(link("docs", "note://1")).toBe("note://1");
    // A caller that does not see all of a server's resources may not ask it for others.
    const some = linksOf({ resources: [NOTE], templates: [ITEM] }, ["docs:one", "files:*"]);
    expect(some.link("docs", "item://7")).toBe("loomgate://docs/item://7");
    expect(await some.read("loomgate://docs/item://7")).toEqual(["RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND"]);
  });

  const uri = fc.constantFrom(
    "note://1",
    "item://7",
    "other://x",
    "https://a.example/x",
    "https://docs.example/page",
  );
  const pool = [
    NOTE,
    PAGE,
    { ...NOTE, namespace: "files" },
    { ...NOTE, namespace: "notes", uri: "item://7" },
  ];
  const templatePool = [
    ITEM,
    FETCH,
    { ...ITEM, namespace: "docs" },
    { ...FETCH, namespace: "notes", uriTemplate: "{+any}" },
  ];

  it("is read of the server that gave it, or of one that lists just that where it could not be its own", async () => {
    const met = { renamed: 0, read: 0, others: 0 };
    const listedBy = (entries: readonly FakeResource[], text: string) =>
      entries.filter((each) => each.uri === text).map((each) => each.namespace);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(pool),
        fc.subarray(templatePool),
        fc.subarray(["docs", "files", "notes"]),
        fc.constantFrom("docs", "files", "notes"),
        uri,
        async (resources, templates, withTools, server, text) => {
          const tools = [...new Set([...withTools, server])].map((each) => ({ namespace: each, name: "t" }));
          const { link, read, reached } = linksOf({ tools, resources, templates });
          const name = link(server, text);
          const ends = await read(name);
          const others = reached().filter(([reachedServer]) => reachedServer !== server);
          met.others += others.length;
          expect(reached().every(([, asked]) => asked === text)).toBe(true);
          expect(others.length > 0 ? name : text).toBe(text);
          // Clients fetch the web themselves, whoever else has it.
          const listers = text.startsWith("https:") ? ["docs", "files", "notes"] : listedBy(resources, text);
          expect(others.filter(([other]) => !listers.includes(String(other)))).toEqual([]);
          if (name !== text) met.renamed += 1;
          if (ends[0] === "read") met.read += 1;
        },
      ),
      { numRuns: 300 },
    );
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(10);
  });
});
