import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callAdmin } from "../../scripts/token/admin-client.ts";
import { isJsonArray, memberOf } from "../../src/json.ts";
import { CALLS, HANDSHAKES, LISTS } from "../support/hostile-upstream/behaviours.ts";
import {
  type Behaviour,
  type HostileUpstream,
  startHostileUpstream,
} from "../support/hostile-upstream/server.ts";
import { GatewayClient } from "../support/mcp-client.ts";
import { removeState, startGateway, type StartedGateway } from "../support/started-gateway.ts";

const TIMEOUT_MS = 2000;

/** What the model is told of each way to answer a call badly: code, outcome. */
const CALL_OUTCOMES: readonly (readonly [keyof typeof CALLS, string, string | undefined])[] = [
  ["hangBeforeHeaders", "UPSTREAM_TIMEOUT", "unknown"],
  ["hangMidBody", "UPSTREAM_TIMEOUT", "unknown"],
  ["slowDrip", "UPSTREAM_TIMEOUT", "unknown"],
  ["resetBeforeHeaders", "UPSTREAM_UNAVAILABLE", "unknown"],
  ["resetMidBody", "UPSTREAM_UNAVAILABLE", "unknown"],
  ["unauthorized", "AUTH_FAILED", undefined],
  ["forbidden", "PERMISSION_DENIED", undefined],
  ["tooManySeconds", "RATE_LIMITED", undefined],
  ["internal", "UPSTREAM_ERROR", "unknown"],
  ["badGateway", "UPSTREAM_UNAVAILABLE", "unknown"],
  ["gatewayTimeout", "UPSTREAM_TIMEOUT", "unknown"],
  ["html", "UPSTREAM_ERROR", "unknown"],
  ["malformed", "UPSTREAM_ERROR", "unknown"],
  ["wrongId", "UPSTREAM_ERROR", "unknown"],
  ["rpcError", "UPSTREAM_ERROR", "completed"],
  ["unknownTool", "HYDRATE_FAILED", undefined],
  ["gzipBomb", "UPSTREAM_ERROR", "unknown"],
  // Under an attached inspector this one ends the whole runtime, so it has to be tried against a real process.
  ["noGzip", "UPSTREAM_UNAVAILABLE", "unknown"],
  ["redirectToAddress", "UPSTREAM_ERROR", "not_dispatched"],
  ["redirectToOtherOrigin", "UPSTREAM_ERROR", "not_dispatched"],
];

/** Answers that no isolate may hold; the last one is longer than any may be. */
const LARGE_CALLS = ["json20MB", "event20MB", "json80MB"] as const;
const LARGE_TIMEOUT_MS = 60_000;

const BAD_LISTS = ["repeatedCursor", "toolsIsAnObject", "methodNotFound", "endlessCursors"] as const;
const BAD_HANDSHAKES = ["hangs", "unauthorized", "down", "unknownVersion"] as const;

