import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Environment } from "../../../scripts/doctor/config/environment.ts";
import { judgeConfig } from "../../../scripts/doctor/config/judge-config.ts";
import type { Check, Finding } from "../../../scripts/doctor/finding.ts";
import { reportLines, reportOf } from "../../../scripts/doctor/report.ts";
import { createScrubber } from "../../../src/scrub/scrub.ts";

const NOTHING_SET: Environment = { lookup: () => undefined, elsewhere: () => "unset" };
const HERE = { allowLoopback: true };

function judge(config: object, environment = NOTHING_SET, place = HERE): readonly Finding[] {
  return judgeConfig(JSON.stringify(config), environment, place).findings;
}

/** What asks for something, as `level check subject`. */
function asks(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter(({ level }) => level === "fail" || level === "warn")
    .map(({ level, check, subject }) => `${level} ${check} ${subject ?? ""}`.trimEnd());
}

function server(block: object): object {
  return { mcpServers: { a: { url: "https://a.example.com/mcp", ...block } } };
}

describe("a configuration that nothing is wrong with", () => {
  it("passes every check, and says so of each", () => {
    const findings = judge(
      {
        mcpServers: {
          a: {
            url: "https://a.example.com/mcp",
            headers: { Authorization: "Bearer ${env:KEY}" },
            trust_hints: true,
          },
        },
        gateway: {
          cache: { read_only: true },
          retry: { max_attempts: 3, retryable_codes: ["RATE_LIMITED"] },
        },
      },
      { lookup: (name) => (name === "KEY" ? "the value of the key" : undefined), elsewhere: () => "unset" },
    );
    expect(asks(findings)).toEqual([]);
    const checks: readonly Check[] = [
      "config.keys",
      "config.servers",
      "config.variables",
      "config.addresses",
      "config.credentials",
      "config.cache",
      "config.retry",
      "config.globs",
      "config.pin",
    ];
    expect(findings.map(({ check }) => check).sort()).toEqual([...checks].sort());
  });
});

