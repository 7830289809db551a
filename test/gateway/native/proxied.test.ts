import { describe, expect, it } from "vitest";
import { nativePart } from "../../../src/gateway/native/native-surface.ts";
import { proxySurface } from "../../../src/gateway/proxy/proxy-surface.ts";
import { ok } from "../../../src/result.ts";
import { fakeCatalog, fakeId, type FakeTool } from "../../support/fake-catalog.ts";
import { fakeCaller, fakeGateway } from "../../support/fake-gateway.ts";
import { SERVERS } from "./natively.ts";

const TOOL: FakeTool = { namespace: "docs", name: "find", inputSchema: { type: "object" } };
const README = { namespace: "docs", uri: "file:///readme.md", name: "readme" };
const LINK = { type: "resource_link", uri: README.uri, name: "readme" };

describe("the proxy with its native part", () => {
  it("names a link in a tool's result as the list does, and reads it by that name", async () => {
    const catalog = fakeCatalog({ tools: [TOOL], resources: [README, { ...README, namespace: "files" }] });
    const { ports, calls } = fakeGateway({
      catalog,
      config: SERVERS,
      answer: ({ request }) =>
        ok(
          request.method === "tools/call"
            ? { content: [LINK] }
            : { contents: [{ uri: README.uri, text: "hello" }] },
        ),
    });
    const surface = proxySurface(ports, { names: "safe", native: nativePart(ports, "safe") });
    const { context } = fakeCaller();
    const uri = `loomgate://docs/${README.uri}`;
    const answer = await surface.call("tool_execute", { tool_id: fakeId(TOOL) }, context);
    expect(answer).toStrictEqual({ content: [{ ...LINK, uri }] });
    const read = await surface.request?.("resources/read", { uri }, context);
    expect(read).toStrictEqual({ ok: true, value: { contents: [{ uri, text: "hello" }] } });
    expect(calls.map(({ server, request }) => [server, request.method])).toEqual([
      ["docs", "tools/call"],
      ["docs", "resources/read"],
    ]);
  });
});
