import { describe, expect, it } from "vitest";
import { parseWritten } from "../../../src/exact-json/parse.ts";
import { exactJsonText } from "../../../src/exact-json/write.ts";
import { memberOf } from "../../../src/json.ts";
import { textOf } from "../../support/fake-gateway.ts";
import { refreshedProxy } from "./refreshed.ts";

const DEFINITIONS = [
  '{"name":"far","inputSchema":{"type":"object","properties":{"n":{"maximum":1e400,"minimum":-1e400}}}}',
  '{"name":"large","inputSchema":{"type":"object","properties":{"n":{"default":12345678901234567890}}}}',
  '{"name":"plain","inputSchema":{"type":"object","properties":{"n":{"default":12}}}}',
  '{"name":"spelt","inputSchema":{"type":"object"},"annotations":{"costHint":1.0},"_meta":{"x":[1e3,-0]}}',
];

/** From the listing's texts through the refresh, KV and a reader to the proxy's answers. */
async function hydrated(servers: Record<string, readonly string[]>): Promise<Record<string, string>> {
  const lists = Object.entries(servers).map(([name, texts]) => [name, texts.map(parseWritten)] as const);
  const { skipped, catalog, caller, hydrate } = await refreshedProxy(Object.fromEntries(lists));
  expect(skipped).toEqual([]);
  const found: Record<string, string> = {};
  for (const { id } of catalog.page(undefined, 100, caller.context.sees).tools) {
    const answer = await hydrate(id);
    found[id.split("#")[0] ?? ""] = textOf(answer);
    expect(exactJsonText(memberOf(answer?.["_meta"], "loomgate/envelope"))).toBe(textOf(answer));
  }
  return found;
}

describe("a definition's numbers", () => {
  it("come out of tool_hydrate as the server wrote them, and cost no tool its place", async () => {
    expect(Object.values(await hydrated({ hub: DEFINITIONS }))).toEqual(DEFINITIONS);
  });

  it("tell two definitions apart that JavaScript takes for one", async () => {
    const one = (maximum: string) => [`{"name":"a","inputSchema":{"type":"object","maximum":${maximum}}}`];
    const found = await hydrated({ left: one("12345678901234567890"), right: one("12345678901234567891") });
    expect(found["left:a"]).toContain("67890}");
    expect(found["right:a"]).toContain("67891}");
  });

  it("that are equal and written in two ways by two servers are shown in one way, whoever answers first", async () => {
    const [one, other] = ['{"name":"a","x":1.0}', '{"x":1,"name":"a"}'];
    const found = await hydrated({ left: [one], right: [other] });
    const turned = await hydrated({ left: [other], right: [one] });
    expect(Object.values(turned)).toEqual(Object.values(found));
  });

  it("stand so in the schema that a refused call is answered with", async () => {
    const schema =
      '{"type":"object","properties":{"n":{"enum":[12345678901234567890,9007199254740993,1.0]}},"required":["n"]}';
    const listing = [parseWritten(`{"name":"pick","inputSchema":${schema}}`)];
    const { catalog, caller, execute } = await refreshedProxy({ hub: listing });
    const [tool] = catalog.page(undefined, 1, caller.context.sees).tools;
    const refused = textOf(await execute({ tool_id: tool?.id ?? "", args: {} }));
    expect(refused).toContain('"error":"ARGS_INVALID"');
    expect(refused).toContain(`"schema":${schema}`);
  });
});
