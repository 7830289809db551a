import { describe, expect, it } from "vitest";
import type { Environment } from "../../../scripts/doctor/config/environment.ts";
import { judgeConfig } from "../../../scripts/doctor/config/judge-config.ts";
import type { Finding } from "../../../scripts/doctor/finding.ts";
import { answers, HEALTHY_STATUS } from "./fake-deployment.ts";
import { asks as asksOf, visit } from "./visit.ts";

const NOTHING_SET: Environment = { lookup: () => undefined, elsewhere: () => "unset" };

function judge(candidate: object, block: object = {}, environment = NOTHING_SET): readonly Finding[] {
  const config = { mcpServers: { a: { url: "https://a.example.com/mcp", ...block, candidate } } };
  return judgeConfig(JSON.stringify(config), environment, { allowLoopback: false }).findings;
}

function asks(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter(({ level }) => level === "fail" || level === "warn")
    .map(({ level, check, subject }) => `${level} ${check} ${subject ?? ""}`.trimEnd());
}

const url = "https://b.example.com/mcp";

describe("a candidate in a configuration", () => {
  it.each<[string, object, readonly string[]]>([
    ["nothing wrong", { url, headers: { K: "v" } }, []],
    [
      "http on a public name",
      { url: "http://b.example.com/mcp" },
      ["fail config.addresses mcpServers.a.candidate.url"],
    ],
    [
      "this machine, for a deployed Worker",
      { url: "http://127.0.0.1:1/mcp" },
      ["fail config.addresses mcpServers.a.candidate.url"],
    ],
    [
      "a header that the gateway sets",
      { url, headers: { Host: "b" } },
      ["fail config.addresses mcpServers.a.candidate.headers.Host"],
    ],
    [
      "a variable of its header that is not set",
      { url, headers: { Authorization: "Bearer ${env:KEY}" } },
      ["fail config.variables mcpServers.a.candidate"],
    ],
    [
      "a variable of its address that is not set",
      { url: "https://${env:HOST}/mcp" },
      ["fail config.variables mcpServers.a.candidate"],
    ],
    [
      "a bearer in the file",
      { url, headers: { Authorization: "Bearer 0123456789abcdef" } },
      ["fail config.credentials mcpServers.a.candidate.headers.Authorization"],
    ],
    [
      "a key in its address",
      { url: `${url}?api_key=0123456789abcdef` },
      ["fail config.credentials mcpServers.a.candidate.url"],
    ],
    [
      "a header whose name says credential",
      { url, headers: { "X-API-Key": "0123456789" } },
      ["warn config.credentials mcpServers.a.candidate.headers.X-API-Key"],
    ],
  ])("is judged as a server is, under its own keys: %s", (_name, candidate, expected) => {
    expect(asks(judge(candidate))).toEqual(expected);
  });

  it("that is sent its server's headers makes nothing wrong twice", () => {
    const headers = { Host: "x", "X-API-Key": "0123456789", K: "${env:KEY}" };
    expect(asks(judge({ url }, { headers }))).toEqual([
      "fail config.variables mcpServers.a",
      "fail config.addresses mcpServers.a.headers.Host",
      "warn config.credentials mcpServers.a.headers.X-API-Key",
    ]);
  });

  it("is named beside its server where both want a variable, and its secrets may be out of sight", () => {
    const headers = { K: "${env:KEY}" };
    expect(asks(judge({ url, headers }, { headers }))).toEqual([
      "fail config.variables mcpServers.a, mcpServers.a.candidate",
    ]);
    const unseen: Environment = { lookup: () => undefined, elsewhere: () => "unseen" };
    const findings = judge({ url: "${env:ADDRESS}", headers }, {}, unseen);
    expect(asks(findings)).toEqual([]);
    expect(findings.find(({ check }) => check === "config.variables")).toMatchObject({
      level: "skip",
      what: expect.stringMatching(/: ADDRESS, KEY$/) as unknown,
    });
  });

  it("of a server that is disabled is left alone", () => {
    expect(
      asks(judge({ url: "http://b.example.com", headers: { K: "${env:KEY}" } }, { disabled: true })),
    ).toEqual([]);
  });
});

describe("a candidate that a deployment tells of", () => {
  const told = async (changes: object) => {
    const status = { ...HEALTHY_STATUS, servers: [{ ...HEALTHY_STATUS.servers[0], ...changes }] };
    const { findings } = await visit({ "/admin/status": answers.json(status) });
    return { asked: asksOf(findings), servers: findings.filter(({ check }) => check === "operator.servers") };
  };
  const waiting = (candidate: unknown, more: object = {}) =>
    told({ target: "configured", candidate, ...more });

  it("is warned of where it was rejected, with the reason and the key to look at", async () => {
    const { asked, servers } = await waiting({ status: "rejected", reason: "it did not answer" });
    expect(asked).toEqual(["warn operator.servers"]);
    expect(servers.find(({ level }) => level === "warn")).toMatchObject({
      subject: "a",
      what: "its candidate was rejected: it did not answer",
      mend: expect.stringMatching(/mcpServers\.a\.candidate\.url.*--refresh/) as unknown,
    });
  });

  it("is warned of where its promotion would break callers", async () => {
    const { asked, servers } = await waiting({ status: "listed", comparison: "breaking", tools: 1 });
    expect(asked).toEqual(["warn operator.servers"]);
    expect(servers.find(({ level }) => level === "warn")).toMatchObject({
      what: expect.stringContaining("would break callers") as unknown,
      mend: expect.stringMatching(/GET \/admin\/status\?render=json.*POST \/admin\/refresh/) as unknown,
    });
  });

  it.each(["identical", "compatible"])(
    "passes where it is %s, and waits for a promotion",
    async (comparison) => {
      const { asked, servers } = await waiting({ status: "listed", comparison, tools: 2 });
      expect(asked).toEqual([]);
      expect(servers).toMatchObject([
        { level: "pass", what: "1 server" },
        {
          level: "pass",
          subject: "a",
          what: `its candidate is ${comparison} and waits for a promotion`,
          mend: expect.stringContaining("/admin/upstreams/a/promote") as unknown,
        },
      ]);
    },
  );

  it.each([
    ["was rejected", { status: "rejected", reason: "gone" }],
    ["is another", { status: "listed", comparison: "breaking" }],
    ["was never told of", undefined],
  ])("serves, and the server it replaced is nobody's matter: %s", async (_name, candidate) => {
    const { asked, servers } = await told({ target: "candidate", candidate });
    expect(asked).toEqual([]);
    expect(servers[1]).toMatchObject({
      level: "pass",
      subject: "a",
      what: "its candidate serves",
      mend: expect.stringContaining("mcpServers.a.url") as unknown,
    });
    expect(JSON.stringify(servers)).not.toMatch(/gone|reject|break/);
  });

  it.each([
    ["fail", { status: "fine" }],
    ["fail", { status: "listed", comparison: "better" }],
    ["fail", "text"],
    ["warn", { status: "listed", comparison: "unknown" }],
  ])("is no silence where nobody knows what it is: %s %j", async (level, candidate) => {
    expect((await waiting(candidate)).asked).toEqual([`${level} operator.servers`]);
  });

  it("of a disabled server is none", async () => {
    expect((await waiting({ status: "rejected" }, { status: "disabled" })).servers).toHaveLength(1);
    expect((await told({ target: "candidate", status: "disabled" })).servers).toHaveLength(1);
  });
});
