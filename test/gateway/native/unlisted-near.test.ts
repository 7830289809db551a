import { describe, expect, it } from "vitest";
import { visibilityOf } from "../../../src/access/visibility.ts";
import { ok } from "../../../src/result.ts";
import { fakeCatalog, type FakeResource } from "../../support/fake-catalog.ts";
import { fakeCaller } from "../../support/fake-gateway.ts";
import { bothSurfaces } from "./both-surfaces.ts";
import { SERVERS } from "./natively.ts";

const SECRET: FakeResource = { namespace: "docs", uri: "file:///secret/data.bin", name: "secret" };
const LINK = "demo://session/notes.md";

function made(policy: readonly object[], scopes: readonly string[] | null = null) {
  const caller = fakeCaller();
  return bothSurfaces(
    {
      catalog: fakeCatalog({ resources: [SECRET] }),
      config: { ...SERVERS, gateway: { policy } },
      answer: ({ name: uri }) => ok({ contents: [{ uri, text: "hello" }] }),
    },
    { ...caller, context: { ...caller.context, sees: visibilityOf(scopes) } },
  );
}

describe("a link to what no list has", () => {
  it.each([`${SECRET.uri}?`, `${SECRET.uri}?x=1`, `${SECRET.uri};v`])(
    "is none where it is what is listed with a query or parameters, and that is denied or hidden: %s",
    async (uri) => {
      const denied = made([{ match: { tool: "resource::docs:secret*" }, action: "deny" }]);
      const hidden = made([], ["docs:u*", "docs:_*"]);
      for (const { read, calls } of [denied, hidden]) {
        const ends = [...(await read(uri)), ...(await read(`loomgate://docs/${uri}`))];
        expect([...new Set(ends)]).toEqual(["RESOURCE_NOT_FOUND"]);
        expect(calls).toEqual([]);
      }
      expect(await made([]).read(uri)).toEqual(["read", "read"]);
    },
  );

  it("is let through by a rule that names it, whatever a later one says of the rest", async () => {
    const { read } = made([
      { match: { tool: "demo://session/*" }, action: "allow" },
      { match: { server: "docs" }, action: "deny" },
    ]);
    expect(await read(LINK)).toEqual(["read", "read"]);
    expect(await read("demo://other")).toEqual(["POLICY_DENIED", "POLICY_DENIED"]);
  });

  it("is none where a rule denies it in whatever case, and no rule that allows reaches that far", async () => {
    const denied = made([{ match: { tool: "Demo://Session/*" }, action: "deny" }]);
    for (const uri of [LINK, LINK.toUpperCase(), "demo://SESSION/notes.md"]) {
      expect(await denied.read(uri)).toEqual(["RESOURCE_NOT_FOUND", "RESOURCE_NOT_FOUND"]);
    }
    expect(denied.calls).toEqual([]);
    expect(await denied.read("demo://other")).toEqual(["read", "read"]);
    const allowed = made([
      { match: { tool: "Demo://Session/*" }, action: "allow" },
      { match: { server: "docs" }, action: "deny" },
    ]);
    expect(await allowed.read(LINK)).toEqual(["POLICY_DENIED", "POLICY_DENIED"]);
  });
});
