import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibilityOf } from "../../../src/access/visibility.ts";
import { uriNames } from "../../../src/gateway/native/uri-names.ts";
import { ok } from "../../../src/result.ts";
import { fakeCatalog, type FakeResource } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { bothSurfaces } from "./both-surfaces.ts";

const NOTE: FakeResource = { namespace: "docs", uri: "note://1", name: "one" };
const ITEM: FakeResource = { namespace: "files", uriTemplate: "item://{id}", name: "item" };
const FETCH: FakeResource = { namespace: "files", uriTemplate: "https://{+rest}", name: "fetch" };
const PAGE: FakeResource = { namespace: "docs", uri: "https://docs.example/page", name: "page" };

interface Parts {
  readonly resources?: readonly FakeResource[];
  readonly templates?: readonly FakeResource[];
}

/** What links of a server are called, by a gateway over these. */
function linksOf(parts: Parts, scopes: readonly string[] | null = null) {
  const catalog = fakeCatalog(parts);
  const caller = fakeCaller();
  const sees = visibilityOf(scopes);
  const made = bothSurfaces(
    { catalog, answer: ({ name: uri }) => ok({ contents: [{ uri, text: "hello" }] }) },
    { ...caller, context: { ...caller.context, sees } },
  );
  const link = (server: string, uri: string): string =>
    uriNames(catalog.of("resource"), sees, made.ports.servers).links(server).link(uri);
  return { ...made, link };
}

describe("a link", () => {
  it("of a server without any resource stays", () => {
    const { link } = linksOf({ resources: [NOTE], templates: [ITEM] });
    for (const uri of ["note://1", "item://7", "other://x", "https://a.example/"])
      expect(link("notes", uri)).toBe(uri);
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

  it("to what another server has is its own server's, where that could be asked", () => {
    const { link } = linksOf({ resources: [NOTE], templates: [ITEM] });
    expect(link("files", "note://1")).toBe("loomgate://files/note://1");
    expect(link("docs", "item://7")).toBe("loomgate://docs/item://7");
    expect(link("docs", "note://1")).toBe("note://1");
    // A caller that does not see all of a server's resources may not ask it for others.
    const some = linksOf({ resources: [NOTE], templates: [ITEM] }, ["docs:one", "files:*"]);
    expect(some.link("docs", "item://7")).toBe("item://7");
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

  it("that goes by another name is read of the server that gave it", async () => {
    let renamed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(pool),
        fc.subarray(templatePool),
        fc.constantFrom("docs", "files", "notes"),
        uri,
        async (resources, templates, server, text) => {
          const { link, read, reached } = linksOf({ resources, templates });
          const name = link(server, text);
          if (name === text) return;
          renamed += 1;
          expect(await read(name)).toEqual(["read", "read"]);
          expect(reached()).toEqual([
            [server, text],
            [server, text],
          ]);
        },
      ),
      { numRuns: 200 },
    );
    expect(renamed).toBeGreaterThan(20);
  });
});
