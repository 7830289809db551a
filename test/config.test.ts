import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ConfigProblem, formatProblems, parseConfig } from "../src/config.ts";
import {
  ADMIT_KEY_MAX_CHARS,
  CONFIG_SERVER_NAME_MAX_CHARS,
  GLOB_MAX_CHARS,
  POLICY_REASON_MAX_CHARS,
  POLICY_RULES_MAX_COUNT,
  SERVERS_MAX_COUNT,
} from "../src/limits.ts";

const URL_OK = "https://api.example.com/mcp";

function problemsOf(config: unknown): readonly ConfigProblem[] {
  const parsed = parseConfig(JSON.stringify(config));
  return parsed.ok ? [] : parsed.reason;
}

function serverProblems(block: unknown): readonly ConfigProblem[] {
  return problemsOf({ mcpServers: { github: block } });
}

describe("parseConfig", () => {
  it("fills every default that the contract names", () => {
    const parsed = parseConfig(`{"mcpServers": {"github": {"url": "${URL_OK}"}}}`);
    expect(parsed).toEqual({
      ok: true,
      value: {
        mcpServers: {
          github: {
            type: "http",
            url: URL_OK,
            headers: {},
            namespace: "server",
            include: ["*"],
            exclude: [],
            timeout_ms: 30_000,
            required: false,
            disabled: false,
            trust_hints: false,
            replay: {},
          },
        },
        gateway: {
          top_k: 10,
          cache_stable: false,
          allowed_origins: [],
          refresh_interval_s: 300,
          tolerant_args: false,
          redact: false,
          cache: { read_only: false, allow: [], shared: [], ttl_s: 60, max_entries: 256 },
          rate_limits: { per: "session", tools: {} },
          policy: [],
          retry: {
            max_attempts: 1,
            base_delay_ms: 100,
            max_delay_ms: 5000,
            jitter: 0.2,
            retryable_codes: ["UPSTREAM_TIMEOUT", "UPSTREAM_UNAVAILABLE"],
          },
          schema_limits: { max_bytes: 65_536, max_depth: 32, max_properties: 512, on_invalid: "flag" },
          artifacts: {
            class_days: 7,
            inline: {},
            inline_image_bytes: 262_144,
            inline_max_tokens: 1000,
            keep: {},
            max_bytes: 1_073_741_824,
            max_count: 10_000,
            on_full: "evict",
          },
          pin: null,
        },
        records: { sources: [{ kind: "d1" }] },
      },
    });
  });

  it("redacts where the server says so, and where the gateway does and the server says nothing", () => {
    const parsed = parseConfig(
      `{"mcpServers": {"a": {"url": "${URL_OK}", "redact": false}, "b": {"url": "${URL_OK}"}}, "gateway": {"redact": true}}`,
    );
    expect(parsed).toMatchObject({ ok: true, value: { gateway: { redact: true } } });
    expect(parsed.ok && parsed.value.mcpServers["a"]?.redact).toBe(false);
    expect(parsed.ok && Object.hasOwn(parsed.value.mcpServers["b"] ?? {}, "redact")).toBe(false);
    expect(problemsOf({ gateway: { redact: "yes" } })).toEqual([
      { key: "gateway.redact", message: "write a boolean" },
    ]);
  });

  it("takes an empty configuration", () => {
    expect(parseConfig("{}").ok).toBe(true);
  });

  it.each(["command", "args", "env", "cwd"])(
    "refuses a stdio block (%s) with the bridging command",
    (key) => {
      const problems = serverProblems({ type: "stdio", command: "npx", [key]: key === "args" ? ["x"] : "x" });
      expect(problems).toHaveLength(1);
      expect(problems[0]?.message).toContain("npx mcp-proxy");
      expect(problems[0]?.message).toContain('"url"');
    },
  );

  it("refuses an unknown key by name and lists what may stand there", () => {
    const [unknown, ...more] = serverProblems({ url: URL_OK, urll: 1 });
    expect(more).toEqual([]);
    expect(unknown?.key).toBe("mcpServers.github.urll");
    expect(unknown?.message).toMatch(
      /^unknown key: write one of type, url, headers, .*disabled, trust_hints, redact, replay, candidate, or remove it$/,
    );
    expect(problemsOf({ gatway: {} })[0]).toEqual({
      key: "gatway",
      message: "unknown key: write one of $schema, mcpServers, gateway, records, or remove it",
    });
    expect(problemsOf({ gateway: { schema_limits: { max: 1 } } })[0]?.message).toContain("max_bytes");
    const nested = {
      policy: [{ match: { tol: "x" }, action: "deny" }],
      rate_limits: { tools: { "a.b:*": { max: 1 } } },
    };
    expect(problemsOf({ gateway: nested }).map(({ key, message }) => `${key}: ${message}`)).toEqual([
      expect.stringMatching(/^gateway\.rate_limits\.tools\["a\.b:\*"\]\.max: .*max_calls_per_minute/),
      expect.stringMatching(/^gateway\.policy\[0\]\.match\.tol: .*meta_tool, server, tool/),
    ]);
  });

  it("refuses more servers, and a longer interval, than there is room or a calendar for", () => {
    const servers = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, { url: URL_OK }]));
    expect(problemsOf({ mcpServers: servers(SERVERS_MAX_COUNT) })).toEqual([]);
    expect(problemsOf({ mcpServers: servers(SERVERS_MAX_COUNT + 1) })).toEqual([
      { key: "mcpServers", message: `has more than ${SERVERS_MAX_COUNT} servers: remove some` },
    ]);
    expect(problemsOf({ gateway: { refresh_interval_s: 1e12 } })).toEqual([
      { key: "gateway.refresh_interval_s", message: "must be at most 2592000" },
    ]);
  });

  it("refuses a server's name that is longer than the name of a call under way can be, of any kind of server", () => {
    expect(CONFIG_SERVER_NAME_MAX_CHARS).toBe(ADMIT_KEY_MAX_CHARS);
    const longest = "s".repeat(CONFIG_SERVER_NAME_MAX_CHARS);
    const blocks = [{ url: URL_OK }, { url: URL_OK, disabled: true }, { type: "static" }];
    for (const block of blocks) {
      expect(problemsOf({ mcpServers: { [longest]: block } })).toEqual([]);
      expect(problemsOf({ mcpServers: { [`${longest}s`]: block } })).toEqual([
        { key: `mcpServers.${longest}s`, message: "must have a name of at most 256 characters" },
      ]);
    }
    expect(problemsOf({ mcpServers: { "": { url: URL_OK } } })).toEqual([
      { key: 'mcpServers[""]', message: "must have a name" },
    ]);
  });

  it("says of a glob, a reason and a list that are too long what they may be, in their own units", () => {
    const glob = "g".repeat(GLOB_MAX_CHARS + 1);
    expect(serverProblems({ url: URL_OK, replay: { [glob]: "convergent" } })).toEqual([
      { key: `mcpServers.github.replay.${glob}`, message: "must have a name of at most 256 characters" },
    ]);
    const rule = { match: { tool: glob }, action: "deny", reason: "r".repeat(POLICY_REASON_MAX_CHARS + 1) };
    expect(problemsOf({ gateway: { policy: [rule] } }).map(({ message }) => message)).toEqual([
      "must be at most 256 characters",
      "must be at most 200 characters",
    ]);
    const rules = Array.from({ length: POLICY_RULES_MAX_COUNT + 1 }, () => ({ match: {}, action: "allow" }));
    expect(problemsOf({ gateway: { policy: rules } })).toEqual([
      { key: "gateway.policy", message: "must have at most 256 entries" },
    ]);
  });

  it.each([
    ["stdio", "npx mcp-proxy"],
    ["sse", "Streamable HTTP"],
    ["streamable-http", '"type": "http"'],
  ])("says what to write instead of type %s", (type, advice) => {
    const problems = serverProblems({ type, url: URL_OK });
    expect(problems.map(({ key }) => key)).toEqual(["mcpServers.github.type"]);
    expect(problems[0]?.message).toContain(advice);
  });

  it("tells all problems at once, each with its key", () => {
    const text = formatProblems(
      problemsOf({ mcpServers: { "my server": { url: 5, timeout_ms: 0 } }, gateway: { top_k: 51 } }),
    );
    expect(text.split("\n").map((line) => line.split(": ")[0])).toEqual([
      'mcpServers["my server"].url',
      'mcpServers["my server"].timeout_ms',
      "gateway.top_k",
    ]);
  });

  it.each([
    [{ mcpServers: { a: {} } }, "mcpServers.a.url: is missing: write a string"],
    [{ mcpServers: { a: { url: "" } } }, "mcpServers.a.url: must not be empty"],
    [{ mcpServers: { "": { url: URL_OK } } }, 'mcpServers[""]: must have a name'],
    [
      { mcpServers: { a: { url: URL_OK, namespace: "x" } } },
      'mcpServers.a.namespace: write one of "server", "infer"',
    ],
    [{ gateway: { top_k: 0 } }, "gateway.top_k: must be at least 1"],
    [{ gateway: { top_k: 51 } }, "gateway.top_k: must be at most 50"],
    [{ gateway: { cache_stable: "yes" } }, "gateway.cache_stable: write a boolean"],
    [{ servers: {} }, "servers: unknown key: write mcpServers"],
    [
      { gateway: { policy: [{ match: { server: "nowhere" }, action: "deny" }] } },
      "gateway.policy[0].match.server: names no server: write one of mcpServers ()",
    ],
    [
      { gateway: { policy: [{ match: {}, action: "block" }] } },
      'gateway.policy[0].action: write one of "allow", "deny", "require_approval"',
    ],
    [
      { mcpServers: { a: { url: URL_OK, replay: { "*": "always" } } } },
      'mcpServers.a.replay["*"]: write one of "convergent", "probe_required", "never_replay"',
    ],
    [{ mcpServers: { a: { url: URL_OK, candidate: {} } } }, "mcpServers.a.candidate.url: is missing"],
    [
      { mcpServers: { a: { url: URL_OK, candidate: { url: URL_OK, weight: 1 } } } },
      "mcpServers.a.candidate.weight: unknown key: write one of url, headers",
    ],
    [{ gateway: { allowed_origins: ["foo"] } }, "gateway.allowed_origins[0]: must be an origin"],
    [
      { gateway: { allowed_origins: ["https://a.example/"] } },
      "gateway.allowed_origins[0]: must be an origin",
    ],
    [{ gateway: { pin: {} } }, "gateway.pin.hash: is missing: write a string"],
    [
      { gateway: { pin: { hash: "0".repeat(64) } } },
      'gateway.pin.mode: is missing: write one of "warn", "strict"',
    ],
    [
      { gateway: { pin: { hash: "0".repeat(64), mode: "off" } } },
      'gateway.pin.mode: write one of "warn", "strict"',
    ],
    [
      { gateway: { pin: { hash: "A".repeat(64), mode: "warn" } } },
      "gateway.pin.hash: must be 64 lower-case hex digits: copy the hash that /admin/catalog shows",
    ],
    [
      { gateway: { pin: { hash: `${"a".repeat(64)}\n`, mode: "warn" } } },
      "gateway.pin.hash: must be 64 lower-case hex digits",
    ],
    [{ gateway: { pin: "a".repeat(64) } }, "gateway.pin: write an object"],
    [
      { gateway: { pin: { hash: "0".repeat(64), mode: "warn", since: 1 } } },
      "gateway.pin.since: unknown key: write one of hash, mode, or remove it",
    ],
  ])("says what to write: %j", (config, line) => {
    expect(formatProblems(problemsOf(config))).toContain(line);
  });

  it("takes a pin of either mode, and none written as null", () => {
    const pinOf = (pin: unknown) => {
      const parsed = parseConfig(JSON.stringify({ gateway: { pin } }));
      return parsed.ok ? parsed.value.gateway.pin : formatProblems(parsed.reason);
    };
    expect(pinOf(null)).toBeNull();
    for (const mode of ["warn", "strict"]) {
      const pin = { hash: "0123456789abcdef".repeat(4), mode };
      expect(pinOf(pin)).toEqual(pin);
    }
  });

  it("advises on a stdio block and still tells what is wrong with the others", () => {
    const servers = { a: { command: "npx", args: [] }, b: { url: URL_OK, urll: 1 } };
    expect(problemsOf({ mcpServers: servers }).map(({ key }) => key)).toEqual([
      "mcpServers.a.command",
      "mcpServers.b.urll",
    ]);
  });

  it("points at the line and column of a syntax error", () => {
    const parsed = parseConfig('{\n  "mcpServers": {,}\n}');
    expect(parsed.ok ? "" : formatProblems(parsed.reason)).toMatch(/^line 2, column 18: /);
  });

  it("never throws, whatever the file holds", () => {
    const config = fc.oneof(
      fc.json(),
      fc
        .record({ mcpServers: fc.dictionary(fc.string(), fc.anything()), gateway: fc.anything() })
        .map((value) =>
          JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? String(item) : item)),
        ),
    );
    fc.assert(
      fc.property(config, (text) => {
        expect(() => parseConfig(text)).not.toThrow();
      }),
    );
  });
});
