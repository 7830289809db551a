import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { TARGET_NAMES } from "../../src/server-target.ts";
import { upstreamTarget, upstreamTargets } from "../../src/upstream/targets.ts";

const SECRET = "s3cr3t-value";
const variables = new Map([
  ["KEY", SECRET],
  ["HOST", "mcp.example.com"],
  ["BAD", `${SECRET}\r\nX-Evil: 1`],
  ["LOCAL", `https://${SECRET}.local/mcp`],
]);

function targets(servers: Record<string, object>, allowLoopback = false) {
  const config = parseConfig(JSON.stringify({ mcpServers: servers }));
  if (!config.ok) throw new Error(JSON.stringify(config.reason));
  return upstreamTargets(config.value, (name) => variables.get(name), { allowLoopback });
}

const URL = "https://mcp.example.com/mcp";
const problemsOf = (servers: Record<string, object>) => {
  const judged = targets(servers);
  return judged.ok ? [] : judged.reason;
};

describe("configured servers as they are called", () => {
  it("have their variables put in, in the configuration's order, without the disabled ones", () => {
    const judged = targets({
      b: { url: "https://${env:HOST}/b", headers: { Authorization: "Bearer ${env:KEY}" }, timeout_ms: 5 },
      off: { url: "nonsense ${env:NOWHERE}", disabled: true },
      a: { url: URL },
    });
    expect(judged).toEqual({
      ok: true,
      value: [
        {
          name: "b",
          url: "https://mcp.example.com/b",
          headers: { Authorization: `Bearer ${SECRET}` },
          timeoutMs: 5,
        },
        { name: "a", url: URL, headers: {}, timeoutMs: 30_000 },
      ],
    });
  });

  it.each([
    ["no URL", { url: "nonsense" }, "mcpServers.x.url"],
    ["http", { url: "http://mcp.example.com" }, "mcpServers.x.url"],
    ["an IP address", { url: "https://2130706433/" }, "mcpServers.x.url"],
    ["a local name", { url: "${env:LOCAL}" }, "mcpServers.x.url"],
    ["an unset variable", { url: URL, headers: { A: "${env:NOWHERE}" } }, "mcpServers.x.headers.A"],
    ["a name with a space", { url: URL, headers: { "A b": "1" } }, 'mcpServers.x.headers["A b"]'],
    ["an empty name", { url: URL, headers: { "": "1" } }, 'mcpServers.x.headers[""]'],
    ["a line end in a value", { url: URL, headers: { A: "${env:BAD}" } }, "mcpServers.x.headers.A"],
    ["NUL in a value", { url: URL, headers: { A: "\0" } }, "mcpServers.x.headers.A"],
    ["what is no byte in a value", { url: URL, headers: { A: "✓" } }, "mcpServers.x.headers.A"],
    ["one header twice", { url: URL, headers: { Key: "1", KEY: "2" } }, "mcpServers.x.headers.KEY"],
    ...[
      "Host",
      "content-length",
      "ACCEPT",
      "Content-Type",
      "Mcp-Session-Id",
      "MCP-Protocol-Version",
      "Connection",
      "Transfer-Encoding",
      "Upgrade",
      "TE",
    ].map(
      (name) =>
        [
          `the transport's ${name}`,
          { url: URL, headers: { [name]: "x" } },
          `mcpServers.x.headers.${name}`,
        ] as const,
    ),
  ] as const)("with %s are a problem of that key, told without the value", (_, server, key) => {
    const problems = problemsOf({ fine: { url: URL }, x: server });
    expect(problems.map((problem) => problem.key)).toContain(key);
    expect(JSON.stringify(problems)).not.toContain(SECRET);
    for (const { message } of problems) expect(message).not.toBe("");
  });

  it("tell everything that is wrong at once", () => {
    const problems = problemsOf({
      x: { url: "nonsense", headers: { Host: "h" } },
      y: { url: "http://a.example.com" },
    });
    expect(problems.map(({ key }) => key)).toEqual([
      "mcpServers.x.headers.Host",
      "mcpServers.x.url",
      "mcpServers.y.url",
    ]);
  });

  it("may be on loopback in development only", () => {
    const server = { x: { url: "http://127.0.0.1:9/mcp" } };
    expect([targets(server, true).ok, targets(server, false).ok]).toEqual([true, false]);
  });

  it("accept exactly the headers that fetch can send", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 8 }),
        fc.string({ unit: "binary", maxLength: 8 }),
        (name, value) => {
          fc.pre(!value.includes("${") && name !== "__proto__");
          const judged = targets({ x: { url: URL, headers: { [name]: value } } });
          expect(!judged.ok || new Headers({ [name]: value }).has(name)).toBe(true);
        },
      ),
    );
    expect(targets({ x: { url: URL, headers: { "X-Key": "a\tb ÿ~!" } } }).ok).toBe(true);
  });
});

describe("a server's candidate", () => {
  const HEADERS = { Authorization: "Bearer ${env:KEY}" };
  const targetsOf = (server: object) => {
    const config = parseConfig(
      JSON.stringify({ mcpServers: { x: { url: URL, headers: HEADERS, ...server } } }),
    );
    const block = config.ok ? config.value.mcpServers["x"] : undefined;
    if (block?.type !== "http") throw new Error("no such server");
    return TARGET_NAMES.map((target) =>
      upstreamTarget("x", block, (name) => variables.get(name), { allowLoopback: false }, target),
    );
  };

  it("is the same server at another address, with the server's headers unless it has its own", () => {
    const sent = { Authorization: `Bearer ${SECRET}` };
    const [configured, candidate] = targetsOf({
      candidate: { url: "https://${env:HOST}/next" },
      timeout_ms: 7,
    });
    expect(configured).toMatchObject({ ok: true, value: { name: "x", url: URL, headers: sent } });
    expect(candidate).toEqual({
      ok: true,
      value: { name: "x", url: "https://mcp.example.com/next", headers: sent, timeoutMs: 7 },
    });
    expect(targetsOf({ candidate: { url: URL, headers: { A: "1" } } })[1]).toMatchObject({
      ok: true,
      value: { headers: { A: "1" } },
    });
    expect(targetsOf({ candidate: { url: URL, headers: {} } })[1]).toMatchObject({ value: { headers: {} } });
  });

  it("is judged as every address and header is, under its own keys", () => {
    const server = { url: URL, candidate: { url: "http://10.0.0.1/mcp", headers: { Host: "a" } } };
    const problems = problemsOf({ x: server });
    expect(problems.map(({ key }) => key)).toEqual([
      "mcpServers.x.candidate.headers.Host",
      "mcpServers.x.candidate.url",
    ]);
  });

  it("whose headers are the server's is not told of them twice", () => {
    const server = { url: URL, headers: { "A b": "1" }, candidate: { url: URL } };
    expect(problemsOf({ x: server })).toHaveLength(1);
  });

  it("that is not there is no target", () => {
    const [, candidate] = targetsOf({});
    expect(candidate).toMatchObject({ ok: false, reason: [{ key: "mcpServers.x" }] });
  });
});
