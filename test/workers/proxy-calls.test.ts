import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { fakeId } from "../support/fake-catalog.ts";
import { bankUpstream, type Deed, result, text } from "./bank-upstream.ts";
import { bearerFor } from "./http/client.ts";
import { errorIn, freshPrincipal, type RigSettings, textIn, workerRig } from "./worker-rig.ts";
import { freshDatabase } from "./fresh-storage.ts";

const PAY = {
  namespace: "bank",
  name: "pay",
  description: "Pay somebody.",
  inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
};
const ID = fakeId(PAY);
const ARGS = { tool_id: ID, args: { amount: 1 } };
const LARGE = "paid — 漢字 and 😀\n".repeat(20_000);

beforeEach(async () => {
  await freshDatabase();
});

/** The Worker over one upstream, and clients of `/mcp/proxy`, each of whom counts its requests from one. */
function worker(deed: Deed, settings: RigSettings = {}) {
  const { fetch, bodies } = bankUpstream(deed, { session: "bank-1" });
  const rig = workerRig({ ...settings, tools: [PAY], fetch });
  const principal = freshPrincipal("proxied");
  let bearer: Promise<string> | undefined;
  const client = (query = "") => {
    let id = 0;
    const post = async (method: string, params: object): Promise<string> => {
      id += 1;
      const headers = {
        Authorization: `Bearer ${await (bearer ??= bearerFor({ principal }))}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
      const response = await rig.send(`/mcp/proxy${query}`, { method: "POST", headers, body });
      return response.text();
    };
    const request = async (method: string, params: object = {}): Promise<unknown> => {
      const reply: unknown = JSON.parse(await post(method, params));
      return memberOf(reply, "result") ?? memberOf(reply, "error");
    };
    const call = (name: string, args: object, key?: string) =>
      request("tools/call", {
        name,
        arguments: args,
        ...(key === undefined ? {} : { _meta: { "loomgate/idempotency-key": key } }),
      });
    return { post, request, call };
  };
  return { client, bodies };
}

const pays: Deed = (id, call) => result(id, { ...text(`paid ${call}`), isError: false, _meta: { call } });

describe.each([
  ["in one life", false],
  ["with an eviction before every request", true],
])("the proxy over a whole Worker, %s", (_, evict) => {
  it("lists, shows and runs a tool, without a session", async () => {
    const { client, bodies } = worker(pays, { evict });
    const { request, call } = client("?names=url");
    const tools = memberOf(await request("tools/list"), "tools");
    const listed = isJsonArray(tools) ? tools : [];
    expect(listed.map((tool) => memberOf(tool, "name"))).toEqual([
      "tool_hydrate",
      "tool_execute",
      encodeURIComponent(ID),
    ]);
    const name = memberOf(listed[2], "name");
    const shown = await call("tool_hydrate", { tool_id: name });
    expect(JSON.parse(textIn(shown))).toEqual(PAY);
    expect(await call("tool_execute", { tool_id: name, args: { amount: 2 } })).toEqual({
      content: [{ type: "text", text: "paid 1" }],
      isError: false,
      _meta: { call: 1 },
    });
    expect(bodies.length).toBe(1);
  });

  it("gives a repeated call its first answer whole, and runs it once", async () => {
    const large: Deed = (id, call) =>
      result(id, { ...text(`${call} ${LARGE}`), structuredContent: { call } });
    const { client, bodies } = worker(large, { evict });
    const first = await client().call("tool_execute", ARGS, "once");
    const again = await client().call("tool_execute", ARGS, "once");
    expect(textIn(first)).toBe(`1 ${LARGE}`);
    expect(again).toEqual(first);
    expect(bodies.length).toBe(1);
  });

  it("runs what two clients of one bearer ask under one JSON-RPC id, twice", async () => {
    const { client, bodies } = worker(pays, { evict });
    const [ada, grace] = [client(), client()];
    expect(textIn(await ada.call("tool_execute", ARGS))).toBe("paid 1");
    expect(textIn(await grace.call("tool_execute", ARGS))).toBe("paid 2");
    expect(bodies.length).toBe(2);
  });

  it("counts a principal's calls together", async () => {
    const rate_limits = { tool_hydrate: { max_calls_per_minute: 1 } };
    const { client } = worker(pays, { evict, gateway: { rate_limits } });
    expect(errorIn(await client().call("tool_hydrate", { tool_id: ID }))).toBeUndefined();
    expect(errorIn(await client().call("tool_hydrate", { tool_id: ID }))).toMatchObject({
      error: "RATE_LIMITED",
      details: { scope: "tool_hydrate/minute" },
    });
  });
});

describe("the proxy over a whole Worker", () => {
  it("hands on a result of any size byte for byte, exact numbers too, and keeps nothing of it", async () => {
    const content = JSON.stringify(text(LARGE));
    const raw = `${content.slice(0, -1)},"structuredContent":{"n":12345678901234567890.10,"__proto__":{"a":1}}}`;
    const { client } = worker(
      (id) => new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${raw}}`, JSON_TYPE),
    );
    const answer = await client().post("tools/call", { name: "tool_execute", arguments: ARGS });
    expect(answer).toContain('"n":12345678901234567890.10,"__proto__":{"a":1}');
    expect(textIn(memberOf(JSON.parse(answer), "result"))).toBe(LARGE);
    expect((await env.ARTIFACTS.list()).objects).toEqual([]);
  });

  it("says UPSTREAM_ERROR for an answer of more than 4 MiB", async () => {
    const { client } = worker((id) => result(id, text("x".repeat(4 * 1024 * 1024))));
    expect(errorIn(await client().call("tool_execute", ARGS))).toMatchObject({ error: "UPSTREAM_ERROR" });
    expect((await env.ARTIFACTS.list()).objects).toEqual([]);
  });

  it("tells how a tool is run that is called by its name, and knows no other name", async () => {
    const { client, bodies } = worker(pays);
    const { call } = client();
    for (const name of [ID, encodeURIComponent(ID)]) {
      expect(errorIn(await call(name, { amount: 1 }))).toMatchObject({ error: "ARGS_INVALID", path: ID });
    }
    expect(await call("tool_browse", { path: "/" })).toMatchObject({ code: -32602 });
    expect(await call("bank:steal#00000000", {})).toMatchObject({ code: -32602 });
    expect(bodies).toEqual([]);
  });

  it("refuses a cursor that it never gave", async () => {
    const { client } = worker(pays);
    expect(await client().request("tools/list", { cursor: "x" })).toMatchObject({ code: -32602 });
  });
});

const JSON_TYPE = { headers: { "content-type": "application/json" } };
