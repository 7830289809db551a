import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catalogOf, itemsOf, resource, template } from "../../support/catalog/primitives.ts";
import { settingsOf, tool } from "../../support/catalog/rig.ts";
import { ok } from "../../../src/result.ts";
import { bothSurfaces } from "./both-surfaces.ts";

interface Lists {
  readonly resources?: readonly object[];
  readonly templates?: readonly object[];
}

/** The surfaces over what a refresh keeps of a server under its block, all the way from its lists. */
async function served(lists: Lists, block: object) {
  const settings = settingsOf({ docs: block });
  const catalog = await catalogOf({ docs: { tools: [tool("t")], ...lists } }, undefined, settings);
  const docs = { type: "http", url: "https://docs.example.com/mcp", ...block };
  const surfaces = bothSurfaces({
    catalog,
    config: { mcpServers: { docs } },
    answer: ({ name: uri }) => ok({ contents: [{ uri, text: "hello" }] }),
  });
  const listed = itemsOf(catalog, "resource");
  const idOf = (text: string) => listed.find(({ upstreamName }) => upstreamName === text)?.id ?? "";
  /** All ways to one URI through a template whose one variable is `v`. */
  const waysTo = async (through: string, uri: string, value: string) => [
    await surfaces.gateway(idOf(through), { v: value }),
    ...(await surfaces.read(uri)),
    ...(await surfaces.read(`loomgate://docs/${uri}`)),
  ];
  return { ...surfaces, idOf, waysTo, listed: listed.map(({ upstreamName }) => upstreamName) };
}

const SECRET = resource("vault://a/secret", { name: "The Secret" });
const OTHER = resource("vault://a/other", { name: "Another" });
const ANY = template("vault://{+v}", { name: "Anything" });

describe("what a block's exclude leaves out by its name", () => {
  it("is given by no template of its server, and all else is", async () => {
    const { waysTo, reached, listed } = await served(
      { resources: [SECRET, OTHER], templates: [ANY] },
      { exclude: ["The Secret"] },
    );
    expect(listed).toEqual([OTHER.uri, ANY.uriTemplate]);
    for (const way of ["a/secret", "a/%73ecret", "A/Secret", "a/./secret", "a//secret", "a/secret?x=1"]) {
      const ends = await waysTo(ANY.uriTemplate, `vault://${way}`, way);
      expect([way, new Set(ends)]).toEqual([way, new Set(["RESOURCE_NOT_FOUND"])]);
    }
    expect(reached()).toEqual([]);
    expect(new Set(await waysTo(ANY.uriTemplate, "vault://a/more", "a/more"))).toEqual(new Set(["read"]));
  });

  it("is not there under another name, or as a template without variables", async () => {
    const { waysTo, reached, listed } = await served(
      {
        resources: [{ ...SECRET, name: "Harmless" }, SECRET, OTHER],
        templates: [template(SECRET.uri, { name: "Fixed" }), ANY],
      },
      { exclude: ["The Secret"] },
    );
    expect(listed).toEqual([OTHER.uri, ANY.uriTemplate]);
    await waysTo(ANY.uriTemplate, SECRET.uri, "a/secret");
    expect(reached()).toEqual([]);
  });

  it("is given by no other template where it is one itself, but for one that is about less", async () => {
    const users = template("vault://users/{v}", { name: "Users" });
    const lists = { templates: [users, template("vault://users/me/{v}", { name: "Mine" }), ANY] };
    for (const exclude of [["Users"], ["vault://users/{v}"]]) {
      const { waysTo, gateway, idOf, reached } = await served(lists, { exclude });
      const ends = await waysTo(ANY.uriTemplate, "vault://users/7", "users/7");
      expect(new Set(ends)).toEqual(new Set(["RESOURCE_NOT_FOUND"]));
      expect(await gateway(idOf("vault://users/me/{v}"), { v: "mail" })).toBe("read");
      expect(reached()).toEqual([["docs", "vault://users/me/mail"]]);
    }
  });

  it.each(['db://q?{"k":1}', "db://a{b}c"])("is not read where its address has braces: %s", async (uri) => {
    const open = template("db://{+v}", { name: "Any row" });
    const { waysTo, reached } = await served(
      { resources: [resource(uri, { name: "The Secret" })], templates: [open] },
      { exclude: ["The Secret"] },
    );
    const path = uri.slice("db://".length);
    for (const spelled of [path, encodeURI(path)]) await waysTo(open.uriTemplate, `db://${spelled}`, spelled);
    expect(reached()).toEqual([]);
  });

  it("is read of no generated server, by no spelling of its address", async () => {
    const parts = fc.array(fc.constantFrom("a", "b", "Cc", "d.md", "e f"), { minLength: 1, maxLength: 3 });
    const uris = fc.uniqueArray(
      parts.map((path) => `vault://${path.join("/")}`),
      { minLength: 2, maxLength: 5 },
    );
    const spell = fc.constantFrom<(path: string) => string>(
      (path) => path,
      (path) => path.toUpperCase(),
      (path) => encodeURI(path),
      (path) => `./${path}`,
      (path) => `x/../${path}`,
      (path) => `${path}#f`,
      (path) => path.replace(/[a-e]/, (first) => `%${first.charCodeAt(0).toString(16)}`),
    );
    let read = 0;
    await fc.assert(
      fc.asyncProperty(uris, fc.nat({ max: 4 }), spell, async (all, at, spelled) => {
        const resources = all.map((uri, place) => resource(uri, { name: `Entry ${place}` }));
        const out = at % all.length;
        const surfaces = await served({ resources, templates: [ANY] }, { exclude: [`Entry ${out}`] });
        for (const [place, uri] of all.entries()) {
          const path = spelled(uri.slice("vault://".length));
          const before = surfaces.reached().length;
          const ends = await surfaces.waysTo(ANY.uriTemplate, `vault://${path}`, path);
          const ofIt = surfaces.reached().length - before;
          expect([path, place === out ? ofIt : 0]).toEqual([path, 0]);
          read += ends.filter((end) => end === "read").length;
        }
      }),
      { numRuns: 60 },
    );
    expect(read).toBeGreaterThan(100);
  });
});
