import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { demoConfig, demoEnv, type DemoServer, startDemoServers } from "../../scripts/start/demo-servers.ts";
import { openState } from "../../scripts/start/state.ts";
import { type Admin, callAdmin } from "../../scripts/token/admin-client.ts";
import { isJsonArray, isRecord, memberOf } from "../../src/json.ts";
import { type HostileUpstream, startHostileUpstream } from "../support/hostile-upstream/server.ts";
import { GatewayClient } from "../support/mcp-client.ts";
import { removeState, startGateway, type StartedGateway } from "../support/started-gateway.ts";

const KEY = "a-key-of-the-tests-of-controls";

const GATEWAY = {
  tolerant_args: true,
  cache: { read_only: true, allow: ["everything:echo"] },
  rate_limits: { tools: { "memory:read_graph": { max_calls_per_minute: 2 } } },
  policy: [
    {
      match: { meta_tool: "tool_execute", tool: "filesystem:write_file" },
      action: "require_approval",
      reason: "writes need a person",
    },
    { match: { server: "filesystem", tool: "move_file" }, action: "deny", reason: "nothing is moved here" },
  ],
};

describe("a running gateway with its controls on, before real servers", () => {
  const dir = mkdtempSync(join(tmpdir(), "loomgate-controls-"));
  const state = openState(join(dir, "state"));
  let servers: DemoServer[];
  let ledger: HostileUpstream;
  let gateway: StartedGateway;
  let client: GatewayClient;
  let admin: Admin;
  let dev: Record<string, unknown>;

  beforeAll(async () => {
    servers = await startDemoServers(state, KEY);
    ledger = await startHostileUpstream();
    const demo: unknown = JSON.parse(demoConfig(servers));
    const blocks = memberOf(demo, "mcpServers");
    const mcpServers = { ...(isRecord(blocks) ? blocks : {}), ledger: { url: ledger.url } };
    const config = JSON.stringify({ mcpServers, gateway: GATEWAY });
    gateway = await startGateway({ config, env: demoEnv(KEY) });
    dev = gateway.devFile();
    admin = { url: String(dev["admin"]), operatorToken: String(dev["operator_token"]) };
    await vi.waitUntil(listed, { timeout: 60_000, interval: 500 });
    client = await new GatewayClient(String(dev["gateway"]), String(dev["token"])).connect();
  });

  afterAll(async () => {
    await gateway.stop();
    removeState(gateway);
    await Promise.all([ledger.close(), ...servers.map(({ child }) => child.stop())]);
    rmSync(dir, { recursive: true, force: true });
  });

  /** The bridges take a moment to listen. */
  const listed = async (): Promise<boolean> => {
    const report = await callAdmin(admin, "POST", "/refresh");
    const found = memberOf(report, "servers");
    return isJsonArray(found) && found.every((server) => memberOf(server, "status") === "ok");
  };

  it("runs a write once after a person has seen and granted it", async () => {
    const path = join(state.demo, "files", "note.txt");
    const write = await client.idOf("write_file", "filesystem");
    const args = { path, content: "approved; password=hunter2hunter2" };
    const refused = (await client.execute(write, args)).error;
    expect(refused).toMatchObject({ error: "AUTH_REQUIRED", retryable: false });
    const id = String(memberOf(refused["details"], "approval_id"));
    const listing = await callAdmin(admin, "GET", "/approvals");
    expect(listing).toMatchObject({
      approvals: [
        { id, tool_id: write, server: "filesystem", reason: "writes need a person", state: "pending" },
      ],
    });
    expect(JSON.stringify(listing)).toContain("note.txt");
    expect(JSON.stringify(listing)).not.toContain("hunter2");
    expect(existsSync(path)).toBe(false);

    expect(await callAdmin(admin, "POST", `/approvals/${id}/grant`)).toMatchObject({ state: "granted" });
    expect((await client.execute(write, args)).isError).toBe(false);
    expect(readFileSync(path, "utf8")).toBe(args.content);
    expect((await client.execute(write, args)).error).toMatchObject({ error: "AUTH_REQUIRED" });
  });

  it("denies by the upstream's own name, dry run or not, and says why", async () => {
    const move = await client.idOf("move_file", "filesystem");
    for (const more of [{}, { dry_run: true }]) {
      expect((await client.execute(move, {}, more)).error).toMatchObject({
        error: "POLICY_DENIED",
        details: { reason: "nothing is moved here" },
      });
    }
  });

  it("limits one tool and leaves the others", async () => {
    const read = await client.idOf("read_graph", "memory");
    const codes: unknown[] = [];
    for (let call = 0; call < 3; call += 1) {
      const answer = await client.execute(read);
      codes.push(answer.isError ? answer.error["error"] : "ok");
    }
    expect(codes).toEqual(["ok", "ok", "RATE_LIMITED"]);
    expect((await client.execute(await client.idOf("search_nodes", "memory"), { query: "x" })).isError).toBe(
      false,
    );
  });

  it("repairs what is beyond doubt and answers a repeated reading from the cache", async () => {
    const sum = await client.idOf("get-sum", "everything");
    const repaired = await client.execute(sum, { a: "2", b: " 3 " });
    expect(repaired.text).toContain("5");
    const envelopeOf = (raw: Record<string, unknown>) =>
      memberOf(memberOf(raw["_meta"], "loomgate/envelope"), "provenance");
    expect(envelopeOf(repaired.raw)).toMatchObject({ arg_repairs: [{ path: "$.a" }, { path: "$.b" }] });

    const echo = await client.idOf("echo", "everything");
    const first = await client.execute(echo, { message: "once" });
    const second = await client.execute(echo, { message: "once" });
    expect(second.text).toBe(first.text);
    expect([first, second].map(({ raw }) => memberOf(envelopeOf(raw), "cache_hit"))).toEqual([
      undefined,
      true,
    ]);
  });

  it("carries numbers to a server and back as they were written", async () => {
    const id = await client.idOf("echo", "ledger");
    const exact = '{"big":12345678901234567890,"price":1.10,"zero":-0}';
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_execute","arguments":{"tool_id":"${id}","args":${exact}}}}`;
    const response = await fetch(String(dev["gateway"]), {
      method: "POST",
      headers: {
        authorization: `Bearer ${String(dev["token"])}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": client.sessionId ?? "",
      },
      body,
    });
    expect(response.status).toBe(200);
    const sent = ledger.seen.filter(({ rpcMethod }) => rpcMethod === "tools/call");
    expect(sent.map(({ body: seen }) => seen.includes(`"arguments":${exact}`))).toEqual([true]);
  });
});
