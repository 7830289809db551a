import { beforeEach, describe, expect, it } from "vitest";
import { memberOf } from "../../../src/json.ts";
import { accountName } from "../../../src/outbox/account-name.ts";
import { VERSION } from "../../../src/version.ts";
import { answered, browsed, entry, executed, listed, refreshed, unreachable } from "../../ledger/entries.ts";
import { deliver, sql } from "../ledger-client.ts";
import { recordLog } from "../recorded-log.ts";
import { answersByCaller, ask, configHash, OPERATOR_ALONE } from "./operator.ts";
import { freshStorage } from "../fresh-storage.ts";

const log = recordLog();
const SECRET = "sk-live-51H8xY2eZvKYlo2C";

const CONFIG = JSON.stringify({
  mcpServers: {
    zulu: { type: "http", url: "https://zulu.example/mcp" },
    alpha: {
      type: "http",
      url: "https://alpha.example/mcp",
      headers: { Authorization: "Bearer ${env:ALPHA_TOKEN}" },
    },
    off: { type: "http", url: "https://off.example/mcp", disabled: true },
  },
});
const bindings = { LOOMGATE_CONFIG: CONFIG, ALPHA_TOKEN: SECRET };

beforeEach(async () => {
  await freshStorage();
});

const refresh = (change: Parameters<typeof refreshed>[0] = {}) =>
  refreshed({
    config: configHash(CONFIG),
    refreshed_at_ms: Date.now(),
    servers: [listed("zulu"), listed("alpha")],
    ...change,
  });

describe("GET /admin/status", () => {
  it("is the operator's alone", async () => {
    expect(await answersByCaller("/admin/status")).toEqual(OPERATOR_ALONE);
    expect(await answersByCaller("/admin/status?render=json")).toEqual(OPERATOR_ALONE);
  });

  it("tells of a gateway to which nothing has happened", async () => {
    const response = await ask("/admin/status?render=json", bindings);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    const json: Record<string, unknown> = await response.json();
    expect(Object.keys(json)).toEqual([
      "status",
      "reasons",
      "version",
      "as_of",
      "catalog",
      "servers",
      "telemetry",
      "tools",
      "events",
      "kept",
      "ledger",
    ]);
    expect(json).toMatchObject({
      status: "failing",
      version: VERSION,
      as_of: null,
      catalog: null,
      servers: [
        { name: "zulu", status: "unknown", health: { state: "cold", worker_handshake: "absent" } },
        { name: "alpha", status: "unknown" },
        { name: "off", status: "disabled" },
      ],
      telemetry: { state: "cold", totals: { request_count: 0 }, methods: [] },
      tools: { hottest: [], slowest: [] },
      events: { kept: 0, oldest: null, newest: null, counts: {} },
      kept: { principals: 0, artifacts: 0, bytes: 0, max_artifacts: 10_000, max_bytes: 1_073_741_824 },
      ledger: { sources: 0, dropped: 0, unreadable: 0, refused: 0, restarted: 0, lost_at: null },
    });
  });

  it("tells what happened, of the asking Worker's own configuration", async () => {
    await deliver({
      entries: [
        entry(executed({ durationMs: 7 }), [answered("zulu"), unreachable("alpha")]),
        entry(browsed(), [], refresh()),
      ],
    });
    const json: unknown = await (await ask("/admin/status?render=json", bindings)).json();
    expect(json).toMatchObject({
      status: "degraded",
      reasons: ["alpha: 1 failure(s) since a success, the last unreachable"],
      catalog: { generation: 3, tools: 12, stale: [], findings: 0 },
      servers: [
        { name: "zulu", status: "ok", tools: 4, health: { state: "ready", consecutive_failures: 0 } },
        {
          name: "alpha",
          status: "ok",
          health: { state: "recovering", last_fault: { class: "transport", code: "unreachable" } },
        },
        { name: "off", status: "disabled" },
      ],
      telemetry: { state: "ready", totals: { request_count: 2, success_count: 2 } },
      tools: { hottest: [{ tool: "github:create_issue#aea9ce2a", request_count: 1, avg_latency_ms: 7 }] },
      events: { kept: 2, counts: { "browse.completed": 1, "execute.completed": 1 } },
      ledger: { sources: 1 },
    });
    expect(memberOf(json, "as_of")).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const other = { ...bindings, LOOMGATE_CONFIG: '{"mcpServers":{}}' };
    expect(await (await ask("/admin/status?render=json", other)).json()).toMatchObject({
      status: "failing",
      catalog: null,
      servers: [],
    });
  });

  it.each(["", "?render=porcelain", "?render=text"])(
    "is lines for a person by default: %s",
    async (query) => {
      await deliver({ entries: [entry(browsed(), [], refresh())] });
      const response = await ask(`/admin/status${query}`, bindings);
      expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
      const text = await response.text();
      expect(text).toMatch(/^loomgate \d+\.\d+\.\d+: ok, as of 2\d{3}-/);
      expect(text).toContain("\nzulu | ok | 4 | 0 | 0 | cold | 0 | 0 | 0 | configured | 1 | - | -\n");
    },
  );

  it.each(["?render=xml", "?render=", "?render=__proto__", "?render=%00%F0%9F"])(
    "refuses %s",
    async (query) => {
      const response = await ask(`/admin/status${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: "invalid",
        problems: [expect.stringContaining("render")],
      });
    },
  );

  it("shows no secret, in either form", async () => {
    const told = refresh({
      failure: `the server said ${SECRET}`,
      servers: [
        listed("zulu", { status: "failed", reason: `Bearer ${SECRET}` }),
        listed("alpha", { findings: [{ tool: SECRET, code: "too_deep" }], finding_count: 1 }),
      ],
    });
    const cut = `${"x".repeat(40)}${SECRET}`;
    await deliver({
      entries: [entry(executed(), [unreachable("alpha", cut)]), entry(browsed(), [], told)],
    });
    for (const path of ["/admin/status", "/admin/status?render=json"]) {
      const text = await (await ask(path, bindings)).text();
      expect(text).not.toContain(SECRET.slice(0, 8));
      expect(text).toContain("[REDACTED-SECRET]");
    }
  });

  it("finds the account of a server whose name is too long for it, and shows it on one line", async () => {
    const name = `${"😀 | \n".repeat(40)}a`;
    const text = JSON.stringify({ mcpServers: { [name]: { type: "http", url: "https://a.example/mcp" } } });
    const told = refreshed({
      config: configHash(text),
      refreshed_at_ms: Date.now(),
      servers: [listed(accountName(name))],
    });
    await deliver({ entries: [entry(browsed(), [answered(accountName(name))], told)] });
    const json: unknown = await (await ask("/admin/status?render=json", { LOOMGATE_CONFIG: text })).json();
    expect(json).toMatchObject({
      status: "ok",
      servers: [{ name, status: "ok", health: { state: "ready" } }],
    });
    const lines = (await (await ask("/admin/status", { LOOMGATE_CONFIG: text })).text()).split("\n");
    const row = lines[lines.indexOf("servers:") + 2];
    expect(row).toMatch(
      /^"😀 .*…?"? \| ok \| 4 \| 0 \| 0 \| ready \| 0 \| 1 \| 0 \| configured \| 1 \| - \| -$/u,
    );
    expect(row?.split(" | ")).toHaveLength(13);
  });

  it("is unavailable where the ledger's object fails, and says why in the log", async () => {
    await deliver({ entries: [entry(browsed())] });
    await sql("DROP TABLE sources");
    const response = await ask("/admin/status");
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ error: "unavailable" });
    expect(log.lines.join("\n")).toContain("no such table");
  });
});