describe("hostile upstreams behind a running gateway", () => {
  const upstreams = new Map<string, HostileUpstream>();
  let gateway: StartedGateway;
  let client: GatewayClient;
  let report: unknown;

  beforeAll(async () => {
    const start = async (name: string, behaviour?: Behaviour): Promise<void> => {
      upstreams.set(name, await startHostileUpstream(behaviour));
    };
    await start("good");
    // A server whose calls may take ten minutes and which never answers at all holds nobody up.
    await start("patient", HANDSHAKES.hangs);
    for (const [name] of CALL_OUTCOMES) await start(`call-${name.toLowerCase()}`, CALLS[name]);
    for (const name of LARGE_CALLS) await start(`large-${name.toLowerCase()}`, CALLS[name]);
    for (const name of BAD_LISTS) await start(`list-${name.toLowerCase()}`, LISTS[name]);
    for (const name of BAD_HANDSHAKES) await start(`shake-${name.toLowerCase()}`, HANDSHAKES[name]);
    const mcpServers = Object.fromEntries(
      [...upstreams].map(([name, { url }]) => [name, { url, timeout_ms: timeoutFor(name) }]),
    );
    // Tries are on, and nobody has said that any of these calls may run twice.
    const retry = { max_attempts: 3, base_delay_ms: 10 };
    gateway = await startGateway({ config: JSON.stringify({ mcpServers, gateway: { retry } }) });
    const dev = gateway.devFile();
    const admin = { url: String(dev["admin"]), operatorToken: String(dev["operator_token"]) };
    report = await callAdmin(admin, "POST", "/refresh");
    client = await new GatewayClient(String(dev["gateway"]), String(dev["token"])).connect();
  });

  const timeoutFor = (name: string): number => {
    if (name === "patient") return 600_000;
    return name.startsWith("large-") ? LARGE_TIMEOUT_MS : TIMEOUT_MS;
  };

  afterAll(async () => {
    await gateway.stop();
    removeState(gateway);
    await Promise.all([...upstreams.values()].map((upstream) => upstream.close()));
  });

  const statusOf = (name: string): unknown => {
    const servers = memberOf(report, "servers");
    const found = isJsonArray(servers)
      ? servers.find((server) => memberOf(server, "name") === name)
      : undefined;
    return memberOf(found, "status");
  };

  it.each([
    ...BAD_LISTS.map((name) => `list-${name.toLowerCase()}`),
    ...BAD_HANDSHAKES.map((name) => `shake-${name.toLowerCase()}`),
  ])("%s fails alone", (name) => {
    expect(statusOf(name)).toBe("failed");
    expect(statusOf("good")).toBe("ok");
  });

  it.each(CALL_OUTCOMES)("%s is told as %s, outcome %s", async (name, code, outcome) => {
    const server = `call-${name.toLowerCase()}`;
    const answer = await client.execute(await client.idOf("echo", server), { a: 1 });
    const { error, message, retryable, details } = answer.error;
    expect(error).toBe(code);
    expect(retryable).toBe(code === "RATE_LIMITED");
    expect(memberOf(details, "outcome")).toBe(outcome);
    // Nothing of the server's own wording passes.
    expect(String(message)).not.toMatch(/hunter2|Traceback|4010|who are you|slow down/);
    expect(answer.texts).toHaveLength(1);
    expect(answer.text).not.toContain("\n");
    expect(upstreams.get(server)?.count("tools/call")).toBe(1);
  });

  it.each(["json20MB", "event20MB"])("%s is kept, and read again to its last byte", async (name) => {
    const answer = await client.execute(await client.idOf("echo", `large-${name.toLowerCase()}`), {});
    const kept = /kept text\/plain (\d+) bytes: tool_view \{"handle":"(\d{27})"/.exec(
      answer.texts.join("\n"),
    );
    const [, size = "", handle = ""] = kept ?? [];
    expect(Number(size)).toBeGreaterThanOrEqual(20 * 1024 * 1024 - 1024);
    const last = await client.view(handle, { type: "bytes", offset: Number(size) - 10, length: 100 });
    expect(last.texts).toEqual(["x".repeat(10)]);
  });

  it("json80MB is longer than an answer may be, and leaves nothing behind", async () => {
    const answer = await client.execute(await client.idOf("echo", "large-json80mb"), {});
    expect(answer.error["error"]).toBe("UPSTREAM_ERROR");
    expect(memberOf(answer.error["details"], "outcome")).toBe("unknown");
  });

  it("lists the others although one would take ten minutes to fail", () => {
    expect(statusOf("patient")).toBe("failed");
    expect(statusOf("good")).toBe("ok");
  });

  it("leaves the good server as it was", async () => {
    const answer = await client.execute(await client.idOf("echo", "good"), { still: "here" });
    expect(answer.text).toBe('{"still":"here"}');
  });

  it("sends no caller's bearer, no GET, and only ids of its own", () => {
    const token = String(gateway.devFile()["token"]);
    const ids: unknown[] = [];
    for (const { seen } of upstreams.values()) {
      for (const request of seen) {
        expect(request.method).not.toBe("GET");
        expect(JSON.stringify(request.headers)).not.toContain(token);
        expect(request.headers.authorization).toBeUndefined();
        if (request.id !== undefined && request.rpcMethod !== "") ids.push(request.id);
      }
    }
    expect(ids.length).toBeGreaterThan(CALL_OUTCOMES.length);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
