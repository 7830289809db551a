import { describe, expect, it } from "vitest";
import { answers, type Handler, mcp } from "./fake-deployment.ts";
import { asks, BOUNDS, visit } from "./visit.ts";

describe("what a client meets", () => {
  const withResult =
    (method: string, result: unknown): Handler =>
    (request, response, body) => {
      if (!body.includes(`"${method}"`) || request.headers.authorization === undefined)
        return mcp(request, response, body);
      const id = /"id":(\d+)/.exec(body)?.[1] ?? "0";
      return answers.json({ jsonrpc: "2.0", id: Number(id), result })(request, response, body);
    };

  it.each<[string, Handler, readonly string[]]>([
    ["no answer that MCP knows", withResult("initialize", { hello: 1 }), ["fail client.session"]],
    ["no tools", withResult("tools/list", { tools: [] }), ["fail client.tools"]],
    ["tools that are none", withResult("tools/list", { tools: [7] }), ["fail client.tools"]],
    [
      "tools beyond the budget",
      withResult("tools/list", {
        tools: ["tool_browse", "tool_execute", "tool_view"].map((name) => ({
          name,
          description: "word ".repeat(300),
          inputSchema: { type: "object" },
        })),
      }),
      ["fail client.tools"],
    ],
    [
      "an error of browsing",
      withResult("tools/call", {
        isError: true,
        content: [{ type: "text", text: '{"error":"UPSTREAM_UNAVAILABLE"}' }],
      }),
      ["fail client.browse"],
    ],
    ["no text of browsing", withResult("tools/call", { content: [] }), ["fail client.browse"]],
  ])("%s", async (_name, handler, expected) => {
    expect(
      asks((await visit({ "/mcp": handler }, { bounds: { ...BOUNDS, timeoutMs: 1_500 } })).findings),
    ).toEqual(expected);
  });

  it("is given its session back", async () => {
    const { deployment } = await visit({});
    expect(deployment.requests.at(-1)).toBe("DELETE /mcp");
  });
});
