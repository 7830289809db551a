import { describe, expect, it } from "vitest";
import { ok } from "../../src/result.ts";
import { fakeCatalog, fakeCatalogs } from "../support/fake-catalog.ts";
import { fakeCaller, fakeGateway, jsonOf, textOf } from "../support/fake-gateway.ts";

const TOOLS = [{ namespace: "github", name: "create_issue", description: "Create an issue." }];
const NOTE = "the catalog has changed since your last look";

/** Browses as a session that was told of generation 1, or of what it is answered from. */
async function browse(
  args: object,
  { news = true, changed = true, tools = TOOLS, sessionless = false } = {},
) {
  const catalogs = fakeCatalogs(ok(fakeCatalog(tools, 2)), undefined, changed);
  const { surface } = fakeGateway({ catalogs });
  const caller = fakeCaller(news ? { changedFrom: 1 } : {});
  const context = sessionless ? { ...caller.context, sessionKey: null } : caller.context;
  const answer = await surface.call("tool_browse", args, context);
  return { answer, asks: caller.asks, asked: catalogs.asked };
}

describe("a browse after a refresh that changed the catalog", () => {
  it("says so behind all else, in both renders", async () => {
    const { answer } = await browse({ query: "issue" });
    expect(textOf(answer).split("\n").at(-1)).toBe(`note: ${NOTE}`);
    const json = await browse({ query: "issue", render: "json" });
    expect(Object.entries(jsonOf(json.answer)).at(-1)).toEqual(["note", NOTE]);
  });

  it("joins it to another note", async () => {
    const { answer } = await browse({ path: "/" }, { tools: [] });
    expect(textOf(answer)).toContain(`note: the catalog has no tools; ${NOTE}`);
  });

  it("says nothing where the content is the same, or the session knows, and looks at no other catalog then", async () => {
    const same = await browse({ query: "issue" }, { changed: false });
    expect(textOf(same.answer)).not.toContain("note:");
    expect(same.asked).toEqual(["current", "changedSince 1"]);
    const known = await browse({ query: "issue" }, { news: false });
    expect(textOf(known.answer)).not.toContain("note:");
    expect(known.asked).toEqual(["current"]);
  });

  it("takes nothing away where it fails: there was nothing to look at", async () => {
    const { answer, asks } = await browse({ path: "/nowhere" });
    expect(answer?.isError).toBe(true);
    expect(asks.map(({ browses }) => browses)).toEqual([undefined]);
  });

  it("is no look where there is no session to remember it", async () => {
    const { answer, asks } = await browse({ query: "issue" }, { sessionless: true });
    expect(asks.map(({ browses, attempt }) => [browses, attempt])).toEqual([[undefined, undefined]]);
    expect(textOf(answer)).not.toContain("note:");
  });
});
