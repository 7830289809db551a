import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adviceFor } from "../../../scripts/doctor/advice.ts";
import { readDoctorArguments } from "../../../scripts/doctor/arguments.ts";
import { examine } from "../../../scripts/doctor/examine.ts";
import { runDoctor } from "../../../scripts/doctor/run.ts";
import { isJsonArray, memberOf } from "../../../src/json.ts";
import {
  answers,
  CLIENT_BEARER,
  fakeDeployment,
  type Handler,
  HEALTHY_STATUS,
  NOW_MS,
  OPERATOR_BEARER,
} from "./fake-deployment.ts";
import { asks, visit } from "./visit.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "loomgate-doctor-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function run(argv: readonly string[]) {
  const surroundings = { env: {}, lookup: () => undefined, nowMs: NOW_MS };
  return runDoctor(
    argv,
    () => folder,
    async (args, cwd) => examine(args, { cwd, ...surroundings }),
  );
}

/** A state folder over which a deployment seems to run. */
function stateOf(name: string, origin: string, config: object): string {
  const state = join(folder, name);
  mkdirSync(state);
  const dev = {
    gateway: `${origin}/mcp`,
    proxy: `${origin}/mcp/proxy`,
    admin: `${origin}/admin`,
    token: CLIENT_BEARER,
  };
  writeFileSync(
    join(state, "dev.json"),
    JSON.stringify({ ...dev, operator_token: OPERATOR_BEARER, pid: process.pid }),
  );
  writeFileSync(
    join(state, "wrangler.json"),
    JSON.stringify({ vars: { LOOMGATE_CONFIG: JSON.stringify(config) } }),
  );
  return state;
}

const CONFIG = { mcpServers: { a: { url: "http://127.0.0.1:1/mcp" } } };
/** Something to say at every hint: a server without tools, events that were lost, routes that fail. */
const ailing: Readonly<Record<string, Handler>> = {
  "/admin/status": answers.json({
    ...HEALTHY_STATUS,
    catalog: { generation: 0, failure: "store", age_s: 1e6, pin: { matches: false, actual: null } },
    servers: [
      { ...HEALTHY_STATUS.servers[0], status: "failed", candidate: { status: "rejected" } },
      { name: "b", status: "stale" },
      { name: "c", status: "unknown" },
    ],
    ledger: { dropped: 1, refused: 1, restarted: 1, lost_at: HEALTHY_STATUS.as_of },
  }),
  "/admin/catalog": answers.json({ tools: [], next: null }),
  "/admin/tokens": answers.json({ error: "internal" }, 500),
  "/admin/approvals": answers.json({ error: "unavailable" }, 503),
  "/metrics": (request) => request.socket.destroy(),
  "/mcp": answers.json({ error: "internal" }, 500),
};