describe("a configuration with something to mend", () => {
  it.each<[string, object, readonly string[]]>([
    ["an unknown key", { gateway: { tpo_k: 1 } }, ["fail config.keys gateway.tpo_k"]],
    [
      "several keys at once",
      { gateway: { top_k: "5" }, mcpServers: { a: {} } },
      ["fail config.keys mcpServers.a.url", "fail config.keys gateway.top_k"],
    ],
    [
      "two servers of one namespace",
      { mcpServers: { "a b": { url: "https://a.example.com" }, "A-B": { url: "https://b.example.com" } } },
      ['fail config.servers mcpServers["a b"]'],
    ],
    [
      "http on a public name",
      server({ url: "http://a.example.com/mcp" }),
      ["fail config.addresses mcpServers.a.url"],
    ],
    [
      "an address by number",
      server({ url: "https://10.0.0.1/" }),
      ["fail config.addresses mcpServers.a.url"],
    ],
    [
      "a header that the gateway sets",
      server({ headers: { Host: "b" } }),
      ["fail config.addresses mcpServers.a.headers.Host"],
    ],
    [
      "a name that is none",
      server({ headers: { K: "${env:1 2}" } }),
      ["fail config.addresses mcpServers.a.headers.K"],
    ],
    [
      "a variable that is not set",
      server({ headers: { Authorization: "Bearer ${env:KEY}" } }),
      ["fail config.variables mcpServers.a"],
    ],
    [
      "a bearer in the file",
      server({ headers: { Authorization: "Bearer 0123456789abcdef" } }),
      ["fail config.credentials mcpServers.a.headers.Authorization"],
    ],
    [
      "a key in an address",
      server({ url: "https://a.example.com/mcp?api_key=0123456789abcdef" }),
      ["fail config.credentials mcpServers.a.url"],
    ],
    [
      "a header whose name says credential",
      server({ headers: { "X-API-Key": "0123456789" } }),
      ["warn config.credentials mcpServers.a.headers.X-API-Key"],
    ],
    [
      "shared without read_only",
      { gateway: { cache: { shared: ["a:*"] } } },
      ["warn config.cache gateway.cache"],
    ],
    [
      "a cache that nothing gets into",
      { ...server({}), gateway: { cache: { read_only: true } } },
      ["warn config.cache gateway.cache.read_only"],
    ],
    [
      "codes to retry, and one try",
      { gateway: { retry: { max_attempts: 1, retryable_codes: ["RATE_LIMITED"] } } },
      ["warn config.retry gateway.retry"],
    ],
    [
      "codes to retry, and the default of one try",
      { gateway: { retry: { retryable_codes: ["RATE_LIMITED"] } } },
      ["warn config.retry gateway.retry"],
    ],
    [
      "many tries and no code",
      { gateway: { retry: { max_attempts: 3, retryable_codes: [] } } },
      ["warn config.retry gateway.retry.retryable_codes"],
    ],
    [
      "a first wait beyond the longest",
      { gateway: { retry: { max_attempts: 3, base_delay_ms: 9_000 } } },
      ["warn config.retry gateway.retry.base_delay_ms"],
    ],
    [
      "a glob behind one that covers it",
      server({ replay: { "get_*": "convergent", get_x: "never_replay" } }),
      ["warn config.globs mcpServers.a.replay.get_x"],
    ],
    [
      "a glob of what is shown behind one that covers it",
      {
        gateway: {
          artifacts: { inline: { "a:*": 10, "a:get_x": 20 }, keep: { "*": ["$.a"], "a:x": ["$.b"] } },
        },
      },
      [
        'warn config.globs gateway.artifacts.inline["a:get_x"]',
        'warn config.globs gateway.artifacts.keep["a:x"]',
      ],
    ],
    [
      "a pin that is no hash",
      { gateway: { pin: { hash: "abc", mode: "warn" } } },
      ["fail config.keys gateway.pin.hash"],
    ],
    [
      "a pin of no known mode",
      { gateway: { pin: { hash: "0".repeat(64), mode: "loose" } } },
      ["fail config.keys gateway.pin.mode"],
    ],
  ])("%s", (_name, config, expected) => {
    expect(asks(judge(config))).toEqual(expected);
  });

  it("says of a text that is no JSON where it breaks", () => {
    const { findings, config } = judgeConfig("{ nope", NOTHING_SET, HERE);
    expect(findings).toMatchObject([
      { check: "config.keys", level: "fail", what: expect.stringContaining("line 1") as unknown },
    ]);
    expect(config).toBeUndefined();
  });

  it("finds a credential in a comment by its line, and shows none", () => {
    const text = `{\n  // "Authorization": "Bearer 0123456789abcdef"\n  "gateway": {}\n}`;
    const { findings } = judgeConfig(text, NOTHING_SET, HERE);
    expect(asks(findings)).toEqual(["warn config.credentials line 2"]);
    expect(JSON.stringify(findings)).not.toContain("0123456789abcdef");
  });

  it("leaves servers that are disabled alone", () => {
    expect(
      asks(judge(server({ url: "http://a.example.com", headers: { K: "${env:KEY}" }, disabled: true }))),
    ).toEqual([]);
  });

  it("does not take a replay contract without trusted hints for a mistake, nor hints without one", () => {
    expect(asks(judge(server({ trust_hints: true })))).toEqual([]);
    expect(asks(judge(server({ replay: { "get_*": "convergent" } })))).toEqual([]);
  });

  it("does not hold the order of keys that JavaScript moves against a map of globs", () => {
    expect(asks(judge(server({ replay: { "*": "convergent", 7: "never_replay" } })))).toEqual([]);
  });
});

describe("variables that the Worker has and this machine has not", () => {
  const unseen: Environment = { lookup: () => undefined, elsewhere: () => "unseen" };
  const elsewhere: Environment = { lookup: () => undefined, elsewhere: () => "set" };
  const config = {
    mcpServers: {
      a: { url: "${env:ADDRESS}", headers: { Authorization: "Bearer ${env:KEY}" } },
      b: { url: "http://${env:KEY}.example.com", headers: { Host: "x" } },
      c: { url: "http://c.example.com", headers: { K: "${env:KEY}" } },
    },
  };

  it("are told as not looked at, once each, and the rest of their blocks is judged", () => {
    const findings = judge(config, unseen, { allowLoopback: false });
    expect(asks(findings)).toEqual([
      "fail config.addresses mcpServers.b.headers.Host",
      "fail config.addresses mcpServers.c.url",
    ]);
    expect(findings.filter(({ check }) => check === "config.variables")).toMatchObject([
      { level: "skip", what: expect.stringMatching(/: ADDRESS, KEY$/) as unknown },
    ]);
  });

  it("are as good as set where the running instance was given them", () => {
    const findings = judge(config, elsewhere);
    expect(findings.filter(({ check }) => check === "config.variables")).toMatchObject([{ level: "pass" }]);
  });

  it("do not make a deployed Worker reach this machine", () => {
    const local = server({ url: "http://127.0.0.1:8090/mcp" });
    expect(asks(judge(local))).toEqual([]);
    expect(asks(judge(local, unseen, { allowLoopback: false }))).toEqual([
      "fail config.addresses mcpServers.a.url",
    ]);
  });
});

