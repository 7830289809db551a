import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { GatewayClient } from "../support/mcp-client.ts";
import { type MemoryServer, startMemoryServer } from "../support/memory-server.ts";
import { removeState, startGateway, type StartedGateway } from "../support/started-gateway.ts";

const SETTLED_MS = 30_000;
const POLL_MS = 250;

describe("two real servers, the second one the first one's candidate", () => {
  let blue: MemoryServer;
  let green: MemoryServer;
  let gateway: StartedGateway;
  let client: GatewayClient;
  let config: string;

  const admin = async (path: string, method = "GET"): Promise<{ status: number; body: unknown }> => {
    const dev = gateway.devFile();
    const response = await fetch(`${String(dev["admin"])}${path}`, {
      method,
      headers: { Authorization: `Bearer ${String(dev["operator_token"])}` },
    });
    return { status: response.status, body: await response.json() };
  };
  const status = async (): Promise<unknown> => (await admin("/status?render=json")).body;
  const serverIn = (shown: unknown): unknown => {
    const servers = memberOf(shown, "servers");
    return isJsonArray(servers) ? servers[0] : undefined;
  };
  const executesIn = (shown: unknown): unknown => {
    const methods = memberOf(memberOf(shown, "telemetry"), "methods");
    return isJsonArray(methods) ? methods.find((row) => memberOf(row, "method") === "execute") : undefined;
  };
  /** What is told travels some seconds behind the answer. */
  const until = async (holds: (shown: unknown) => boolean): Promise<unknown> => {
    for (const end = Date.now() + SETTLED_MS; ;) {
      const shown = await status();
      if (holds(shown)) return shown;
      if (Date.now() > end) throw new Error(JSON.stringify(shown));
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  const connect = async (): Promise<GatewayClient> => {
    const dev = gateway.devFile();
    return new GatewayClient(String(dev["gateway"]), String(dev["token"])).connect();
  };
  const graph = async (): Promise<string> =>
    (await client.execute(await client.idOf("read_graph", "memory"))).text;

  beforeAll(async () => {
    [blue, green] = await Promise.all([startMemoryServer(), startMemoryServer()]);
    config = JSON.stringify({
      mcpServers: { memory: { url: blue.url, candidate: { url: green.url } } },
    });
    gateway = await startGateway({ config });
    client = await connect();
    const entity = { name: "blue", entityType: "colour", observations: [] };
    await client.execute(await client.idOf("create_entities", "memory"), { entities: [entity] });
  });

  afterAll(async () => {
    await client.close();
    await gateway.stop();
    removeState(gateway);
    await Promise.all([blue.stop(), green.stop()]);
  });

  it("are listed beside each other, and the first one is called", async () => {
    expect(serverIn(await status())).toMatchObject({
      name: "memory",
      status: "ok",
      target: "configured",
      candidate: { status: "listed", comparison: "identical" },
      health: { generation: 1, rollout: "pending" },
    });
    expect(await graph()).toContain("blue");
  });

  it("have their calls moved in one step, in a session that goes on, and moved back", async () => {
    const moved = await admin("/upstreams/memory/promote", "POST");
    expect(moved).toMatchObject({
      status: 200,
      body: { server: "memory", active: "candidate", generation: 2, comparison: "identical" },
    });
    expect(await graph()).not.toContain("blue");
    expect(await admin("/upstreams/memory/promote", "POST")).toMatchObject({
      status: 409,
      body: { error: "already_active" },
    });
    const back = await admin("/upstreams/memory/rollback", "POST");
    expect(back).toMatchObject({ status: 200, body: { active: "configured", generation: 3 } });
    expect(await graph()).toContain("blue");
    expect(await admin("/upstreams/memory/rollback", "POST")).toMatchObject({
      status: 409,
      body: { error: "nothing_to_roll_back" },
    });
    const shown = await until((now) => memberOf(memberOf(serverIn(now), "health"), "generation") === 3);
    expect(serverIn(shown)).toMatchObject({ health: { restart_count: 2, consecutive_failures: 0 } });
  });

  it("have the second one rejected and remembered when it is gone, and the first one serves on", async () => {
    await green.stop();
    expect(await admin("/upstreams/memory/promote", "POST")).toMatchObject({
      status: 409,
      body: { error: "candidate_rejected" },
    });
    expect(serverIn((await admin("/refresh", "POST")).body)).toMatchObject({
      status: "ok",
      candidate: { status: "rejected" },
    });
    expect(await status()).toMatchObject({ status: "degraded" });
    expect(await graph()).toContain("blue");
  });

  it("are accounted for call by call, through a restart of everything, each once", async () => {
    const calls = 5;
    const before = memberOf(executesIn(await until((now) => executesIn(now) !== undefined)), "request_count");
    for (let call = 0; call < calls; call += 1) await graph();
    await client.close();
    // At once: what is not delivered yet has to outlive the process.
    await gateway.stop();
    gateway = await startGateway({ config, stateDir: gateway.stateDir });
    client = await connect();
    const shown = await until(
      (now) => Number(memberOf(executesIn(now), "request_count")) >= Number(before) + calls,
    );
    expect(executesIn(shown)).toMatchObject({ request_count: Number(before) + calls, error_count: 0 });
    const events = await fetch(`${gateway.origin}/admin/events?kind=execute&limit=1000`, {
      headers: { Authorization: `Bearer ${String(gateway.devFile()["operator_token"])}` },
    });
    const lines = (await events.text()).trimEnd().split("\n");
    expect(lines).toHaveLength(Number(before) + calls);
    expect(lines.join("")).not.toContain("colour");
  });

  it("are measured for a scraper", async () => {
    const response = await fetch(`${gateway.origin}/metrics`, {
      headers: { Authorization: `Bearer ${String(gateway.devFile()["operator_token"])}` },
    });
    expect(response.headers.get("content-type")).toMatch(/^application\/openmetrics-text; version=1\.0\.0/);
    const text = await response.text();
    expect(text).toMatch(/\nloomgate_upstream_generation\{server="memory"\} 3\n/);
    expect(text.endsWith("# EOF\n")).toBe(true);
  });
});