describe("hints of a local instance", () => {
  it("name its state folder and its log wherever they name a command or a log", async () => {
    const deployment = await fakeDeployment(ailing);
    const state = stateOf("an instance's", deployment.origin, CONFIG);
    const { stdout } = await run(["--state", state]);
    await deployment.close();
    expect(stdout).not.toContain("wrangler");
    const quoted = `'${state.replaceAll("'", `'\\''`)}'`;
    const refreshes = stdout.match(/npm run doctor -- [^`]*/g) ?? [];
    expect(refreshes.length).toBeGreaterThan(4);
    expect(new Set(refreshes)).toEqual(new Set([`npm run doctor -- --state ${quoted} --refresh`]));
    const logs = stdout.split("\n").filter((line) => /\blog\b/.test(line));
    expect(logs.length).toBeGreaterThan(7);
    for (const line of logs) expect(line).toContain(`(${join(state, "logs", "worker.log")})`);
  });

  it("name the log of a Worker that cannot use its configuration", async () => {
    const health = answers.json({ status: "misconfigured", version: "1" });
    const deployment = await fakeDeployment({ "/health": health });
    const state = stateOf("misconfigured", deployment.origin, CONFIG);
    const { stdout } = await run(["--state", "misconfigured"]);
    await deployment.close();
    expect(stdout).toContain(`its log names each key (${join("misconfigured", "logs", "worker.log")})`);
    expect(stdout).not.toContain(state);
  });

  it("judge a policy alike whether its instance has a catalog or not", async () => {
    const gateway = {
      policy: [
        { match: { tool: "a:*" }, action: "allow" },
        { match: { tool: "a:set_*" }, action: "deny" },
      ],
    };
    const told = async (name: string, overrides: Readonly<Record<string, Handler>>) => {
      const deployment = await fakeDeployment(overrides);
      stateOf(name, deployment.origin, { ...CONFIG, gateway });
      const { stdout } = await run(["--state", name, "--json"]);
      await deployment.close();
      const report: unknown = JSON.parse(stdout);
      const checks = memberOf(report, "checks");
      return (isJsonArray(checks) ? checks : []).filter((one) => memberOf(one, "check") === "config.policy");
    };
    const claim = expect.stringContaining("any tool that a catalog lists") as unknown;
    const noCatalog = { "/admin/catalog": answers.json({ error: "unavailable" }, 503) };
    expect(await told("policy", {})).toMatchObject([{ level: "fail", what: claim }]);
    expect(await told("policy without tools", noCatalog)).toMatchObject([{ level: "fail", what: claim }]);
  });
});

describe("hints of a deployed Worker", () => {
  it("name its address, and the log that wrangler shows", async () => {
    const named = readDoctorArguments(["--url", "https://a.example.com", "--config", "x.jsonc"], "/").named;
    const advice = adviceFor(named, "deployed");
    const { findings } = await visit(ailing, { advice });
    const mends = findings.map(({ mend }) => mend ?? "").join("\n");
    const refreshes = mends.match(/npm run doctor -- [^`]*/g) ?? [];
    expect(new Set(refreshes)).toEqual(
      new Set(["npm run doctor -- --url https://a.example.com --config x.jsonc --refresh"]),
    );
    expect(mends).toContain("npx wrangler tail");
    expect(mends).not.toContain("worker.log");
  });

  it("do not send a person to Cloudflare's log for what answers on this machine", () => {
    expect(adviceFor({ url: "http://127.0.0.1:1" }, "loopback").log).not.toContain("wrangler");
  });
});

describe("the command that a hint gives", () => {
  it("is read by a shell and by the doctor as what was written", () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .filter((value) => !value.includes("\0"));
    fc.assert(
      fc.property(text, text, (state, config) => {
        const { refresh } = adviceFor({ state, config }, "instance");
        const command = refresh.slice(1, -1).replace("npm run doctor --", "printf '%s\\0'");
        const words = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" })
          .stdout.split("\0")
          .slice(0, -1);
        expect(readDoctorArguments(words, "/cwd")).toMatchObject({ named: { state, config }, refresh: true });
      }),
      {
        numRuns: 40,
        examples: [
          ["-x", "it's $HOME"],
          ["~", "a b"],
          ["`id`", '"'],
        ],
      },
    );
  });

  it("has nothing in it that was not written", () => {
    expect(adviceFor({}, "instance").refresh).toBe("`npm run doctor -- --refresh`");
    expect(adviceFor({ state: "/x" }, "instance").refresh).toBe("`npm run doctor -- --state /x --refresh`");
  });
});

describe("a refresh", () => {
  it.each([[[]], [["--json"]], [["--state", "none"]]])(
    "of nothing that runs ends with 2 and says so: %j",
    async (argv) => {
      const { stdout, stderr, exitCode } = await run([...argv, "--refresh"]);
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
      expect(stderr).toMatch(/^--refresh: nothing runs over .+, so there is nothing to list anew; [^\n]+$/);
    },
  );

  it("that nobody's bearer could ask for is a failure, not silence", async () => {
    const { findings } = await visit({}, { refresh: true, operatorBearer: null });
    expect(asks(findings)).toEqual(["fail operator.refresh"]);
  });
});
