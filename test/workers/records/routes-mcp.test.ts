import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import type { RecordsContext } from "../../../src/records/adapter/context.ts";
import { ok } from "../../../src/result.ts";
import type { Surface } from "../../../src/surface.ts";
import { appWith, RawClient, send } from "../http/client.ts";
import { grant, loadConnections, MAIL, OTHER_MAIL, rpc } from "./grants.ts";
import { freshDatabase } from "../fresh-storage.ts";

/** A surface that tells which connections its source has, and of its steps. */
const describing: Surface<RecordsContext> = {
  name: "describing",
  version: "1.0.0",
  instructions: "Describes.",
  admitting: new Set(),
  tools: async () =>
    ok({ tools: [{ name: "describe", description: "Describes.", inputSchema: { type: "object" } }] }),
  async call(_name, _args, { source, baseUrl }, _origin, line) {
    line?.onProgress?.({ progress: 1 });
    const { kind, connections } = source.describe();
    const ids = connections.map(({ connectionId }) => connectionId);
    return { content: [{ type: "text", text: JSON.stringify({ kind, ids, baseUrl }) }] };
  },
};
const app = appWith({ records: describing });

beforeEach(async () => {
  await freshDatabase();
  await loadConnections();
});

async function clientOf(connections: readonly string[]): Promise<RawClient> {
  const { token } = await grant(connections);
  return new RawClient(token, undefined, { path: "/mcp/records", to: app });
}

const CALL = { name: "describe", arguments: {} };

describe("/mcp/records", () => {
  it("keeps no session: none is given, asked for or looked at", async () => {
    const client = await clientOf([MAIL]);
    const initialized = await client.initialize();
    expect(initialized.status).toBe(200);
    expect(initialized.headers.get("mcp-session-id")).toBeNull();
    client.session = "somebody-else's";
    expect((await client.request("tools/list")).status).toBe(200);
  });

  it.each([
    [[MAIL], "d1"],
    [[MAIL, OTHER_MAIL], "package"],
  ])("reads what the bearer's grants cover and nothing else: %j", async (connections, kind) => {
    const client = await clientOf(connections);
    const text = await (await client.request("tools/call", CALL)).text();
    expect(text).toContain(
      JSON.stringify(JSON.stringify({ kind, ids: connections, baseUrl: "https://gateway.example/v1" })),
    );
  });

  it("tells of progress in a stream, under the caller's own token", async () => {
    const client = await clientOf([MAIL]);
    const response = await client.request("tools/call", { ...CALL, _meta: { progressToken: "p1" } });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("pdpp-version")).toBe("2026-04-06");
    const events = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
    expect(events).toHaveLength(2);
    expect(events[0]).toContain('"progressToken":"p1"');
    expect(events[1]).toContain('"result"');
  });

  it("answers a batch of the version that has them, each message counted", async () => {
    const client = await clientOf([MAIL]);
    const batch = [1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: CALL }));
    const headers = { "MCP-Protocol-Version": "2025-03-26" };
    let counted = 0;
    const SHIELD = {
      limit: async () => {
        counted += 1;
        return { success: true };
      },
    };
    const answers: unknown = await (await client.post(batch, headers, { SHIELD })).json();
    expect(answers).toHaveLength(3);
    expect(counted).toBe(3);
    expect((await client.post(batch, { "MCP-Protocol-Version": "2025-11-25" })).status).toBe(400);
  });

  it("speaks JSON-RPC of what is no JSON-RPC", async () => {
    const { token } = await grant([MAIL]);
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const response = await send("/mcp/records", { method: "POST", headers, body: "{" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32700 }, id: null });
  });

  it("says of an unknown tool and an unknown method what MCP says", async () => {
    const { token } = await grant([MAIL]);
    for (const [method, params, code] of [
      ["tools/call", { name: "fetch_blob", arguments: {} }, -32602],
      ["resources/list", {}, -32601],
    ] as const) {
      const body: unknown = await (await rpc(token, method, params)).json();
      expect(memberOf(memberOf(body, "error"), "code")).toBe(code);
    }
  });

  it("takes a notification and answers nothing", async () => {
    const client = await clientOf([MAIL]);
    const response = await client.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(response.status).toBe(202);
  });
});
