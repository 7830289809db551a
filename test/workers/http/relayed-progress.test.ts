import { beforeEach, describe, expect, it } from "vitest";
import { fakeId } from "../../support/fake-catalog.ts";
import { bankUpstream, type Deed, text } from "../bank-upstream.ts";
import { freshPrincipal, workerRig } from "../worker-rig.ts";
import { bearerFor } from "./client.ts";
import { freshDatabase } from "../fresh-storage.ts";

const PAY = { namespace: "bank", name: "pay", inputSchema: { type: "object" } };

beforeEach(async () => {
  await freshDatabase();
});

/** All of it at once, so that nothing but order tells progress from the answer; one progress is of another request. */
const tells: Deed = (id) => {
  const progress = (progressToken: unknown, step: number) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress: step, total: 3, message: `step ${step}` },
  });
  const messages = [
    progress(id, 1),
    progress("another's", 9),
    progress(id, 2),
    progress(id, 3),
    { jsonrpc: "2.0", id, result: text("paid") },
  ];
  const body = messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join("");
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
};

describe.each(["/mcp", "/mcp/proxy"])("the progress of an upstream's tool on %s", (path) => {
  const posted = async (meta: string) => {
    const { fetch, bodies } = bankUpstream(tells);
    const rig = workerRig({ tools: [PAY], fetch });
    const bearer = await bearerFor({ principal: freshPrincipal("told") });
    const headers = {
      Authorization: `Bearer ${bearer}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    };
    const clientInfo = { name: "t", version: "1" };
    const handshake = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const opened = await rig.send(path, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: handshake }),
    });
    const session = opened.headers.get("mcp-session-id");
    const params = `{"name":"tool_execute","arguments":{"tool_id":"${fakeId(PAY)}"}${meta}}`;
    const response = await rig.send(path, {
      method: "POST",
      headers: { ...headers, ...(session === null ? {} : { "Mcp-Session-Id": session }) },
      body: `{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":${params}}`,
    });
    return { response, bodies };
  };

  it("reaches its caller under the caller's own token, in order and ahead of the answer", async () => {
    const { response } = await posted(',"_meta":{"progressToken":12345678901234567890}');
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = (await response.text()).split("\n\n").filter((event) => event !== "");
    const told = [1, 2, 3].map(
      (step) =>
        `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":12345678901234567890,"progress":${step},"total":3,"message":"step ${step}"}}`,
    );
    expect(events.slice(0, -1)).toEqual(told);
    expect(events.at(-1)).toMatch(/^event: message\ndata: \{"jsonrpc":"2\.0","id":1\.0,"result":\{.*"paid"/);
  });

  it("is not asked for where the caller does not ask", async () => {
    const { response, bodies } = await posted("");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toContain('"text":"paid"');
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).not.toContain("progressToken");
  });
});
