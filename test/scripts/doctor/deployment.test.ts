import { describe, expect, it } from "vitest";
import {
  answers,
  fakeDeployment,
  type Handler,
  HEALTHY_CATALOG,
  HEALTHY_STATUS,
  mcp,
} from "./fake-deployment.ts";
import { asks, configOf, visit } from "./visit.ts";

describe("a healthy deployment", () => {
  it("passes everything, and nothing was asked of it that changes anything", async () => {
    const { findings, deployment } = await visit({}, { config: configOf({}) });
    expect(findings.filter(({ level }) => level !== "pass")).toEqual([]);
    expect(findings.map(({ check }) => check)).toContain("client.browse");
    const changing = deployment.requests.filter(
      (line) => !line.startsWith("GET ") && !/^(?:POST|DELETE) \/mcp$/.test(line),
    );
    expect(changing).toEqual([]);
  });

  it("is refreshed on request alone", async () => {
    const { findings, deployment } = await visit({}, { refresh: true });
    expect(findings).toContainEqual(expect.objectContaining({ check: "operator.refresh", level: "pass" }));
    expect(deployment.requests.filter((line) => line.startsWith("POST /admin"))).toEqual([
      "POST /admin/refresh",
    ]);
  });

  it("is not asked what the person has no bearer for", async () => {
    const { findings, deployment } = await visit({}, { operatorBearer: null, clientBearer: null });
    expect(asks(findings)).toEqual([]);
    expect(findings.filter(({ level }) => level === "skip").map(({ check }) => check)).toEqual([
      "operator.bearer",
      "client.session",
    ]);
    expect(deployment.requests.some((line) => line.includes("/admin") || line.includes("/metrics"))).toBe(
      false,
    );
  });
});

describe("what a deployment has to refuse", () => {
  it("is open where /mcp answers without a bearer", async () => {
    const { findings } = await visit({ "/mcp": answers.json({ jsonrpc: "2.0" }) });
    expect(asks(findings).slice(0, 2)).toEqual(["fail deployment.challenge", "fail deployment.origin"]);
    expect(JSON.stringify(findings)).toContain("it is open to others");
  });

  it("is not refused where a page of another origin is asked for its bearer", async () => {
    const open: Handler = (request, response, body) => {
      delete request.headers.origin;
      mcp(request, response, body);
    };
    expect(asks((await visit({ "/mcp": open })).findings)).toEqual(["fail deployment.origin"]);
  });

  it("has to name its metadata on its own origin, and no other is asked", async () => {
    const other = await fakeDeployment();
    const elsewhere: Handler = (request, response, body) => {
      if (request.headers.authorization !== undefined || request.headers.origin !== undefined)
        return mcp(request, response, body);
      const challenge = `Bearer resource_metadata="${other.origin}/.well-known/oauth-protected-resource/mcp"`;
      return answers.json({}, 401, { "WWW-Authenticate": challenge })(request, response, body);
    };
    expect(asks((await visit({ "/mcp": elsewhere })).findings)).toEqual(["fail deployment.metadata"]);
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it("has metadata about another resource", async () => {
    const metadata = answers.json({ resource: "https://evil.example.com/mcp" });
    const { findings } = await visit({ "/.well-known/oauth-protected-resource/mcp": metadata });
    expect(asks(findings)).toEqual(["fail deployment.metadata"]);
  });

  it("names no metadata", async () => {
    const bare: Handler = (request, response, body) =>
      request.headers.authorization === undefined && request.headers.origin === undefined
        ? answers.json({}, 401)(request, response, body)
        : mcp(request, response, body);
    const { findings } = await visit({ "/mcp": bare });
    expect(asks(findings)).toEqual(["fail deployment.challenge"]);
  });
});

describe("a configuration against what runs", () => {
  it("is another one where the servers differ, and then its globs are not judged", async () => {
    const config = configOf({
      mcpServers: { b: { url: "https://b.example.com", replay: { nope: "convergent" } } },
    });
    const { findings } = await visit({}, { config });
    expect(asks(findings)).toEqual(["warn config.current"]);
    expect(findings).toContainEqual(expect.objectContaining({ check: "catalog.globs", level: "skip" }));
  });

  it("has globs that match no tool", async () => {
    const config = configOf({
      mcpServers: {
        a: { url: "https://a.example.com", replay: { "get_*": "convergent", "del_*": "never_replay" } },
      },
      gateway: {
        cache: { read_only: true, allow: ["a:get_x", "a:got_*"], shared: ["b:*"] },
        artifacts: { keep: { "a:*": ["$.a"], "d:*": ["$.a"] } },
        rate_limits: { tools: { "a:*": { max_calls_per_minute: 1 }, "c:*": { max_calls_per_minute: 1 } } },
        policy: [
          { match: { tool: "set_x" }, action: "deny" },
          { match: { tool: "a:delete_*" }, action: "deny" },
          { match: { tool: "a:set_y" }, action: "deny" },
        ],
      },
    });
    const { findings } = await visit({}, { config });
    expect(findings.filter(({ level }) => level === "warn").map(({ subject }) => subject)).toEqual([
      'mcpServers.a.replay["del_*"]',
      "gateway.cache.allow[1]",
      "gateway.cache.shared[0]",
      'gateway.artifacts.keep["d:*"]',
      'gateway.rate_limits.tools["c:*"]',
      "gateway.policy[2].match.tool",
    ]);
  });

  it("says nothing of the globs of a server whose tools are not known", async () => {
    const stale = { ...HEALTHY_STATUS, servers: [{ name: "a", status: "stale" }] };
    const config = configOf({
      mcpServers: { a: { url: "https://a.example.com", replay: { "del_*": "convergent" } } },
    });
    const { findings } = await visit({ "/admin/status": answers.json(stale) }, { config });
    expect(findings.filter(({ check }) => check === "catalog.globs")).toMatchObject([{ level: "skip" }]);
  });

  it("pins another catalog", async () => {
    const config = configOf({ gateway: { pin: { hash: "1".repeat(64), mode: "warn" } } });
    expect(asks((await visit({}, { config })).findings)).toEqual(["warn catalog.pin"]);
  });

  it("is late when three refreshes were missed", async () => {
    const late = { ...HEALTHY_STATUS, catalog: { ...HEALTHY_STATUS.catalog, age_s: 1_000 } };
    const { findings } = await visit({ "/admin/status": answers.json(late) }, { config: configOf({}) });
    expect(asks(findings)).toEqual(["warn operator.status"]);
  });
});

describe("a catalog of several pages", () => {
  it("is read to its end", async () => {
    const pages: Handler = (request, response, body) => {
      const second = (request.url ?? "").includes("after=");
      const next = second ? null : "a:get_x#01234567 &?";
      answers.json({ ...HEALTHY_CATALOG, next })(request, response, body);
    };
    const { findings } = await visit({ "/admin/catalog": pages });
    expect(findings).toContainEqual(expect.objectContaining({ check: "catalog.tools", what: "4 tools" }));
  });

  it("without an end is read so far and no further", async () => {
    const endless = answers.json({ ...HEALTHY_CATALOG, next: "again\ud800" });
    const { findings, deployment } = await visit({ "/admin/catalog": endless });
    expect(deployment.requests.filter((line) => line.startsWith("GET /admin/catalog"))).toHaveLength(20);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "catalog.tools", what: "40 tools and more" }),
    );
  });
});
