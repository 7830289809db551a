import { describe, expect, it } from "vitest";
import { jsonOf } from "../../support/fake-gateway.ts";
import { fakeCatalog, type FakeParts } from "../../support/fake-catalog.ts";
import { ok } from "../../../src/result.ts";
import { memberOf } from "../../../src/json.ts";
import { bothSurfaces } from "./both-surfaces.ts";
import { SERVERS } from "./natively.ts";

const TOOL = { namespace: "docs", name: "search" };
const NOTE = { namespace: "docs", uri: "note://1", name: "one" };
const ANY = { namespace: "files", uriTemplate: "{+any}", name: "any" };
const LINKS = ["note://1", "unlisted://2", "https://a.example/"];

/** What `/mcp` shows of a tool's result with links, over servers with these. */
function over(parts: FakeParts) {
  const catalog = fakeCatalog(parts);
  const content = LINKS.map((uri) => ({ type: "resource_link", uri, name: "it" }));
  const made = bothSurfaces({
    catalog,
    config: SERVERS,
    answer: ({ name: uri, request }) =>
      ok(
        request.method === "tools/call"
          ? { content, _meta: { uri: LINKS[0] } }
          : { contents: [{ uri, text: "hello" }] },
      ),
  });
  const execute = async () => {
    const id = catalog.page(undefined, 1, made.caller.context.sees).tools[0]?.id;
    const answer = await made.surface.call("tool_execute", { tool_id: id }, made.caller.context);
    return {
      links: (answer?.content ?? []).map((part) => String(memberOf(part, "uri"))),
      meta: memberOf(answer?.["_meta"], "uri"),
    };
  };
  return { ...made, execute };
}

describe("a link in a result on /mcp", () => {
  it("that another server's template would take says its own server, and is read there", async () => {
    const { execute, gateway, reached } = over({ tools: [TOOL], resources: [NOTE], templates: [ANY] });
    const { links, meta } = await execute();
    expect(links).toEqual(["loomgate://docs/note://1", "loomgate://docs/unlisted://2", "https://a.example/"]);
    expect(meta).toBe(links[0]);
    for (const link of links.slice(0, 2)) expect(await gateway(link)).toBe("read");
    expect(reached().slice(1)).toEqual([
      ["docs", "note://1"],
      ["docs", "unlisted://2"],
    ]);
  });

  it("that can mean nothing else stays as it came", async () => {
    expect((await over({ tools: [TOOL], resources: [NOTE] }).execute()).links).toEqual(LINKS);
    const prompt = { namespace: "files", name: "p" };
    expect((await over({ tools: [TOOL], prompts: [prompt] }).execute()).links).toEqual(LINKS);
  });

  it("says its own server in what is read and in a prompt's messages, too", async () => {
    const { surface, caller } = over({ resources: [NOTE], templates: [ANY] });
    const read = await surface.call(
      "resource_read",
      { resource_id: "note://1", render: "json" },
      caller.context,
    );
    expect(JSON.stringify(jsonOf(read)) + JSON.stringify(read?.["_meta"])).toContain(
      "loomgate://docs/note://1",
    );
  });
});