describe("the judgement of any configuration", () => {
  const anyServer = fc.record(
    { url: fc.oneof(fc.webUrl(), fc.string()), headers: fc.dictionary(fc.string(), fc.string()) },
    { requiredKeys: ["url"] },
  );

  it("is made without a throw, and every finding that asks for something names a place or says where", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc
            .record({ mcpServers: fc.dictionary(fc.string(), anyServer) })
            .map((json) => JSON.stringify(json)),
        ),
        (text) => {
          const { findings } = judgeConfig(text, NOTHING_SET, HERE);
          expect(findings.length).toBeGreaterThan(0);
          for (const { what } of findings) expect(what).not.toBe("");
        },
      ),
    );
  });

  it("shows nothing that has the shape of a secret, wherever in the file somebody pasted it", () => {
    const tokens = [
      "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
      "sk_live_0123456789abcdefghij",
      "xoxb-0123456789-abcdefghij",
      "lg_client_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP",
    ];
    const scrubber = createScrubber([]);
    const a = { url: "https://a.example.com" };
    const pasted: readonly ((token: string) => unknown)[] = [
      (token) => ({ [token]: 1 }),
      (token) => ({ gateway: { [token]: 1 } }),
      (token) => ({ gateway: { [`my ${token}`]: { [token]: 1 } } }),
      (token) => ({ mcpServers: { [token]: {} } }),
      (token) => ({ mcpServers: { [token]: { url: "http://a.example.com" } } }),
      (token) => ({ mcpServers: { a: { ...a, [token]: 1 } } }),
      (token) => ({ mcpServers: { a: { ...a, headers: { [token]: 1 } } } }),
      (token) => ({ mcpServers: { a: { ...a, headers: { [token]: "\n" } } } }),
      (token) => ({ mcpServers: { a: { ...a, headers: { K: `\${env:${token}}` } } } }),
      (token) => ({ mcpServers: { a: { ...a, replay: { "*": "convergent", [token]: "convergent" } } } }),
      (token) => ({ mcpServers: { a: { url: token } } }),
      (token) => ({ gateway: { rate_limits: { tools: { [token]: 1 } } } }),
      (token) => ({ gateway: { cache: token } }),
      (token) => ({ gateway: { policy: [{ match: { [token]: 1 }, action: token }] } }),
      (token) => ({ gateway: { allowed_origins: [token] } }),
    ];
    for (const token of tokens) {
      const texts = pasted.map((paste) => JSON.stringify(paste(token)));
      const twice = `{ "${token}": 1, "${token}": 1 }`;
      for (const text of [...texts, twice, `{ ${token} }`, `{ "gateway": ${token}`]) {
        const report = reportOf(judgeConfig(text, NOTHING_SET, HERE).findings, scrubber);
        const printed = [...reportLines(report), JSON.stringify(report)].join("\n");
        expect(printed).not.toContain(token.slice(0, 14));
      }
    }
  });

  it("never shows a header's value or an address", () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{20,40}$/);
    fc.assert(
      fc.property(secret, fc.constantFrom("Authorization", "X-API-Key", "Cookie", "K"), (value, header) => {
        const text = JSON.stringify({
          mcpServers: {
            a: { url: `http://a.example.com/${value}`, headers: { [header]: `Bearer ${value}` } },
            b: { url: `https://10.0.0.1/${value}`, headers: { [header]: `${value}\n` } },
          },
        });
        expect(JSON.stringify(judgeConfig(text, NOTHING_SET, HERE).findings)).not.toContain(value);
      }),
    );
  });
});
